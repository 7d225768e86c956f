import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { selectionIncludes } from '#resources/repositories/repository-selections/index.ts';
import { botLimits } from './limits.ts';

export type AccessRow = Selectable<DB['dependency_bot_access']>;

/** The repositories that an organization lets the bot read; undefined if it never set them. */
export const findAccess = (db: Db, organization: Id<'accounts'>): Promise<AccessRow | undefined> =>
  db.selectFrom('dependency_bot_access').selectAll().where('organization_id', '=', organization).executeTakeFirst();

/** The private and internal repositories of an owner that the bot may read. Public ones need no right. */
const readable = (owner: Id<'accounts'>) => sql`dependency_bot_access a
  join repositories own on own.owner_id = a.organization_id and own.visibility <> 'public' and not own.is_private_fork
  where a.organization_id = ${owner}
    and (a.default_level = 'internal' and own.visibility = 'internal'
      or ${selectionIncludes(sql`a.selection_id`, sql`own.id`)})`;

/** The repositories of an owner that a token of the bot names beside the one that it updates. */
export const listReadable = async (db: Db, owner: Id<'accounts'>): Promise<Id<'repositories'>[]> =>
  (
    await sql<{ id: Id<'repositories'> }>`select own.id from ${readable(owner)}
      order by own.id limit ${fixedValue(botLimits.readable)}`.execute(db)
  ).rows.map(({ id }) => id);

/** How many repositories an owner lets the bot read, also beyond what a token can name. */
export const countReadable = async (db: Db, owner: Id<'accounts'>): Promise<number> =>
  (await sql<{ total: number }>`select count(*)::integer as total from ${readable(owner)}`.execute(db)).rows[0]?.total ?? 0;

export const insertAccess = (tx: Tx, row: AccessRow): Promise<AccessRow> =>
  tx.insertInto('dependency_bot_access').values(row).returningAll().executeTakeFirstOrThrow();

export const updateLevel = (tx: Tx, organization: Id<'accounts'>, default_level: AccessRow['default_level']) =>
  tx.updateTable('dependency_bot_access').set({ default_level }).where('organization_id', '=', organization).execute();
