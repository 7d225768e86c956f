import type { OrganizationAction, RepositoryAction } from '#access/action.ts';
import { type Role, reaches } from '#access/roles.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { orNotFound } from '#lib/refusal.ts';
import { checkMaintains, setTeamRole, type TeamRow, unsetTeamRole } from '#resources/identity/teams/index.ts';
import { lockRepository } from '#resources/repositories/repositories/index.ts';

type TeamRepositoryAction = OrganizationAction & RepositoryAction;

/**
 * Gives a team a role in a repository of its organization. The repository stays locked, so that it isn't transferred meanwhile.
 */
export async function setRepositoryRole(
  scope: WriteScope,
  action: TeamRepositoryAction,
  team: TeamRow,
  role: Role,
): Promise<void> {
  const repository = orNotFound(await lockRepository(scope.tx, action.repo.id));
  await setTeamRole(scope, { team, repository, role, by: action.by.account.id, now: action.now });
}

/** Removes a repository from a team. Administrators of the repository and maintainers of the team may do so. */
export async function removeRepository(scope: WriteScope, action: TeamRepositoryAction, team: TeamRow): Promise<void> {
  const { repo: repository, by, now } = action;
  if (!reaches(repository.role, 'admin')) await checkMaintains(scope, action, team);
  await unsetTeamRole(scope, { team, repository, by: by.account.id, now });
}
