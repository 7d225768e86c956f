import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

export type ImportRow = Selectable<DB['repository_imports']>;
export type Phase = ImportRow['phase'];
type Import = Id<'repository_imports'>;
type Kind = Selectable<DB['repository_import_items']>['kind'];

export const insertImport = (tx: Tx, row: Insertable<DB['repository_imports']>): Promise<ImportRow> =>
  tx.insertInto('repository_imports').values(row).returningAll().executeTakeFirstOrThrow();

export const findImport = (db: Db, repository: Id<'repositories'>): Promise<ImportRow | undefined> =>
  db.selectFrom('repository_imports').selectAll().where('repository_id', '=', repository).executeTakeFirst();

/** The position of an import: the phase, and the next page to read. */
export type Position = { phase: Phase; next_page: string | null };

/** Advances an import; undefined if it is no longer at this position. Its row stays locked. */
export const movePosition = (
  tx: Tx,
  id: Import,
  from: Position,
  to: Position & { finished_at?: Date },
): Promise<ImportRow | undefined> =>
  tx
    .updateTable('repository_imports')
    .set(to)
    .where('id', '=', id)
    .where('phase', '=', from.phase)
    .where(sql<boolean>`next_page is not distinct from ${from.next_page}`)
    .returningAll()
    .executeTakeFirst();

/** The given issues or comments of the source that were already imported. */
export async function findKnown(tx: Tx, id: Import, kind: Kind, sourceIds: readonly number[]): Promise<Set<number>> {
  if (sourceIds.length === 0) return new Set();
  const rows = await tx
    .selectFrom('repository_import_items')
    .select('source_id')
    .where('import_id', '=', id)
    .where('kind', '=', kind)
    .where('source_id', 'in', [...sourceIds])
    .execute();
  return new Set(rows.map(({ source_id }) => source_id));
}

type Item = Omit<Insertable<DB['repository_import_items']>, 'import_id' | 'kind'>;

export async function insertItems(tx: Tx, id: Import, kind: Kind, items: readonly Item[]): Promise<void> {
  if (items.length === 0) return;
  await tx
    .insertInto('repository_import_items')
    .values(items.map((item) => ({ ...item, import_id: id, kind })))
    .execute();
}

/** Records for each of these issues that one fewer comment is missing. An issue appears once for each comment. */
export async function lowerMissing(tx: Tx, id: Import, issues: readonly Id<'issues'>[]): Promise<void> {
  if (issues.length === 0) return;
  await sql`
    update repository_import_items i set missing_comments = missing_comments - c.count
    from (select issue, count(*) from unnest(${[...issues]}::bigint[]) as issue group by issue) c
    where i.import_id = ${id} and i.kind = 'issue' and i.own_id = c.issue`.execute(tx);
}

/** The number of the first issue that has fewer comments than the source reports. */
export async function findIncomplete(db: Db, id: Import): Promise<{ issue: number; number: number } | undefined> {
  return db
    .selectFrom('repository_import_items as item')
    .innerJoin('issues as i', (join) => join.on(sql<boolean>`i.id = item.own_id`))
    .select(['item.own_id as issue', 'i.number'])
    .where('item.import_id', '=', id)
    .where('item.kind', '=', 'issue')
    .where('item.missing_comments', '>', 0)
    .orderBy('item.own_id')
    .limit(1)
    .executeTakeFirst();
}

/** Records that no more comments of an issue are expected. */
export const clearMissing = (tx: Tx, id: Import, issue: number) =>
  tx
    .updateTable('repository_import_items')
    .set({ missing_comments: 0 })
    .where('import_id', '=', id)
    .where('kind', '=', 'issue')
    .where('own_id', '=', issue)
    .execute();

/** The numbers of imported issues and comments. */
export async function countItems(db: Db, id: Import): Promise<{ issues: number; comments: number }> {
  const { rows } = await sql<{ issues: number; comments: number }>`
    select count(*) filter (where kind = 'issue') as issues, count(*) filter (where kind = 'comment') as comments
    from repository_import_items where import_id = ${id}`.execute(db);
  return rows[0] ?? { issues: 0, comments: 0 };
}

export const removeItems = (tx: Tx, id: Import) => tx.deleteFrom('repository_import_items').where('import_id', '=', id).execute();
