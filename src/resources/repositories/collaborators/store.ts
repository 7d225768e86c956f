import { type RawBuilder, sql } from 'kysely';
import { type Role, roleLevel } from '#access/roles.ts';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { CollaboratorRow } from '#resources/identity/members/index.ts';
import { keepVisible, type TeamRow, type TeamVisibility } from '#resources/identity/teams/index.ts';

type RepositoryKey = Pick<RepositoryRow, 'id' | 'owner_id'>;

/**
 * The roles that the viewer sees: everybody's, or for an outsider only roles that don't come from concealed memberships or teams.
 */
export type RoleVisibility = 'everybody' | 'outsider';

type RoleHolder = { user_id: Id<'accounts'>; level: number; direct: boolean; inside: boolean };

/**
 * The users with a role in a repository, from every source (the view `repository_roles`). `direct`: the user has the role
 * directly (owning counts). `inside`: the user is the owner or a member.
 */
function rolesIn({ id, owner_id }: RepositoryKey, visibility: RoleVisibility): RawBuilder<RoleHolder> {
  const visible =
    visibility === 'everybody'
      ? sql`true`
      : sql`(role.source in ('owner', 'collaborator') or role.source = 'membership' and exists (select from memberships m
          where m.organization_id = ${owner_id} and m.user_id = role.account_id and m.public))`;
  return sql<RoleHolder>`(
    select role.account_id as user_id, max(role.level) as level, bool_or(role.source in ('owner', 'collaborator')) as direct,
      bool_or(role.source in ('owner', 'membership')) as inside
    from repository_roles role where role.repository_id = ${id} and ${visible}
    group by role.account_id)`;
}

type Affiliation = 'all' | 'direct' | 'outside';
export type AccountWithLevel = Account & { level: number };

type CollaboratorQuery = { visibility: RoleVisibility; affiliation: Affiliation; role: Role | undefined; page: Page };

/** The users who have a role in a repository, or at least the given role. */
export function listCollaborators(
  db: Db,
  repo: RepositoryKey,
  { visibility, affiliation, role, page }: CollaboratorQuery,
): Promise<Listed<AccountWithLevel>> {
  let query = db
    .selectFrom(rolesIn(repo, visibility).as('held'))
    .innerJoin('accounts', 'accounts.id', 'held.user_id')
    .selectAll('accounts')
    .select('held.level')
    .where('held.level', '>=', Math.max(1, roleLevel(role)))
    .orderBy('accounts.id');
  if (affiliation !== 'all') query = query.where('held.direct', '=', true);
  if (affiliation === 'outside') query = query.where('held.inside', '=', false);
  return list(db, query, page);
}

/** A user's role level (0 to 5) in a repository, without the access that all users have because of its visibility. */
export async function findRoleLevel(
  db: Db,
  repo: RepositoryKey,
  user: Id<'accounts'>,
  visibility: RoleVisibility,
): Promise<number> {
  const found = await db
    .selectFrom(rolesIn(repo, visibility).as('held'))
    .select('held.level')
    .where('held.user_id', '=', user)
    .executeTakeFirst();
  return found?.level ?? 0;
}

export const findCollaborator = (
  db: Db,
  repository: Id<'repositories'>,
  user: Id<'accounts'>,
): Promise<CollaboratorRow | undefined> =>
  db
    .selectFrom('collaborators')
    .selectAll()
    .where('repository_id', '=', repository)
    .where('user_id', '=', user)
    .executeTakeFirst();

/** Users with a direct role in an organization's repositories who aren't members. */
export const listOutsideCollaborators = (db: Db, organization: Id<'accounts'>, page: Page): Promise<Listed<Account>> =>
  list(
    db,
    db
      .selectFrom('accounts')
      .selectAll()
      .where(
        sql<boolean>`accounts.id in (select c.user_id from repositories r join collaborators c on c.repository_id = r.id
          where r.owner_id = ${organization})`,
      )
      .where(
        sql<boolean>`not exists (select from memberships m
          where m.organization_id = ${organization} and m.user_id = accounts.id)`,
      )
      .orderBy('accounts.id'),
    page,
  );

/**
 * The teams that have a role in a repository. For a public one, teams that only inherit it are excluded, as in the public API.
 */
export function listTeamsOf(
  db: Db,
  repo: RepositoryKey & Pick<RepositoryRow, 'visibility'>,
  visibility: TeamVisibility,
  page: Page,
): Promise<Listed<TeamRow & { level: number }>> {
  const source = repo.visibility === 'public' ? sql`tr.team_id = teams.id` : sql`tr.team_id = any (teams.ancestors)`;
  const query = db
    .selectFrom('teams')
    .selectAll('teams')
    .select(
      sql<number>`(select max(role_level(tr.role)) from team_repositories tr
        where tr.repository_id = ${repo.id} and tr.team_id = any (teams.ancestors))`.as('level'),
    )
    .where('teams.organization_id', '=', repo.owner_id)
    .where(sql<boolean>`exists (select from team_repositories tr where tr.repository_id = ${repo.id} and ${source})`)
    .orderBy('teams.id');
  return list(db, keepVisible(query, visibility), page);
}
