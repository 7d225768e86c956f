import type { Role } from '#access/roles.ts';
import type { Account, Org, RepositoryRow, SignedIn } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record, recordEach } from '#events/record.ts';
import { defined, formerOf } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { invalid, notFound } from '#lib/refusal.ts';
import { snapshotOf } from '#lib/snapshot.ts';
import {
  findMembershipForUpdate,
  lockOrganization,
  putTeamMember,
  removeTeamMember,
  type TeamMemberRole,
} from '#resources/identity/members/index.ts';
import { slugOf } from './slug.ts';
import {
  findTeam,
  findTeamById,
  findTeamForUpdate,
  hasTeamsBelow,
  insertTeam,
  moveTeam,
  putTeamRole,
  removeTeamRole,
  removeTeams,
  type TeamRow,
  type TeamVisibility,
  updateTeam,
} from './store.ts';

/** The author and the time of a change. `by` is undefined for an operator at the command line. */
type Actor = { by: Id<'accounts'> | undefined; now: Date };

const eventOf = (team: TeamRow, { by, now }: Actor) => ({ owner: team.organization_id, actor: by, at: now }) as const;

/** The teams that a viewer may see: owners and installed apps see all, other members see closed teams and their own. */
export function teamVisibility(org: Org, viewer: SignedIn): TeamVisibility {
  if (viewer.grant.kind === 'installation') return org.reached ? 'all' : 'none';
  if (org.role === undefined) return 'none';
  return org.role === 'owner' ? 'all' : { member: viewer.account.id };
}

/**
 * Locks the team's organization and row, and reads the team again, so that changes to the hierarchy and the members of its teams
 * run one after the other. Undefined if the team was deleted.
 */
export async function lockTeam(tx: Tx, team: Pick<TeamRow, 'id' | 'organization_id'>): Promise<TeamRow | undefined> {
  await lockOrganization(tx, team.organization_id);
  return findTeamForUpdate(tx, team);
}

export type TeamSettings = {
  name: string;
  description?: string | null | undefined;
  privacy?: TeamRow['privacy'] | undefined;
  notification_setting?: TeamRow['notification_setting'] | undefined;
  /** Its role in a repository if the request names none. */
  repository_role?: TeamRow['repository_role'] | undefined;
  /** The id of its parent team. */
  parent?: Id<'teams'> | null | undefined;
};

type NewTeam = Actor & { org: Account; wanted: TeamSettings };

const nameTaken = () => invalid('Team', 'name', 'already_exists', 'Name must be unique for this org');

function slugFor(name: string): string {
  const slug = slugOf(name);
  if (slug === '') throw invalid('Team', 'name', 'invalid', 'name must hold a letter or a digit');
  return slug;
}

/** Finds the new parent of a team. A secret team can't be a parent; the refusal is the same as for a team that doesn't exist. */
async function findParent(scope: WriteScope, organization: Id<'accounts'>, id: Id<'teams'>): Promise<TeamRow> {
  const parent = await findTeamById(scope.tx, organization, id);
  if (parent?.privacy === 'closed') return parent;
  throw invalid('Team', 'parent_team_id', 'invalid', 'The parent is not a closed team of this organization');
}

const secretBelow = () => invalid('Team', 'privacy', 'invalid', 'A team below another one is closed');

/** Creates a team. By default, a team is secret, or closed if it has a parent. */
export async function createTeam(scope: WriteScope, { org, wanted, ...actor }: NewTeam): Promise<TeamRow> {
  const { name, description, parent: parentId, notification_setting, repository_role } = wanted;
  await lockOrganization(scope.tx, org.id);
  const parent = parentId ? await findParent(scope, org.id, parentId) : undefined;
  const privacy = wanted.privacy ?? (parent ? 'closed' : 'secret');
  if (parent && privacy === 'secret') throw secretBelow();
  const row = {
    organization_id: org.id,
    parent_id: parent?.id ?? null,
    slug: slugFor(name),
    name,
    privacy,
    ...defined({ description, notification_setting, repository_role }),
    created_at: actor.now,
    updated_at: actor.now,
  };
  const team = await insertTeam(scope.tx, row, parent?.ancestors ?? []);
  if (!team) throw nameTaken();
  await record(scope.tx, { ...eventOf(team, actor), kind: 'team.created', data: { team: team.id } });
  return team;
}

type TeamChange = Actor & { team: TeamRow; wanted: Partial<TeamSettings> };

/** Changes a team. The caller holds its lock (`lockTeam`). A new parent moves the child teams along. */
export async function changeTeam(scope: WriteScope, { team, wanted, ...actor }: TeamChange): Promise<TeamRow> {
  const parentId = wanted.parent === undefined ? team.parent_id : wanted.parent;
  const parent = parentId === null ? undefined : await findParent(scope, team.organization_id, parentId);
  if (parent?.ancestors.includes(team.id)) throw invalid('Team', 'parent_team_id', 'invalid', 'A team cannot stand below itself');
  const privacy = wanted.privacy ?? (parent ? 'closed' : team.privacy);
  if (privacy === 'secret' && (parent || (await hasTeamsBelow(scope.tx, team.id)))) throw secretBelow();
  const name = wanted.name ?? team.name;
  const slug = slugFor(name);
  const taken = await findTeam(scope.tx, team.organization_id, slug);
  if (taken && taken.id !== team.id) throw nameTaken();
  if (parentId !== team.parent_id) await moveTeam(scope.tx, team, parent?.ancestors ?? []);
  const changed = await updateTeam(scope.tx, team.id, {
    name,
    slug,
    privacy,
    parent_id: parentId,
    ...defined({
      description: wanted.description,
      notification_setting: wanted.notification_setting,
      repository_role: wanted.repository_role,
    }),
    updated_at: actor.now,
  });
  const from = formerOf(team, changed, 'name', 'description', 'privacy', 'notification_setting');
  await record(scope.tx, { ...eventOf(team, actor), kind: 'team.edited', data: { team: team.id, from } });
  return changed;
}

/** Deletes a team with its child teams. The caller holds its lock. */
export async function deleteTeam(scope: WriteScope, { team, ...actor }: Actor & { team: TeamRow }): Promise<void> {
  const removed = await removeTeams(scope.tx, team.id);
  await recordEach(scope.tx, removed, (one) => ({
    ...eventOf(one, actor),
    kind: 'team.deleted',
    data: { team: one.id, name: one.name, was: snapshotOf(one) },
  }));
}

type TeamMemberChange = Actor & { team: TeamRow; user: Account; role: TeamMemberRole };

/**
 * Adds a member of the organization to a team, or changes their role in it. `field` is the field of the request that names the
 * user.
 */
export async function setTeamMember(
  scope: WriteScope,
  { team, user, role, field = 'username', ...actor }: TeamMemberChange & { field?: 'username' | 'maintainers' },
): Promise<void> {
  if (!(await findMembershipForUpdate(scope.tx, team.organization_id, user.id)))
    throw invalid('TeamMember', field, 'invalid', `${user.login} is not a member of this organization`);
  const result = await putTeamMember(scope.tx, { team_id: team.id, user_id: user.id, role, created_at: actor.now });
  if (result === 'same') return;
  const kind = result === 'added' ? 'team.member_added' : 'team.member_changed';
  await record(scope.tx, { ...eventOf(team, actor), kind, data: { team: team.id, user: user.id, role } });
}

/** Removes a user from a team. */
export async function unsetTeamMember(
  scope: WriteScope,
  { team, user, ...actor }: Omit<TeamMemberChange, 'role'>,
): Promise<void> {
  if (!(await removeTeamMember(scope.tx, team.id, user.id))) throw notFound();
  await record(scope.tx, { ...eventOf(team, actor), kind: 'team.member_removed', data: { team: team.id, user: user.id } });
}

type TeamRoleChange = Actor & { team: TeamRow; repository: Pick<RepositoryRow, 'id' | 'owner_id'>; role: Role };

/** Gives a team and its child teams a role in a repository of its organization. */
export async function setTeamRole(scope: WriteScope, { team, repository, role, ...actor }: TeamRoleChange): Promise<void> {
  if (repository.owner_id !== team.organization_id)
    throw invalid('TeamRepository', 'repository', 'invalid', 'The repository is not of this organization');
  const from = await putTeamRole(scope.tx, { team_id: team.id, repository_id: repository.id, role, created_at: actor.now });
  if (from === role) return;
  const event = { ...eventOf(team, actor), repository: repository.id };
  const data = { team: team.id, role };
  if (from === undefined) await record(scope.tx, { ...event, kind: 'team.repository_added', data });
  else await record(scope.tx, { ...event, kind: 'team.repository_changed', data: { ...data, from } });
}

/** Removes a team's role in a repository. */
export async function unsetTeamRole(
  scope: WriteScope,
  { team, repository, ...actor }: Omit<TeamRoleChange, 'role'>,
): Promise<void> {
  if (!(await removeTeamRole(scope.tx, team.id, repository.id))) throw notFound();
  await record(scope.tx, {
    ...eventOf(team, actor),
    repository: repository.id,
    kind: 'team.repository_removed',
    data: { team: team.id },
  });
}
