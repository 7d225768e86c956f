import { type Insertable, type Selectable, type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import type { Role } from '#access/roles.ts';
import { organizationKnownTo, organizationReachedBy, reachedBy, roleLevelOf, teamVisibleTo } from '#access/sql.ts';
import type { Account, SignedIn, Viewer } from '#access/viewer.ts';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { keyed, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { RoleInRepository, TeamMemberRole } from '#resources/identity/members/index.ts';

export type TeamRow = Selectable<DB['teams']>;

const selectTeam = (db: Db, organization: OrSql<Id<'accounts'>>, slug: string) =>
  db
    .selectFrom('teams')
    .selectAll()
    .where('organization_id', '=', organization)
    .where(sql<boolean>`lower(slug) = lower(${slug})`);

/** A team by its slug, or by its id, if the viewer may see it. */
export function selectVisibleTeam(
  db: Db,
  viewer: Viewer,
  organization: OrSql<Id<'accounts'>>,
  named: { slug: string } | { id: Id<'teams'> },
) {
  const query =
    'slug' in named
      ? selectTeam(db, organization, named.slug)
      : db.selectFrom('teams').selectAll().where('organization_id', '=', organization).where('id', '=', named.id);
  return query.where(teamVisibleTo(viewer, 'teams'));
}

export const findTeam = (db: Db, organization: Id<'accounts'>, slug: string): Promise<TeamRow | undefined> =>
  selectTeam(db, organization, slug).executeTakeFirst();

/** Reads the team again and locks its row; undefined if it was deleted. */
export const findTeamForUpdate = (tx: Tx, { id }: Pick<TeamRow, 'id'>): Promise<TeamRow | undefined> =>
  tx.selectFrom('teams').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

export const findTeamById = (db: Db, organization: Id<'accounts'>, id: Id<'teams'>): Promise<TeamRow | undefined> =>
  db.selectFrom('teams').selectAll().where('organization_id', '=', organization).where('id', '=', id).executeTakeFirst();

/** The teams of the viewer in organizations that the credential reaches. */
export const listOwnTeams = (db: Db, { account, grant }: SignedIn, page: Page): Promise<Listed<TeamRow>> =>
  list(
    db,
    db
      .selectFrom('teams')
      .innerJoin('team_members', 'team_members.team_id', 'teams.id')
      .selectAll('teams')
      .where('team_members.user_id', '=', account.id)
      .where(organizationReachedBy(grant, sql.ref('teams.organization_id'), 'members'))
      .orderBy('teams.id'),
    page,
  );

/** The teams of an organization that a viewer may see. `below` limits them to the direct children of a team. */
export function listTeams(
  db: Db,
  { organization, viewer, below }: { organization: Id<'accounts'>; viewer: Viewer; below?: Id<'teams'> },
  page: Page,
): Promise<Listed<TeamRow>> {
  const query = db
    .selectFrom('teams')
    .selectAll()
    .where('organization_id', '=', organization)
    .where(teamVisibleTo(viewer, 'teams'))
    .orderBy('id');
  return list(db, below === undefined ? query : query.where('parent_id', '=', below), page);
}

/** The teams of an organization that a viewer may see. `member`: the closed teams, and this user's teams. */
export type TeamVisibility = 'all' | 'none' | { member: Id<'accounts'> };

type TeamQuery<Row> = SelectQueryBuilder<DB, 'teams', Row>;

/** Limits a query of `teams` to teams that the viewer may see. */
export function keepVisible<Row>(query: TeamQuery<Row>, visibility: TeamVisibility): TeamQuery<Row> {
  if (visibility === 'all') return query;
  if (visibility === 'none') return query.where(sql<boolean>`false`);
  return query.where((eb) =>
    eb.or([
      eb('teams.privacy', '=', 'closed'),
      sql<boolean>`exists (select from team_members m where m.team_id = teams.id and m.user_id = ${visibility.member})`,
    ]),
  );
}

/** A team by its organization's login and its slug. */
export type TeamName = { readonly org: string; readonly team: string };

/** The given teams, named in lower case, that exist and that the viewer may see, in one statement. */
export async function findVisibleTeams(db: Db, viewer: Viewer, wanted: readonly TeamName[]): Promise<TeamName[]> {
  if (wanted.length === 0) return [];
  const { rows } = await sql<TeamName>`
    select o.login as org, t.slug as team
    from unnest(${wanted.map(({ org }) => org)}::text[], ${wanted.map(({ team }) => team)}::text[]) as w (org, team)
    join accounts o on lower(o.login) = w.org join teams t on t.organization_id = o.id and lower(t.slug) = w.team
    where ${organizationReachedBy(viewer.grant, sql`o.id`, 'members')} and ${teamVisibleTo(viewer, 't')}`.execute(db);
  return rows;
}

export async function loadTeams(db: Db, ids: Iterable<Id<'teams'> | null>): Promise<Map<Id<'teams'>, TeamRow>> {
  const wanted = unique(ids);
  if (wanted.length === 0) return new Map();
  return keyed(await db.selectFrom('teams').selectAll().where('id', 'in', wanted).execute(), (team) => team.id);
}

/** Teams by their ids, if the viewer may see them. */
export const loadVisibleTeams = async (db: Db, viewer: Viewer, ids: readonly Id<'teams'>[]): Promise<TeamRow[]> =>
  ids.length === 0
    ? []
    : db
        .selectFrom('teams')
        .selectAll()
        .where('id', 'in', [...ids])
        .where(organizationKnownTo(viewer.grant, sql.ref('teams.organization_id')))
        .where(teamVisibleTo(viewer, 'teams'))
        .execute();

/** The teams of an organization after a given one, ordered by id. */
export const listTeamsAfter = (db: Db, organization: Id<'accounts'>, after: Id<'teams'>, limit: number): Promise<TeamRow[]> =>
  db
    .selectFrom('teams')
    .selectAll()
    .where('organization_id', '=', organization)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

export type TeamMember = Pick<Selectable<DB['team_members']>, 'team_id' | 'user_id' | 'role'>;

/** The members of teams, without members of child teams. */
export const loadTeamMembers = async (db: Db, ids: readonly Id<'teams'>[]): Promise<TeamMember[]> =>
  ids.length === 0
    ? []
    : db
        .selectFrom('team_members')
        .select(['team_id', 'user_id', 'role'])
        .where('team_id', 'in', [...ids])
        .orderBy('team_id')
        .orderBy('user_id')
        .execute();

/** A user's role in a team itself, without its child teams. */
export const findTeamRoleOf = async (db: Db, team: Id<'teams'>, user: Id<'accounts'>): Promise<TeamMemberRole | undefined> =>
  (await db.selectFrom('team_members').select('role').where('team_id', '=', team).where('user_id', '=', user).executeTakeFirst())
    ?.role;

/** The ids of the members of a team or its child teams. */
const peopleOf = (team: Id<'teams'>) => sql`
  select tm.user_id from teams below join team_members tm on tm.team_id = below.id
  where below.ancestors @> array[${team}]::bigint[]`;

/** A member's role in a team: organization owners maintain every team that they are in, and people in child teams are members. */
const roleIn = (team: Id<'teams'>) => sql<TeamMemberRole>`case when m.role = 'owner' then 'maintainer' else coalesce(
  (select own.role from team_members own where own.team_id = ${team} and own.user_id = m.user_id), 'member') end`;

/** The members of a team or its child teams. */
export function listPeople(
  db: Db,
  team: Pick<TeamRow, 'id' | 'organization_id'>,
  role: TeamMemberRole | undefined,
  page: Page,
): Promise<Listed<Account>> {
  const query = db
    .selectFrom('accounts')
    .innerJoin('memberships as m', 'm.user_id', 'accounts.id')
    .selectAll('accounts')
    .where('m.organization_id', '=', team.organization_id)
    .where(sql<boolean>`m.user_id in (${peopleOf(team.id)})`)
    .orderBy('accounts.id');
  return list(db, role === undefined ? query : query.where(roleIn(team.id), '=', role), page);
}

export type TeamMembership = { role: TeamMemberRole; state: 'active' | 'pending' };

/** A user's role in a team, current or after accepting an invitation. */
export async function findTeamMembership(
  db: Db,
  { id, organization_id }: Pick<TeamRow, 'id' | 'organization_id'>,
  user: Id<'accounts'>,
): Promise<TeamMembership | undefined> {
  const { rows } = await sql<TeamMembership>`
    select ${roleIn(id)} as role, 'active' as state from memberships m
      where m.organization_id = ${organization_id} and m.user_id = ${user}
        and exists (select from team_members tm join teams below on below.id = tm.team_id
          where tm.user_id = m.user_id and ${id} = any (below.ancestors))
    union all
    select t.role, 'pending' from team_invitations t join organization_invitations i on i.id = t.invitation_id
      where t.team_id = ${id} and i.invitee_id = ${user} and i.failed_at is null`.execute(db);
  return rows[0];
}

/** The teams that people join when they accept an invitation. */
export const listTeamsOfInvitation = (db: Db, invitation: Id<'organization_invitations'>, page: Page): Promise<Listed<TeamRow>> =>
  list(
    db,
    db
      .selectFrom('teams')
      .selectAll()
      .where(sql<boolean>`id in (select t.team_id from team_invitations t where t.invitation_id = ${invitation})`)
      .orderBy('id'),
    page,
  );

/** A repository to give to a team, with the level of the viewer's role in it. */
export type WantedRepository = { id: Id<'repositories'>; name: string; owner_id: Id<'accounts'>; level: number };

/** An organization's repositories with these names, in lower case, that the viewer's credential reaches. */
export async function loadWantedRepositories(
  db: Db,
  viewer: SignedIn,
  organization: Id<'accounts'>,
  names: readonly string[],
): Promise<WantedRepository[]> {
  if (names.length === 0) return [];
  const { rows } = await sql<WantedRepository>`
    select r.id, r.name, r.owner_id, ${roleLevelOf(viewer.account.id)} as level from repositories r
    where r.owner_id = ${organization} and lower(r.name) = any (${[...names]}) and ${reachedBy(viewer.grant)}
    order by r.id`.execute(db);
  return rows;
}

export type TeamRole = Pick<Selectable<DB['team_repositories']>, 'team_id' | 'repository_id' | 'role'>;

/** The roles of teams in the given repositories, without inherited ones. */
export const loadTeamRoles = async (
  db: Db,
  ids: readonly Id<'teams'>[],
  repositories: readonly Id<'repositories'>[],
): Promise<TeamRole[]> =>
  ids.length === 0 || repositories.length === 0
    ? []
    : db
        .selectFrom('team_repositories')
        .select(['team_id', 'repository_id', 'role'])
        .where('team_id', 'in', [...ids])
        .where('repository_id', 'in', [...repositories])
        .orderBy('team_id')
        .orderBy('repository_id')
        .execute();

type TeamCounts = { id: Id<'teams'>; members: number; repositories: number };

/** The number of people in each team or its child teams, and the number of its repositories, including inherited ones. */
export async function loadTeamCounts(db: Db, ids: readonly Id<'teams'>[]): Promise<Map<Id<'teams'>, TeamCounts>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<TeamCounts>`
    select t.id,
      (select count(distinct m.user_id) from teams below join team_members m on m.team_id = below.id
        where below.ancestors @> array[t.id]) as members,
      (select count(distinct tr.repository_id) from team_repositories tr where tr.team_id = any (t.ancestors)) as repositories
    from teams t where t.id = any (${[...ids]})`.execute(db);
  return keyed(rows, (row) => row.id);
}

/** Inserts a team; undefined if its slug is taken. `above` are its parent and the parent's ancestors, nearest first. */
export async function insertTeam(
  tx: Tx,
  row: Omit<Insertable<DB['teams']>, 'ancestors'>,
  above: readonly number[],
): Promise<TeamRow | undefined> {
  const inserted = await tx
    .insertInto('teams')
    .values({ ...row, ancestors: [] })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted && updateTeam(tx, inserted.id, { ancestors: [inserted.id, ...above] });
}

export const updateTeam = (tx: Tx, id: Id<'teams'>, change: Updateable<DB['teams']>): Promise<TeamRow> =>
  tx.updateTable('teams').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** Moves a team, with all teams below it, below other ancestors. */
export const moveTeam = (tx: Tx, team: TeamRow, above: readonly number[]) => {
  const before = team.ancestors.filter((id) => id !== team.id);
  return sql`
    update teams set ancestors =
      array(select a.id from unnest(ancestors) with ordinality as a (id, place)
        where a.id <> all (${before}::bigint[]) order by a.place)
        || ${[...above]}::bigint[]
    where ancestors @> array[${team.id}]::bigint[]`.execute(tx);
};

export const hasTeamsBelow = async (tx: Tx, id: Id<'teams'>): Promise<boolean> =>
  (await tx.selectFrom('teams').select('id').where('parent_id', '=', id).limit(1).executeTakeFirst()) !== undefined;

/** Removes a team with all teams below it. Returns all of them. */
export const removeTeams = (tx: Tx, id: Id<'teams'>): Promise<TeamRow[]> =>
  tx.deleteFrom('teams').where(sql<boolean>`ancestors @> array[${id}]::bigint[]`).returningAll().execute();

/** Removes all teams of an organization. */
export const removeTeamsOf = (tx: Tx, organization: Id<'accounts'>) =>
  tx.deleteFrom('teams').where('organization_id', '=', organization).execute();

/** Gives a team a role in a repository, or changes it. Returns the former role, if any. */
export async function putTeamRole(tx: Tx, row: Insertable<DB['team_repositories']>): Promise<Role | undefined> {
  const { rows } = await sql<{ before: Role | null }>`
    with before as (select role from team_repositories where team_id = ${row.team_id} and repository_id = ${row.repository_id}),
    put as (
      insert into team_repositories (team_id, repository_id, role, created_at)
      values (${row.team_id}, ${row.repository_id}, ${row.role}, ${row.created_at})
      on conflict (team_id, repository_id) do update set role = excluded.role
    )
    select (select role from before) as before`.execute(tx);
  return rows[0]?.before ?? undefined;
}

export const removeTeamRole = async (tx: Tx, team: Id<'teams'>, repository: Id<'repositories'>): Promise<boolean> =>
  (
    await tx
      .deleteFrom('team_repositories')
      .where('team_id', '=', team)
      .where('repository_id', '=', repository)
      .executeTakeFirst()
  ).numDeletedRows > 0n;

/** A user's roles in an organization's repositories through teams, the strongest for each repository. */
export async function listRolesByTeams(db: Db, organization: Id<'accounts'>, user: Id<'accounts'>): Promise<RoleInRepository[]> {
  const { rows } = await sql<RoleInRepository>`
    select distinct on (tr.repository_id) tr.repository_id, tr.role
    from team_members m join teams t on t.id = m.team_id join team_repositories tr on tr.team_id = any (t.ancestors)
    where t.organization_id = ${organization} and m.user_id = ${user}
    order by tr.repository_id, array_position(array['admin', 'maintain', 'write', 'triage', 'read'], tr.role)`.execute(db);
  return rows;
}

/** Removes a repository from all teams. */
export const removeRepositoryFromTeams = (tx: Tx, id: Id<'repositories'>) =>
  tx.deleteFrom('team_repositories').where('repository_id', '=', id).execute();

/**
 * Gives teams of an organization read access to a repository. Teams that already have a role keep it. Returns the teams that got
 * access.
 */
export const giveTeamAccess = async (
  tx: Tx,
  organization: Id<'accounts'>,
  teams: readonly number[],
  repository: Id<'repositories'>,
  now: Date,
) => {
  const { rows } = await sql<{ team_id: Id<'teams'> }>`
    insert into team_repositories (team_id, repository_id, role, created_at)
    select t.id, ${repository}, 'read', ${now} from teams t
    where t.organization_id = ${organization} and t.id = any (${[...teams]})
    on conflict do nothing returning team_id`.execute(tx);
  return rows.map((row) => row.team_id);
};
