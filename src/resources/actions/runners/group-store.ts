// Reads of runner groups and their repositories. The family runner-groups owns the rows.
import { type Selectable, sql } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { asId, type Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import { ownRunnersAllowed } from '#resources/repositories/actions-permissions/index.ts';
import { type SelectionMode, selectionIncludes, selectionMode } from '#resources/repositories/repository-selections/index.ts';

/** A group, and which repositories may use it; null if that was never set, which means all. */
export type GroupRow = Selectable<DB['runner_groups']> & { readonly mode: SelectionMode | null };
type Organization = Id<'accounts'>;
type Group = Id<'runner_groups'>;

const groups = (db: Db) =>
  db
    .selectFrom('runner_groups as g')
    .selectAll('g')
    .select(sql<SelectionMode | null>`${selectionMode(sql.ref('g.selection_id'))}`.as('mode'));

export const selectGroup = (db: Db, organization: OrSql<Organization>, id: Group) =>
  groups(db).where('g.organization_id', '=', organization).where('g.id', '=', id);

/** Reads the group again and locks its row; undefined if it was deleted. */
export const findGroupForUpdate = (tx: Tx, { id }: Pick<GroupRow, 'id'>): Promise<GroupRow | undefined> =>
  groups(tx).where('g.id', '=', id).forUpdate('g').executeTakeFirst();

/** A page of an organization's groups; with the name of a repository, only groups that it may use. */
export function listGroups(
  db: Db,
  organization: Organization,
  { repository, page }: { repository?: string | undefined; page: Page },
): Promise<Listed<GroupRow>> {
  const all = groups(db).where('g.organization_id', '=', organization).orderBy('g.id');
  const named = sql<boolean>`exists (
    select from repositories p
    where p.owner_id = ${organization} and lower(p.name) = ${repository?.toLowerCase()} and ${groupIncludes})`;
  return list(db, repository === undefined ? all : all.where(named), page);
}

/** The number of an organization's groups, and whether a group other than `own` has this name, regardless of case. */
export async function countGroups(
  db: Db,
  organization: Organization,
  { name, own = asId(0) }: { name: string; own?: Group },
): Promise<{ total: number; clash: boolean }> {
  return db
    .selectFrom('runner_groups')
    .select([
      sql<number>`count(*)`.as('total'),
      sql<boolean>`coalesce(bool_or(lower(name) = ${name.toLowerCase()} and id <> ${own}), false)`.as('clash'),
    ])
    .where('organization_id', '=', organization)
    .executeTakeFirstOrThrow();
}

/** Whether the group `runner_groups g` may be used by the repository `repositories p`. */
export const groupIncludes = sql<boolean>`(
  (g.selection_id is null or ${selectionIncludes(sql.ref('g.selection_id'), sql.ref('p.id'))})
  and (g.allows_public_repositories or p.visibility <> 'public'))`;

/**
 * Whether the group `runner_groups g` accepts the run `workflow_runs w` of `repositories p`: any run, or only runs of the
 * workflows that it names, at a ref (in full, or by the name of a branch or a tag) or at a commit. A required workflow is
 * looked up in its own repository.
 */
export const groupTakesWorkflow = sql<boolean>`(not g.restricted_to_workflows or exists (
  select from repositories f join accounts o on o.id = f.owner_id, unnest(g.selected_workflows) as named(workflow),
    coalesce(w.workflow_path, w.path) as file(path)
  where f.id = case when w.workflow_path is null then p.id else w.workflow_repository_id end
    and lower(left(named.workflow, length(o.login) + length(f.name) + 2)) = lower(o.login || '/' || f.name || '/')
    and substr(named.workflow, length(o.login) + length(f.name) + 3)
      in (file.path || '@' || coalesce(w.workflow_ref, w.ref),
        file.path || '@' || regexp_replace(coalesce(w.workflow_ref, w.ref), '^refs/(heads|tags)/', ''),
        file.path || '@' || coalesce(w.workflow_sha, w.sha))))`;

/**
 * Whether the runner `runners r` in the group `g`, if any, may take jobs of `repositories p`: the repository owns the runner, or
 * may use its group.
 */
export const servesRepository = sql<boolean>`(
  r.repository_id = p.id and ${ownRunnersAllowed} or r.organization_id = p.owner_id and ${groupIncludes})`;

/** Whether a repository may have self-hosted runners of its own. */
export const mayHaveRunners = async (db: Db, repository: Id<'repositories'>): Promise<boolean> =>
  (await db.selectFrom('repositories as p').select('p.id').where('p.id', '=', repository).where(ownRunnersAllowed).execute())
    .length > 0;
