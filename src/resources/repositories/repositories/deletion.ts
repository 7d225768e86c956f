// Deletes repositories: at somebody's request, with their owner, or because their owner may no longer have them.
import type { RepositoryAction } from '#access/action.ts';
import type { Repo, RepositoryRow } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { snapshotOf } from '#lib/snapshot.ts';
import { leaveInstallations } from './leave-installations.ts';
import { checkMemberPrivilege } from './member-privileges.ts';
import { evaluateRules, exemptAs, type RuledScope } from './ruled-change.ts';
import { countForks, listPrivateForks, removeRepository } from './store.ts';

/** The columns of the repository, without the viewer's access to it. */
const rowOf = ({
  owner: _owner,
  role: _role,
  managesSecurity: _manages,
  reached: _reached,
  held: _held,
  ...row
}: Repo): RepositoryRow => row;

/** Deletes a repository. A subscription to the event removes its folder. */
export async function deleteRepository(scope: RuledScope, action: RepositoryAction): Promise<void> {
  const { repo, by } = action;
  await checkMemberPrivilege(scope, 'members_can_delete_repositories', action);
  const approval = repo.is_private_fork ? exemptAs('privateFork') : await evaluateRules(scope, { by }, { kind: 'delete', repo });
  await approval.record(scope, repo.id);
  const was = repo.is_private_fork ? {} : { was: snapshotOf(rowOf(repo)) }; // Events of private forks disclose nothing.
  const data = { name: repo.name, ...was };
  await removePrivateForks(scope, repo, action.now);
  await record(scope.tx, { ...inRepository(action), kind: 'repository.deleted', data });
  await leaveInstallations(scope, action);
  await removeRepository(scope.tx, repo.id, approval);
  if (repo.parent_id !== null) await countForks(scope.tx, repo.parent_id);
}

/**
 * Removes a private fork, or a repository whose owner was deleted. A subscription to the event removes its folder and files. The
 * event holds nothing else about the repository, so no webhook reports it.
 */
export async function removeWithOwner(scope: WriteScope, repo: RepositoryRow, now: Date): Promise<void> {
  const { id: repository, owner_id: owner, name, parent_id } = repo;
  await removePrivateForks(scope, repo, now);
  await record(scope.tx, { kind: 'repository.deleted', owner, repository, actor: undefined, at: now, data: { name } });
  await removeRepository(scope.tx, repository, exemptAs(repo.is_private_fork ? 'privateFork' : 'deletedOwner'));
  if (parent_id !== null) await countForks(scope.tx, parent_id);
}

/**
 * Removes a fork whose owner may no longer have it. Webhooks and subscribers get the same event as for any deleted repository.
 */
export async function removeFork(scope: WriteScope, fork: RepositoryRow, now: Date): Promise<void> {
  const { id: repository, owner_id: owner, name, parent_id } = fork;
  const data = { name, was: snapshotOf(fork) };
  await removePrivateForks(scope, fork, now);
  await record(scope.tx, { kind: 'repository.deleted', owner, repository, actor: undefined, at: now, data });
  await removeRepository(scope.tx, repository, exemptAs('lostFork'));
  if (parent_id !== null) await countForks(scope.tx, parent_id);
}

/** Private forks are deleted with their repository, since otherwise only their owners could find them. */
async function removePrivateForks(scope: WriteScope, { id }: Pick<RepositoryRow, 'id'>, now: Date): Promise<void> {
  for (const fork of await listPrivateForks(scope.tx, id)) await removeWithOwner(scope, fork, now);
}
