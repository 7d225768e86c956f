import type { Selectable } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

export type AccessRow = Selectable<DB['dependency_bot_access']>;

/** The repositories that an organization lets the bot read; undefined if it never set them. */
export const findAccess = (db: Db, organization: Id<'accounts'>): Promise<AccessRow | undefined> =>
  db.selectFrom('dependency_bot_access').selectAll().where('organization_id', '=', organization).executeTakeFirst();

export const insertAccess = (tx: Tx, row: AccessRow): Promise<AccessRow> =>
  tx.insertInto('dependency_bot_access').values(row).returningAll().executeTakeFirstOrThrow();

export const updateLevel = (tx: Tx, organization: Id<'accounts'>, default_level: AccessRow['default_level']) =>
  tx.updateTable('dependency_bot_access').set({ default_level }).where('organization_id', '=', organization).execute();
