import type { OrganizationAction } from '#access/action.ts';
import { holds } from '#access/permissions.ts';
import { roleLevel } from '#access/roles.ts';
import { isScoped } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { unique } from '#lib/collections.ts';
import { asId } from '#lib/id.ts';
import { forbidden, invalid } from '#lib/refusal.ts';
import { findUsersByLogin } from '#resources/identity/accounts/index.ts';
import { getSettings } from '#resources/identity/organizations/index.ts';
import { changeTeam, createTeam, deleteTeam, setTeamMember, setTeamRole, type TeamSettings } from './rules.ts';
import type { NewTeam, TeamChange } from './schemas.ts';
import { findTeam, findTeamRoleOf, hasTeamsBelow, loadWantedRepositories, type TeamRow, type WantedRepository } from './store.ts';

// What people and apps may do to teams through requests: the rights are checked here, and the rules make the change.

const actorOf = ({ by, now }: OrganizationAction) => ({ by: by.account.id, now });

/** Whether the caller may change everything in an organization: owners may, and apps, whose permission was already checked. */
export const managesAll = ({ org, by }: OrganizationAction): boolean => org.role === 'owner' || by.grant.kind === 'installation';

/** Whether the caller maintains a team. Owners of the organization maintain all teams. */
export const maintains = async (db: Db, action: OrganizationAction, team: Pick<TeamRow, 'id'>): Promise<boolean> =>
  managesAll(action) || (await findTeamRoleOf(db, team.id, action.by.account.id)) === 'maintainer';

export async function checkMaintains(scope: WriteScope, action: OrganizationAction, team: Pick<TeamRow, 'id'>): Promise<void> {
  if (await maintains(scope.tx, action, team)) return;
  throw forbidden('You must be an organization owner or a maintainer of the team to do this.');
}

/** Creates a team with its maintainers and repositories. Members who create a team maintain it. */
export async function createTeamFor(scope: WriteScope, action: OrganizationAction, wanted: NewTeam): Promise<TeamRow> {
  const { org, by } = action;
  if (!managesAll(action) && !(await getSettings(scope.tx, org.id)).members_can_create_teams)
    throw forbidden('Only owners of this organization may create teams.');
  const [maintainers, repositories] = [await findMaintainers(scope, wanted), await findRepositories(scope, action, wanted)];
  const team = await createTeam(scope, { org, wanted: await settingsOf(scope, action, wanted), ...actorOf(action) });
  const creator = by.grant.kind !== 'installation' && !maintainers.some(({ id }) => id === by.account.id) ? [by.account] : [];
  for (const user of [...creator, ...maintainers])
    await setTeamMember(scope, { team, user, role: 'maintainer', field: 'maintainers', ...actorOf(action) });
  for (const repository of repositories)
    await setTeamRole(scope, { team, repository, role: team.repository_role, ...actorOf(action) });
  return team;
}

/** Changes a team. To move it below another team, the caller must maintain that team too. */
export async function changeTeamFor(
  scope: WriteScope,
  action: OrganizationAction,
  team: TeamRow,
  wanted: TeamChange,
): Promise<TeamRow> {
  await checkMaintains(scope, action, team);
  return changeTeam(scope, { team, wanted: await settingsOf(scope, action, wanted, team), ...actorOf(action) });
}

/** Deletes a team with its child teams. Only owners can delete a team with child teams. */
export async function deleteTeamFor(scope: WriteScope, action: OrganizationAction, team: TeamRow): Promise<void> {
  await checkMaintains(scope, action, team);
  if (!managesAll(action) && (await hasTeamsBelow(scope.tx, team.id)))
    throw forbidden('Only owners of this organization may delete a team that has others below it.');
  await deleteTeam(scope, { team, ...actorOf(action) });
}

const repositoryRoles = { pull: 'read', push: 'write', admin: 'admin' } as const;

/** The requested settings, with the parent as an id. Callers who aren't owners must maintain a new parent. */
async function settingsOf<Wanted extends TeamChange>(
  scope: WriteScope,
  action: OrganizationAction,
  wanted: Wanted,
  before?: TeamRow,
): Promise<Wanted & Pick<TeamSettings, 'parent' | 'repository_role'>> {
  const parent = await parentOf(scope, action, wanted);
  const isNew = parent !== undefined && parent !== null && parent !== before?.parent_id;
  if (isNew && !(await maintains(scope.tx, action, { id: parent })))
    throw forbidden('You must be an organization owner or a maintainer of the parent team to do this.');
  return { ...wanted, parent, repository_role: wanted.permission && repositoryRoles[wanted.permission] };
}

async function parentOf(scope: WriteScope, { org }: OrganizationAction, wanted: TeamChange): Promise<TeamSettings['parent']> {
  const { parent_team_id: id, parent_team_slug: slug } = wanted;
  if (id !== undefined) return id === null ? null : asId<'teams'>(id);
  if (slug === undefined || slug === null) return slug;
  const parent = await findTeam(scope.tx, org.id, slug);
  if (parent) return parent.id;
  throw invalid('Team', 'parent_team_slug', 'invalid', 'The parent is not a closed team of this organization');
}

async function findMaintainers(scope: WriteScope, { maintainers = [] }: NewTeam) {
  const wanted = unique(maintainers.map((login) => login.toLowerCase()));
  if (wanted.length === 0) return [];
  const found = await findUsersByLogin(scope.tx, wanted);
  const missing = wanted.find((login) => !found.some((user) => user.login.toLowerCase() === login));
  if (missing === undefined) return found;
  throw invalid('Team', 'maintainers', 'invalid', `${missing} is not a member of this organization`);
}

/** The repositories that a new team gets. The caller administers all of them. */
async function findRepositories(
  scope: WriteScope,
  { org, by }: OrganizationAction,
  { repo_names = [] }: NewTeam,
): Promise<WantedRepository[]> {
  const wanted = unique(repo_names.map((name) => name.toLowerCase().replace(`${org.login.toLowerCase()}/`, '')));
  const found = await loadWantedRepositories(scope.tx, by, org.id, wanted);
  const isApp = by.grant.kind === 'installation';
  const isGranted = isScoped(by.grant) || holds(org.held, 'administration:write');
  const administered = found.filter(({ level }) => isGranted && (isApp || level >= roleLevel('admin')));
  const missing = wanted.find((name) => !administered.some((repository) => repository.name.toLowerCase() === name));
  if (missing === undefined) return administered;
  throw invalid('Team', 'repo_names', 'invalid', `${missing} is not a repository of this organization that you administer`);
}
