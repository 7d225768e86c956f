import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list, listAfter } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

export type LabelRow = Selectable<DB['labels']>;

export const listLabels = (db: Db, repository: RepositoryId, page: Page): Promise<Listed<LabelRow>> =>
  list(
    db,
    db.selectFrom('labels').selectAll().where('repository_id', '=', repository).orderBy(sql`lower(name)`).orderBy('id'),
    page,
  );

/** A label by its name, regardless of case. */
export const selectLabel = (db: Db, repository: OrSql<RepositoryId>, name: string) =>
  db.selectFrom('labels').selectAll().where('repository_id', '=', repository).where(sql<boolean>`lower(name) = lower(${name})`);

/** Reads the label again and locks its row; undefined if it was deleted. */
export const findLabelForUpdate = (tx: Tx, { id }: Pick<LabelRow, 'id'>): Promise<LabelRow | undefined> =>
  tx.selectFrom('labels').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/** A label of a repository by its id. */
export const findLabelById = (db: Db, repository: RepositoryId, id: Id<'labels'>): Promise<LabelRow | undefined> =>
  db.selectFrom('labels').selectAll().where('repository_id', '=', repository).where('id', '=', id).executeTakeFirst();

export const loadLabels = (db: Db, ids: readonly Id<'labels'>[]): Promise<LabelRow[]> =>
  db.selectFrom('labels').selectAll().where(sql<boolean>`id = any (${ids}::bigint[])`).execute();

/** Adds a label; undefined if its name is taken. */
export const insertLabel = (tx: Tx, row: Insertable<DB['labels']>): Promise<LabelRow | undefined> =>
  tx
    .insertInto('labels')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();

export const updateLabel = (tx: Tx, id: Id<'labels'>, change: Updateable<DB['labels']>): Promise<LabelRow> =>
  tx.updateTable('labels').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

export const removeLabel = (tx: Tx, id: Id<'labels'>) => tx.deleteFrom('labels').where('id', '=', id).execute();

/** The labels with these names, regardless of case. Missing ones are created. */
export async function findOrMakeLabels(tx: Tx, repository: RepositoryId, names: readonly string[]): Promise<LabelRow[]> {
  if (names.length === 0) return [];
  const { rows } = await sql<LabelRow & { missing: string | null }>`
    with wanted as (select distinct on (lower(name)) name from unnest(${[...names]}::text[]) as name)
    select l.*, case when l.id is null then w.name end as missing
    from wanted w left join labels l on l.repository_id = ${repository} and lower(l.name) = lower(w.name)`.execute(tx);
  const missing = rows.flatMap((row) => row.missing ?? []);
  if (missing.length === 0) return rows.map(({ missing: _, ...label }) => label);
  // Another transaction may create one of them in the meantime: this waits for it, and the labels are then looked up again. All
  // create them in the same order, so that none deadlock.
  await sql`
    insert into labels (repository_id, name, color) select ${repository}, name, ${defaultColor}
    from unnest(${missing}::text[]) as name
    order by lower(name) on conflict (repository_id, lower(name)) do nothing`.execute(tx);
  return findOrMakeLabels(tx, repository, names);
}

/** The colour of a label that was created with only a name (the public API's grey). */
export const defaultColor = 'ededed';

/** The labels of a repository after a given one, ordered by id. */
export const listLabelsAfter = (db: Db, repository: RepositoryId, after: Id<'labels'>, limit: number): Promise<LabelRow[]> =>
  listAfter(db.selectFrom('labels').selectAll().where('repository_id', '=', repository), 'id', after, limit);
