import type { OrganizationAction, RepositoryAction } from '#access/action.ts';
import { type Role, reaches } from '#access/roles.ts';
import type { Tx } from '#database/connect.ts';
import { orNotFound } from '#lib/refusal.ts';
import { checkMaintains, setTeamRole, type TeamRow, unsetTeamRole } from '#resources/identity/teams/index.ts';
import { lockRepository } from '#resources/repositories/repositories/index.ts';

type TeamRepositoryAction = OrganizationAction & RepositoryAction;

/** Gives a team a role in a repository of its organization. The repository stays locked, so that it isn't transferred meanwhile. */
export async function setRepositoryRole(tx: Tx, action: TeamRepositoryAction, team: TeamRow, role: Role): Promise<void> {
  const repository = orNotFound(await lockRepository(tx, action.repo.id));
  await setTeamRole(tx, { team, repository, role, by: action.by.account.id, now: action.now });
}

/** Takes a repository from a team: who administers the repository may, and who maintains the team. */
export async function removeRepository(tx: Tx, action: TeamRepositoryAction, team: TeamRow): Promise<void> {
  const { repo: repository, by, now } = action;
  if (!reaches(repository.role, 'admin')) await checkMaintains(tx, action, team);
  await unsetTeamRole(tx, { team, repository, by: by.account.id, now });
}
