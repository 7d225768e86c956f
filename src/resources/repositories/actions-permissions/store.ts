import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import { type SelectionMode, selectionIncludes, selectionMode } from '#resources/repositories/repository-selections/index.ts';

type OrganizationTable = DB['actions_organization_settings'];
type RepositoryTable = DB['actions_repository_settings'];

type OrganizationColumns = Omit<Insertable<OrganizationTable>, 'organization_id'>;
type RepositoryColumns = Omit<Insertable<RepositoryTable>, 'repository_id'>;

/** An organization's settings, and the modes of its selections; null if it never set one. */
type OrganizationRow = Selectable<OrganizationTable> & {
  readonly enabled_mode: SelectionMode | null;
  readonly runners_mode: SelectionMode | null;
};

/** An organization's settings; undefined if it never set any. */
export const findOrganizationRow = (db: Db, organization: Id<'accounts'>): Promise<OrganizationRow | undefined> =>
  db
    .selectFrom('actions_organization_settings as s')
    .selectAll('s')
    .select([
      selectionMode(sql.ref('s.enabled_selection_id')).as('enabled_mode'),
      selectionMode(sql.ref('s.runners_selection_id')).as('runners_mode'),
    ])
    .where('s.organization_id', '=', organization)
    .executeTakeFirst();

/** The owner of a repository, with its settings if it is an organization. */
export const findOwnerRow = (db: Db, { id, owner_id }: { readonly id: Id<'repositories'>; readonly owner_id: Id<'accounts'> }) =>
  db
    .selectFrom('accounts as a')
    .leftJoin('actions_organization_settings as s', 's.organization_id', 'a.id')
    .selectAll('s')
    .select([
      'a.login',
      'a.kind',
      // As in the public API, nothing runs in private forks, since people outside of the organization may write to them.
      sql<boolean>`(${holds(sql.ref('s.enabled_selection_id'), id)} and not exists (
        select from repositories r where r.id = ${id} and r.is_private_fork))`.as('is_enabled'),
      holds(sql.ref('s.runners_selection_id'), id).as('has_runners'),
    ])
    .where('a.id', '=', owner_id)
    .executeTakeFirst();

/** Whether a setting applies to a repository. It does if it was never set. */
const holds = (selection: ReturnType<typeof sql.ref>, repository: Id<'repositories'>) =>
  sql<boolean>`(${selection} is null or ${selectionIncludes(selection, repository)})`;

/** Whether a row of `repositories p` may have its own self-hosted runners. */
export const ownRunnersAllowed = sql<boolean>`not exists (
  select from actions_organization_settings settings
  where settings.organization_id = p.owner_id and settings.runners_selection_id is not null
    and not ${selectionIncludes(sql.ref('settings.runners_selection_id'), sql.ref('p.id'))})`;

/** The given repositories that share their workflows and actions with other repositories of their owners. */
export async function listSharing(db: Db, repositories: readonly Id<'repositories'>[]): Promise<Id<'repositories'>[]> {
  if (repositories.length === 0) return [];
  const rows = await db
    .selectFrom('actions_repository_settings as s')
    .innerJoin('repositories as r', 'r.id', 's.repository_id')
    .innerJoin('accounts as o', 'o.id', 'r.owner_id')
    .select('s.repository_id')
    .where('s.repository_id', 'in', repositories)
    .whereRef('s.access_level', '=', 'o.kind')
    .execute();
  return rows.map(({ repository_id }) => repository_id);
}

/** A repository's settings; undefined if it never set any. */
export const findRepositoryRow = (db: Db, repository: Id<'repositories'>): Promise<Selectable<RepositoryTable> | undefined> =>
  db.selectFrom('actions_repository_settings').selectAll().where('repository_id', '=', repository).executeTakeFirst();

/** Sets columns of an organization's settings, at least one. */
export const putOrganizationColumns = (tx: Tx, organization_id: Id<'accounts'>, columns: OrganizationColumns) =>
  tx
    .insertInto('actions_organization_settings')
    .values({ organization_id, ...columns })
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(columns))
    .execute();

/** Sets columns of a repository's settings, at least one. */
export const putRepositoryColumns = (tx: Tx, repository_id: Id<'repositories'>, columns: RepositoryColumns) =>
  tx
    .insertInto('actions_repository_settings')
    .values({ repository_id, ...columns })
    .onConflict((conflict) => conflict.column('repository_id').doUpdateSet(columns))
    .execute();
