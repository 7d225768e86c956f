import { type RawBuilder, sql } from 'kysely';
import type { Id } from '#lib/id.ts';
import {
  levelsHolding,
  type OrganizationPermission,
  type Permission,
  parsePermission,
  type RepositoryPermission,
} from './permissions.ts';
import { expandScopes } from './scopes.ts';
import type { Grant, Viewer } from './viewer.ts';

/** SQL conditions about access to repositories. The query around them must name the table `repositories` `r`. */

/**
 * The level, 0 (no role) to 5 (admin), of an account's highest role in the repository `r` (from the view `repository_roles`). The
 * account may be a column.
 */
export const roleLevelOf = (accountId: number | RawBuilder<unknown> | undefined): RawBuilder<number> =>
  accountId === undefined
    ? sql<number>`(case when r.visibility = 'public' then 1 else 0 end)`
    : sql<number>`greatest(
        case r.visibility when 'public' then 1 when 'internal' then 1 else 0 end,
        (select max(role.level) from repository_roles role
          where role.repository_id = r.id and role.account_id = ${accountId}))`;

/** Whether an account is a security manager of the organization with the id in `organization`. The account may be a column. */
export const managesSecurity = (
  organization: RawBuilder<unknown>,
  account: number | RawBuilder<unknown> | undefined,
): RawBuilder<boolean> =>
  account === undefined
    ? sql<boolean>`false`
    : sql<boolean>`exists (select from security_managers manager
        where manager.organization_id = ${organization} and manager.user_id = ${account})`;

/** Whether an account is a security manager of the owner of the repository `r`. Private forks of advisories have none. */
export const managesSecurityIn = (account: number | RawBuilder<unknown> | undefined): RawBuilder<boolean> =>
  sql<boolean>`(not r.is_private_fork and ${managesSecurity(sql`r.owner_id`, account)})`;

/**
 * What a list covers: one repository, or an owner's repositories that the viewer's credential reaches, without private forks that
 * the viewer doesn't see.
 */
export type RepositoriesCovered =
  | { readonly repository: Id<'repositories'> }
  | { readonly owner: Id<'accounts'>; readonly viewer: Viewer };

/** The condition that a row `a` of the repository `r` is in such a list. */
export const isCovered = (of: RepositoriesCovered): RawBuilder<boolean> =>
  'repository' in of
    ? sql<boolean>`a.repository_id = ${of.repository}`
    : sql<boolean>`(r.owner_id = ${of.owner} and ${reachedBy(of.viewer.grant)}
        and ${isNotHidden(of.viewer)})`;

/** Whether the credential reaches the repository `r`, apart from its being public. */
export function reachedBy(grant: Grant): RawBuilder<boolean> {
  switch (grant.kind) {
    case 'none':
    case 'app_jwt':
    case 'client':
      return sql<boolean>`false`;
    case 'classic_pat':
    case 'oauth_app':
    case 'ssh_key':
    case 'session':
      return expandScopes(grant.scopes).has('repo') ? sql<boolean>`true` : sql<boolean>`r.visibility = 'public'`;
    case 'fine_grained_pat':
      if (grant.ownerId === undefined || grant.selection === 'public') return sql<boolean>`false`;
      if (grant.selection === 'all') return sql<boolean>`r.owner_id = ${grant.ownerId}`;
      return sql<boolean>`(r.owner_id = ${grant.ownerId} and ${inToken(grant.tokenId)})`;
    case 'deploy_key':
      return sql<boolean>`r.id = ${grant.repositoryId}`;
    case 'app_user':
      return sql<boolean>`exists (select from installations i
        where i.app_id = ${grant.appId} and i.account_id = r.owner_id and i.suspended_at is null and not r.is_private_fork
          and (i.repository_selection = 'all' or exists (select from installation_repositories ir
            where ir.installation_id = i.id and ir.repository_id = r.id)))`;
    case 'installation': {
      // As in the public API, apps don't reach private forks.
      const owned = sql<boolean>`(r.owner_id = ${grant.ownerId} and not r.is_private_fork)`;
      if (grant.selection === 'all') return owned;
      const installed = sql<boolean>`exists (select from installations i left join installation_repositories ir
          on ir.installation_id = i.id and ir.repository_id = r.id
        where i.id = ${grant.installationId} and (i.repository_selection = 'all' or ir.repository_id is not null))`;
      if (grant.selection === 'installation') return sql<boolean>`(${owned} and ${installed})`;
      return sql<boolean>`(${owned} and ${installed} and ${inToken(grant.tokenId)})`;
    }
  }
}

/**
 * Whether the credential reaches the organization with the id in `column` and has the permission `name` there. Lists over many
 * organizations use it, since `authorize` decides about one.
 */
export function organizationReachedBy(
  grant: Grant,
  column: RawBuilder<unknown>,
  name: OrganizationPermission,
): RawBuilder<boolean> {
  if (grant.kind === 'app_user') return sql<boolean>`jsonb_exists(${installedPermissions(grant.appId, column)}, ${name})`;
  if ('permissions' in grant && grant.permissions[name] === undefined) return sql<boolean>`false`;
  return organizationKnownTo(grant, column);
}

/** Whether the credential may see its holder's membership in the organization with the id in `column`. */
export function organizationKnownTo(grant: Grant, column: RawBuilder<unknown>): RawBuilder<boolean> {
  switch (grant.kind) {
    case 'none':
    case 'app_jwt':
    case 'client':
    case 'deploy_key':
      return sql<boolean>`false`;
    case 'classic_pat':
    case 'oauth_app':
    case 'ssh_key':
    case 'session':
      return sql<boolean>`true`;
    case 'fine_grained_pat':
    case 'installation':
      return grant.ownerId === undefined ? sql<boolean>`false` : sql<boolean>`${column} = ${grant.ownerId}`;
    case 'app_user':
      return sql<boolean>`exists (select from installations i
        where i.app_id = ${grant.appId} and i.account_id = ${column} and i.suspended_at is null)`;
  }
}

/** Whether a credential reads only what is public, by its scopes. */
const hasNoScopes = (grant: Grant): boolean =>
  (grant.kind === 'classic_pat' || grant.kind === 'oauth_app') && grant.scopes.length === 0;

/**
 * Whether the viewer is a member of the organization with the id in `column`, and the credential may see that. Such viewers also
 * see concealed memberships.
 */
export function belongsToOrganization(viewer: Viewer, column: RawBuilder<unknown>): RawBuilder<boolean> {
  const known = organizationKnownTo(viewer.grant, column);
  if (viewer.grant.kind === 'installation') return known;
  if (!viewer.account || hasNoScopes(viewer.grant)) return sql<boolean>`false`;
  return sql<boolean>`(${known} and exists (select from memberships own
    where own.organization_id = ${column} and own.user_id = ${viewer.account.id}))`;
}

/**
 * Whether the viewer may see the team of the table `team`. Apps and owners of its organization see all teams. Other members see
 * closed teams and their own.
 */
export const teamVisibleTo = ({ account, grant }: Viewer, team: 'teams' | 't'): RawBuilder<boolean> =>
  grant.kind === 'installation'
    ? organizationKnownTo(grant, sql.ref(`${team}.organization_id`))
    : sql<boolean>`exists (select from memberships m
        where m.organization_id = ${sql.ref(`${team}.organization_id`)} and m.user_id = ${account?.id ?? null}
          and (m.role = 'owner' or ${sql.ref(`${team}.privacy`)} = 'closed'
            or exists (select from team_members tm where tm.team_id = ${sql.ref(`${team}.id`)} and tm.user_id = m.user_id)))`;

const inToken = (tokenId: number | undefined): RawBuilder<boolean> =>
  sql<boolean>`exists (select from token_repositories k where k.token_id = ${tokenId ?? null} and k.repository_id = r.id)`;

/** The permission set of an app's installation on the account in the column `owner`, or an empty object. */
export const installedPermissions = (appId: number, owner: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`coalesce((select i.permissions from installations i
    where i.app_id = ${appId} and i.account_id = ${owner} and i.suspended_at is null), '{}'::jsonb)`;

/** Whether the permission set in a column includes a permission. */
export const permissionIn = (set: RawBuilder<unknown>, permission: Permission): RawBuilder<boolean> =>
  sql<boolean>`${set} ->> ${parsePermission(permission).name} = any (${[...levelsHolding(permission)]})`;

/**
 * Whether a viewer may read the repository `r`. The viewer's roles are looked up once for a whole list or search. There are few,
 * since most roles come from the owner, which is compared directly. `permissions` are needed besides `metadata:read` for the
 * caller's data. Without them, a credential with a permission set gets public repositories only.
 */
export function readableBy(viewer: Viewer, ...permissions: readonly RepositoryPermission[]): RawBuilder<boolean> {
  const { grant } = viewer;
  const open = sql<boolean>`r.visibility = 'public'`;
  if (grant.kind === 'none' || grant.kind === 'app_jwt' || grant.kind === 'client') return open;
  const reached = sql.join([reachedBy(grant), ...permissions.map((permission) => grantedIn(grant, permission))], sql` and `);
  if (grant.kind === 'installation') return sql<boolean>`(${open} or (${reached}))`;
  return sql<boolean>`(${open} or (${affiliatedWith(viewer.account?.id ?? 0)} and ${reached}))`;
}

/**
 * The ids of the repositories that a viewer may read, as a subquery for `in`. For a few repositories, PostgreSQL reads only
 * those.
 */
export const readableRepositoryIds = (viewer: Viewer, ...permissions: readonly RepositoryPermission[]): RawBuilder<number> =>
  sql<number>`(select r.id from repositories r where ${readableBy(viewer, ...permissions)})`;

/**
 * Whether the credential, which reaches the repository `r`, may read data there that needs this permission. Everybody may read
 * public data.
 */
export const mayReadIn = ({ grant }: Viewer, permission: RepositoryPermission): RawBuilder<boolean> =>
  sql<boolean>`(r.visibility = 'public' or ${grantedIn(grant, permission)})`;

/** Whether the credential has this permission in the repository `r`. Credentials without a permission set pass. */
function grantedIn(grant: Grant, permission: RepositoryPermission): RawBuilder<boolean> {
  if (grant.kind === 'app_user')
    return sql<boolean>`jsonb_exists(${installedPermissions(grant.appId, sql`r.owner_id`)}, ${permission})`;
  return 'permissions' in grant && grant.permissions[permission] === undefined ? sql<boolean>`false` : sql<boolean>`true`;
}

/** The owners that give an account a role in all of their repositories. */
const ownersOf = (accountId: number) =>
  sql`select o.owner_id from owner_roles o where o.account_id = ${accountId} and o.level > 0`;
/** The repositories that give an account a role of its own. */
const directlyOf = (accountId: number) =>
  sql`select d.repository_id from direct_roles d where d.account_id = ${accountId} and d.level > 0`;

/**
 * The private forks that an account doesn't see. They are few, and have an index of their own. Checking each repository would
 * double the time.
 */
const hiddenFrom = (accountId: number) => sql`select hidden_private_forks(${accountId})`;

/** Whether the repository `r` is none of the private forks that a viewer doesn't see. */
export const isNotHidden = ({ account }: Viewer): RawBuilder<boolean> =>
  sql<boolean>`r.id not in (${hiddenFrom(account?.id ?? 0)})`;

/** Whether the repository `r` is internal, or an account has a role of its own there. Public repositories don't count. */
const affiliatedWith = (accountId: number): RawBuilder<boolean> =>
  sql<boolean>`((r.visibility = 'internal' or r.owner_id in (${ownersOf(accountId)}) or r.id in (${directlyOf(accountId)}))
    and r.id not in (${hiddenFrom(accountId)}))`;

/** Like the condition above, for a list of an account's affiliations. It uses indexes and doesn't read other repositories. */
export const isAffiliated = (accountId: number): RawBuilder<boolean> =>
  sql<boolean>`((r.visibility = 'internal' or r.owner_id = any (array(${ownersOf(accountId)}))
    or r.id = any (array(${directlyOf(accountId)}))) and r.id not in (${hiddenFrom(accountId)}))`;

/**
 * Whether the account in `column` may read a repository. Everybody may read one that isn't private. It is meant for many accounts
 * and one repository, whose roles are looked up once.
 */
export const readersOf = (
  { id, visibility }: { readonly id: number; readonly visibility: string },
  column: RawBuilder<unknown>,
): RawBuilder<boolean> =>
  visibility === 'private'
    ? sql<boolean>`${column} in (
        select role.account_id from repository_roles role where role.repository_id = ${id} and role.level > 0)`
    : sql<boolean>`true`;

/**
 * Whether an account may read the repository `r`, regardless of a credential: for accounts that didn't send the request, and for
 * scopes that also work in private repositories.
 */
export const readableByAccount = (accountId: number): RawBuilder<boolean> =>
  sql<boolean>`(r.visibility = 'public' or ${affiliatedWith(accountId)})`;

/** The ids of an account's teams in an organization and of their parent teams, as an array. */
export const teamsOf = (account: number | RawBuilder<unknown>, organization: number): RawBuilder<number[]> =>
  sql<number[]>`array(select distinct unnest(t.ancestors) from team_members tm join teams t on t.id = tm.team_id
    where tm.user_id = ${account} and t.organization_id = ${organization})`;
