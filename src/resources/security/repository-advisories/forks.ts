// Private forks, in which the people who work on an advisory fix the vulnerability.

import type { RepositoryAction } from '#access/action.ts';
import { hasNoRole, type RepositoryRow } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { GitStore } from '#git/repo.ts';
import type { Id } from '#lib/id.ts';
import { unprocessable } from '#lib/refusal.ts';
import { putCollaborator, removeCollaborator } from '#resources/identity/members/index.ts';
import { putTeamRole, removeTeamRole } from '#resources/identity/teams/index.ts';
import {
  createPrivateFork,
  findRepository,
  type PreparedCopy,
  removeWithOwner,
} from '#resources/repositories/repositories/index.ts';
import { type AdvisoryRow, loadTeamsOf, loadUsers, updateAdvisory } from './store.ts';

/** Names are shortened, so that the names of forks are no longer than other repositories' names. */
const maxNameLength = 80;

/** Refuses a fork if the advisory already has one, or is closed or published. */
export function checkForkable({ fork_id, state }: AdvisoryRow): void {
  if (fork_id !== null) throw unprocessable('The security advisory has a private fork already.');
  if (state !== 'triage' && state !== 'draft')
    throw unprocessable(`A security advisory that is ${state} can't have a private fork.`);
}

/** Creates the private fork of an advisory from a copy of the repository, for the people who work on it. */
export async function startFork(
  scope: WriteScope,
  action: RepositoryAction & { git: GitStore },
  advisory: AdvisoryRow,
  { initialize }: PreparedCopy,
): Promise<RepositoryRow> {
  const { repo, by, now } = action;
  checkForkable(advisory);
  const name = `${repo.name.slice(0, maxNameLength)}-${advisory.identifier.toLowerCase()}`;
  const fork = await createPrivateFork(scope, { ...action, name, initialize });
  await updateAdvisory(scope.tx, advisory.id, { fork_id: fork.id, updated_at: now });
  const [users, teams] = await Promise.all([loadUsers(scope.tx, [advisory.id]), loadTeamsOf(scope.tx, [advisory.id])]);
  await shareFork(
    scope,
    action,
    { fork_id: fork.id },
    { users: users.map(({ user_id }) => user_id), teams: teams.map(({ team_id }) => team_id) },
  );
  // Owners administer it anyway. Other users who start a fork get the role explicitly.
  if (repo.owner.kind === 'organization' && !hasNoRole(by.grant))
    await putCollaborator(scope.tx, { repository_id: fork.id, user_id: by.account.id, role: 'admin', created_at: now });
  return fork;
}

type Collaborators = {
  users?: readonly Id<'accounts'>[];
  without?: readonly Id<'accounts'>[];
  teams?: readonly Id<'teams'>[];
  withoutTeams?: readonly Id<'teams'>[];
};

/** Gives an advisory's collaborators write access to its private fork, if it has one, and removes former collaborators. */
export async function shareFork(
  scope: WriteScope,
  { now }: Pick<RepositoryAction, 'now'>,
  { fork_id }: Pick<AdvisoryRow, 'fork_id'>,
  { users = [], without = [], teams = [], withoutTeams = [] }: Collaborators,
): Promise<void> {
  if (fork_id === null) return;
  for (const user of without) await removeCollaborator(scope.tx, fork_id, user);
  for (const team of withoutTeams) await removeTeamRole(scope.tx, team, fork_id);
  for (const user_id of users)
    await putCollaborator(scope.tx, { repository_id: fork_id, user_id, role: 'write', created_at: now });
  for (const team_id of teams) await putTeamRole(scope.tx, { team_id, repository_id: fork_id, role: 'write', created_at: now });
}

/** Removes the private fork of a published advisory, since the fix is now in the repository itself. */
export async function removeFork(scope: WriteScope, { fork_id }: Pick<AdvisoryRow, 'fork_id'>, now: Date): Promise<void> {
  const fork = fork_id === null ? undefined : await findRepository(scope.tx, fork_id);
  if (fork) await removeWithOwner(scope, fork, now);
}
