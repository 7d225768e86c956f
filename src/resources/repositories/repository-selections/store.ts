import { type RawBuilder, type Selectable, sql } from 'kysely';
import { reachedBy } from '#access/sql.ts';
import type { Grant, RepositoryRow } from '#access/viewer.ts';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { SelectionMode } from './schemas.ts';

export type SelectionRow = Selectable<DB['repository_selections']>;
export type SelectionId = Id<'repository_selections'>;

export const findSelection = (db: Db, id: SelectionId): Promise<SelectionRow | undefined> =>
  db.selectFrom('repository_selections').selectAll().where('id', '=', id).executeTakeFirst();

/** Reads a selection and locks its row until the transaction ends. */
export const findSelectionForUpdate = (tx: Tx, id: SelectionId): Promise<SelectionRow | undefined> =>
  tx.selectFrom('repository_selections').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

export const insertSelection = (tx: Tx, organization_id: Id<'accounts'>, mode: SelectionMode): Promise<SelectionRow> =>
  tx.insertInto('repository_selections').values({ organization_id, mode }).returningAll().executeTakeFirstOrThrow();

export const updateSelection = (tx: Tx, id: SelectionId, mode: SelectionMode) =>
  tx.updateTable('repository_selections').set({ mode }).where('id', '=', id).execute();

/** Removes a selection, after the rows that refer to it. */
export const removeSelection = (tx: Tx, id: SelectionId) => tx.deleteFrom('repository_selections').where('id', '=', id).execute();

/** Makes these repositories the selected ones. */
export async function putSelected(tx: Tx, selection: SelectionId, ids: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('selected_repositories')
    .where('selection_id', '=', selection)
    .where(sql<boolean>`repository_id <> all (${[...ids]}::bigint[])`)
    .execute();
  await addSelected(tx, selection, ids);
}

export const addSelected = (tx: Tx, selection: SelectionId, ids: readonly number[]) =>
  sql`insert into selected_repositories (selection_id, repository_id)
    select ${selection}, id from unnest(${[...ids]}::bigint[]) as id on conflict do nothing`.execute(tx);

export const removeSelected = (tx: Tx, selection: SelectionId, repository: Id<'repositories'>) =>
  tx.deleteFrom('selected_repositories').where('selection_id', '=', selection).where('repository_id', '=', repository).execute();

export const removeSeveral = (tx: Tx, selection: SelectionId, repositories: readonly Id<'repositories'>[]) =>
  tx
    .deleteFrom('selected_repositories')
    .where('selection_id', '=', selection)
    .where(sql<boolean>`repository_id = any (${[...repositories]}::bigint[])`)
    .execute();

/** The selected repositories of the organization. A transferred repository isn't listed, even before the job has removed it. */
export const listSelected = (
  db: Db,
  { id, organization_id }: Pick<SelectionRow, 'id' | 'organization_id'>,
  grant: Grant,
  page: Page,
): Promise<Listed<RepositoryRow>> =>
  list(
    db,
    db
      .selectFrom('repositories as r')
      .innerJoin('selected_repositories as s', 's.repository_id', 'r.id')
      .selectAll('r')
      .where('s.selection_id', '=', id)
      .where('r.owner_id', '=', organization_id)
      .where(selectableBy(grant))
      .orderBy('r.id'),
    page,
  );

/**
 * Whether a credential may select the repository `r`, and see that it is selected. A fine-grained one must reach it. Classic
 * tokens need only `admin:org` (document 2).
 */
const selectableBy = (grant: Grant): RawBuilder<boolean> =>
  'scopes' in grant ? sql<boolean>`true` : sql<boolean>`(r.visibility = 'public' or ${reachedBy(grant)})`;

/** The given repository ids that belong to the organization and that the credential may select. */
export const keepSelectable = async (
  db: Db,
  organization: Id<'accounts'>,
  ids: readonly number[],
  grant: Grant,
): Promise<Id<'repositories'>[]> => {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('repositories as r')
    .select('r.id')
    .where('r.owner_id', '=', organization)
    .where(sql<boolean>`r.id = any (${[...ids]}::bigint[])`)
    .where(selectableBy(grant))
    .execute();
  return rows.map(({ id }) => id);
};

/** The ids of the selected repositories, in a statement in which `selection` is the id of a selection. */
export const selectedIds = (selection: RawBuilder<unknown>): RawBuilder<number[]> => sql<number[]>`array(
  select s.repository_id from selected_repositories s
    join repository_selections x on x.id = s.selection_id
    join repositories r on r.id = s.repository_id and r.owner_id = x.organization_id
  where s.selection_id = ${selection} order by s.repository_id)`;

/** The mode of the selection whose id is `selection`. */
export const selectionMode = (selection: RawBuilder<unknown>): RawBuilder<SelectionMode> =>
  sql<SelectionMode>`(select x.mode from repository_selections x where x.id = ${selection})`;

/** Whether the selection whose id is `selection` includes the repository with the id `repository`, which may be SQL. */
export const selectionIncludes = (selection: RawBuilder<unknown>, repository: OrSql<Id<'repositories'>>): RawBuilder<boolean> =>
  sql<boolean>`exists (
    select from repository_selections x join repositories r on r.owner_id = x.organization_id
    where x.id = ${selection} and r.id = ${repository} and (x.mode = 'all'
      or x.mode = 'private' and r.visibility <> 'public'
      or x.mode = 'selected' and exists (
        select from selected_repositories s where s.selection_id = x.id and s.repository_id = r.id)))`;

/** Removes a repository from the selections of all organizations except its owner. */
export const removeForeign = (tx: Tx, repository: Id<'repositories'>) =>
  sql`delete from selected_repositories s using repository_selections x, repositories r
    where s.repository_id = ${repository} and x.id = s.selection_id and r.id = s.repository_id
      and r.owner_id <> x.organization_id`.execute(tx);
