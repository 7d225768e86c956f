import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id, RepositoryId } from '#lib/id.ts';

export type AutolinkRow = Selectable<DB['autolinks']>;
type Autolink = Id<'autolinks'>;

/** All autolinks of a repository. Their number is limited. */
export const listAutolinks = (db: Db, repository: RepositoryId): Promise<AutolinkRow[]> =>
  db.selectFrom('autolinks').selectAll().where('repository_id', '=', repository).orderBy('id').execute();

export const selectAutolink = (db: Db, repository: OrSql<RepositoryId>, id: Autolink) =>
  db.selectFrom('autolinks').selectAll().where('repository_id', '=', repository).where('id', '=', id);

/** Reads the autolink again and locks its row; undefined if it was deleted. */
export const findAutolinkForUpdate = (tx: Tx, { id }: Pick<AutolinkRow, 'id'>): Promise<AutolinkRow | undefined> =>
  tx.selectFrom('autolinks').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/** The number of a repository's autolinks, and whether one of their prefixes is a prefix of the given one or the reverse. */
export async function countAutolinks(
  tx: Tx,
  repository: RepositoryId,
  prefix: string,
): Promise<{ total: number; clash: boolean }> {
  const { rows } = await sql<{ total: number; clash: boolean }>`
    select count(*) as total, coalesce(bool_or(
      starts_with(lower(key_prefix), lower(${prefix})) or starts_with(lower(${prefix}), lower(key_prefix))), false) as clash
    from autolinks where repository_id = ${repository}`.execute(tx);
  return rows[0] ?? { total: 0, clash: false };
}

export const insertAutolink = (tx: Tx, row: Insertable<DB['autolinks']>): Promise<AutolinkRow> =>
  tx.insertInto('autolinks').values(row).returningAll().executeTakeFirstOrThrow();

export const removeAutolink = (tx: Tx, id: Autolink) => tx.deleteFrom('autolinks').where('id', '=', id).execute();
