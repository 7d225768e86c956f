import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { constantSql } from '#database/constant-sql.ts';
import type { Id } from '#lib/id.ts';
import { revived, type Snapshot } from '#lib/snapshot.ts';
import { type LimitInForce, limitOf } from './interaction-limits.ts';
import type { PermissionSet } from './permissions.ts';
import { rememberRows, versionOf } from './remembered-rows.ts';
import { type OrgRole, roleOfLevel } from './roles.ts';
import { type Columns, column, findRow, type RowQuery } from './row-query.ts';
import {
  installedPermissions,
  managesSecurity,
  managesSecurityIn,
  organizationKnownTo,
  reachedBy,
  roleLevelOf,
  teamVisibleTo,
} from './sql.ts';
import type { Account, Grant, Org, Repo, RepositoryRow, Viewer } from './viewer.ts';

/**
 * Lookups of repositories and organizations, each with the viewer's access. In a larger statement, the column `rootId` holds
 * their id.
 */

type RepositoryJson = { repository: Snapshot<RepositoryRow>; owner: Snapshot<Account> };

/** The number of repositories and of organizations that a process remembers. Their rows take some kilobytes each. */
const maxRemembered = 2_000;

const repositories = rememberRows(maxRemembered, 'root', ({ repository, owner }: RepositoryJson) =>
  Object.freeze({
    ...revived<RepositoryRow>(repository, ['created_at', 'updated_at', 'pushed_at']),
    owner: reviveAccount(owner),
  }),
);
const organizations = rememberRows(maxRemembered, 'root', (account: Snapshot<Account>) => reviveAccount(account));

const repositoryVersion = versionOf('r', 'o');
const repositoryJson = constantSql(sql`jsonb_build_object('repository', to_jsonb(r), 'owner', to_jsonb(o))`);
const organizationVersion = versionOf('a');
const organizationJson = constantSql(sql`to_jsonb(a)`);

const idColumn = column('root', 'id');
/** The id of the organization or repository that another query is joined to. */
export const rootId = constantSql(sql<number>`${sql.id('above', idColumn)}`);
const named = (name: string): RawBuilder<unknown> => constantSql(sql`${sql.id(column('root', name))}`);
const names = {
  id: named('id'),
  level: named('level'),
  manages: named('manages'),
  reached: named('reached'),
  held: named('held'),
  interaction: named('interaction'),
  role: named('role'),
};

/** The time for which limits on interactions are looked up. */
type LimitsAt = { now: Date };

/** A repository by its owner's login and its name, regardless of case. With `limit`, it also reads the limit on interactions. */
export const repoQuery = (db: Db, viewer: Viewer, owner: string, name: string, limit?: LimitsAt): RowQuery<Repo> => {
  const condition = sql`lower(o.login) = lower(${owner}) and lower(r.name) = lower(${name})`;
  return repoQueryWhere(db, viewer, { key: `${owner}/${name}`.toLowerCase(), condition }, limit);
};

export const findRepo = (db: Db, viewer: Viewer, owner: string, name: string): Promise<Repo | undefined> =>
  findRow(db, repoQuery(db, viewer, owner, name));

/** A repository by its id; `limit` as above. */
export const repoByIdQuery = (db: Db, viewer: Viewer, id: number, limit?: LimitsAt): RowQuery<Repo> =>
  repoQueryWhere(db, viewer, { key: `${id}`, condition: sql`r.id = ${id}` }, limit);

export const findRepoById = (db: Db, viewer: Viewer, id: number): Promise<Repo | undefined> =>
  findRow(db, repoByIdQuery(db, viewer, id));

function repoQueryWhere(
  db: Db,
  viewer: Viewer,
  { key, condition }: { key: string; condition: RawBuilder<unknown> },
  limit?: LimitsAt,
): RowQuery<Repo> {
  const { account } = viewer;
  const remembered = repositories(db, key);
  const select = sql`
    select ${remembered.columns(repositoryVersion, repositoryJson)}, r.id as ${names.id},
      ${roleLevelOf(account?.id)} as ${names.level}, ${managesSecurityIn(account?.id)} as ${names.manages},
      ${reachedBy(viewer.grant)} as ${names.reached},
      ${heldIn(viewer.grant, sql`r.owner_id`)} as ${names.held},
      ${limit ? limitOf(limit.now) : sql`null`} as ${names.interaction}
    from repositories r join accounts o on o.id = r.owner_id
    where ${condition}`;
  return {
    select,
    read(columns) {
      const row = remembered.read(columns);
      if (!row) return undefined;
      const { level, manages, reached, held, interaction } = accessIn<RepoAccess>(columns);
      const repo = { ...row, reached, role: roleOfLevel(level), managesSecurity: manages, held: reached ? held : {} };
      if (!limit) return repo;
      return { ...repo, interaction: { inForce: interaction ? revived<LimitInForce>(interaction, ['expiresAt']) : undefined } };
    },
  };
}

/** The repository that formerly had this name, for a redirect. The caller checks whether the viewer may see it. */
export async function findRedirectedRepo(db: Db, viewer: Viewer, owner: string, name: string): Promise<Repo | undefined> {
  const redirect = await db
    .selectFrom('repository_redirects')
    .select('repository_id')
    .where('owner_login', '=', owner.toLowerCase())
    .where('name', '=', name.toLowerCase())
    .executeTakeFirst();
  return redirect && findRepoById(db, viewer, redirect.repository_id);
}

/** An organization by its login. */
export const orgQuery = (db: Db, viewer: Viewer, login: string): RowQuery<Org> =>
  orgQueryWhere(db, viewer, { key: login.toLowerCase(), condition: sql`lower(a.login) = lower(${login})` });

/** An organization by its id. */
export const orgByIdQuery = (db: Db, viewer: Viewer, id: number): RowQuery<Org> =>
  orgQueryWhere(db, viewer, { key: `id/${id}`, condition: sql`a.id = ${id}` });

/** The organization of a team that the viewer may see, by the team's id. A credential that doesn't reach it finds nothing. */
export const orgByTeamQuery = (db: Db, viewer: Viewer, team: number): RowQuery<Org> =>
  orgQueryWhere(db, viewer, {
    key: `team/${team}`,
    condition: sql`${organizationKnownTo(viewer.grant, sql`a.id`)}
      and a.id = (select t.organization_id from teams t where t.id = ${team} and ${teamVisibleTo(viewer, 't')})`,
  });

function orgQueryWhere(
  db: Db,
  viewer: Viewer,
  { key, condition }: { key: string; condition: RawBuilder<unknown> },
): RowQuery<Org> {
  const me = viewer.account?.id ?? null;
  const remembered = organizations(db, key);
  const select = sql`
    select ${remembered.columns(organizationVersion, organizationJson)}, a.id as ${names.id}, m.role as ${names.role},
      ${managesSecurity(sql`a.id`, viewer.account?.id)} as ${names.manages},
      ${heldIn(viewer.grant, sql`a.id`)} as ${names.held},
      ${organizationKnownTo(viewer.grant, sql`a.id`)} as ${names.reached}
    from accounts a left join memberships m on m.organization_id = a.id and m.user_id = ${me}
    where a.kind = 'organization' and ${condition}`;
  return {
    select,
    read(columns) {
      const row = remembered.read(columns);
      if (!row) return undefined;
      const { role, manages, reached, held } = accessIn<OrgAccess>(columns);
      return { ...row, role: role ?? undefined, managesSecurity: manages, reached, held: reached ? held : {} };
    },
  };
}

export const findOrg = (db: Db, viewer: Viewer, login: string): Promise<Org | undefined> =>
  findRow(db, orgQuery(db, viewer, login));

type RepoAccess = {
  level: number;
  manages: boolean;
  reached: boolean;
  held: PermissionSet;
  interaction: Snapshot<LimitInForce> | null;
};
type OrgAccess = { role: OrgRole | null; manages: boolean; reached: boolean; held: PermissionSet };

/** The columns that the queries above select in addition to the row itself. */
const accessIn = <Access extends Record<string, unknown>>(columns: Columns): Access =>
  Object.fromEntries(accessColumns.map(([name, full]) => [name, columns[full]])) as Access;

const accessColumns = ['level', 'manages', 'role', 'reached', 'held', 'interaction'].map(
  (name) => [name, column('root', name)] as const,
);

/** A user or bot by its login. */
export const findUser = (db: Db, login: string): Promise<Account | undefined> =>
  db
    .selectFrom('accounts')
    .selectAll()
    .where(sql<boolean>`lower(login) = lower(${login})`)
    .where('kind', 'in', ['user', 'bot'])
    .executeTakeFirst();

/** A user, an organization or a bot by its login. */
export const findAccount = (db: Db, login: string): Promise<Account | undefined> =>
  db
    .selectFrom('accounts')
    .selectAll()
    .where(sql<boolean>`lower(login) = lower(${login})`)
    .where('kind', '<>', 'deleted')
    .executeTakeFirst();

/** A user, an organization or a bot by its id. */
export const findAccountById = (db: Db, id: number): Promise<Account | undefined> =>
  db.selectFrom('accounts').selectAll().where(sql<boolean>`id = ${id}`).where('kind', '<>', 'deleted').executeTakeFirst();

/** The permissions that a credential holds in an account; empty for classic and OAuth tokens. */
export async function findHeld(db: Db, grant: Grant, owner: Id<'accounts'>): Promise<PermissionSet> {
  const { rows } = await sql<{ held: PermissionSet }>`select ${heldIn(grant, sql`${owner}::bigint`)} as held`.execute(db);
  return rows[0]?.held ?? {};
}

function heldIn(grant: Grant, owner: RawBuilder<unknown>): RawBuilder<unknown> {
  if (grant.kind === 'app_user') return installedPermissions(grant.appId, owner);
  return 'permissions' in grant ? sql`${JSON.stringify(grant.permissions)}::jsonb` : sql`'{}'::jsonb`;
}

/** The account in a row that PostgreSQL returned as JSON, which has times as text. */
export const reviveAccount = (json: Snapshot<Account>): Account =>
  Object.freeze(revived<Account>(json, ['created_at', 'updated_at', 'suspended_at']));

/** Whether an account has a role in a repository. Public read access isn't a role. */
export async function hasRole(db: Db, repository: Id<'repositories'>, account: Id<'accounts'>): Promise<boolean> {
  const { rows } = await sql`select from repository_roles role
    where role.repository_id = ${repository} and role.account_id = ${account} and role.level > 0 limit 1`.execute(db);
  return rows.length > 0;
}

/** The role levels (0 to 5) of one account in many repositories. */
export async function loadRoleLevels(
  db: Db,
  accountId: Id<'accounts'>,
  ids: readonly Id<'repositories'>[],
): Promise<Map<Id<'repositories'>, number>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: Id<'repositories'>; level: number }>`
    select r.id, ${roleLevelOf(accountId)} as level from repositories r where r.id = any (${[...ids]})`.execute(db);
  return new Map(rows.map((row) => [row.id, row.level]));
}
