// Reads of groups of runners, with what they are for. The rows are those of the family runner-groups.
import { type Selectable, sql } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { asId, type Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import { ownRunnersAllowed } from '#resources/repositories/actions-permissions/index.ts';
import { type SelectionMode, selectionIncludes, selectionMode } from '#resources/repositories/repository-selections/index.ts';

/** A group, and for which repositories it is; null if nobody ever said, which are all. */
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

/** A group again, its row locked; undefined when it was deleted. */
export const findGroupForUpdate = (tx: Tx, { id }: Pick<GroupRow, 'id'>): Promise<GroupRow | undefined> =>
  groups(tx).where('g.id', '=', id).forUpdate('g').executeTakeFirst();

/** A page of an organization's groups; with the name of a repository, those that are for it. */
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

/** How many groups an organization has, and whether another one than `own` has this name, in any case. */
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

/** Whether a row of `runner_groups g` is for a row of `repositories p`. */
export const groupIncludes = sql<boolean>`(
  (g.selection_id is null or ${selectionIncludes(sql.ref('g.selection_id'), sql.ref('p.id'))})
  and (g.allows_public_repositories or p.visibility <> 'public'))`;

/**
 * Whether a row of `runner_groups g` takes a row of `workflow_runs w` of `repositories p`: any, or those of workflows that it
 * names, as of a ref (in full, or by the name of a branch or a tag) or of a commit. A required one is of its own repository.
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
 * Whether a row of `runners r` in the group `g`, if any, may take jobs of a row of `repositories p`: its own, or those that its
 * group is for.
 */
export const servesRepository = sql<boolean>`(
  r.repository_id = p.id and ${ownRunnersAllowed} or r.organization_id = p.owner_id and ${groupIncludes})`;

/** Whether a repository may have self-hosted runners of its own. */
export const mayHaveRunners = async (db: Db, repository: Id<'repositories'>): Promise<boolean> =>
  (await db.selectFrom('repositories as p').select('p.id').where('p.id', '=', repository).where(ownRunnersAllowed).execute())
    .length > 0;
