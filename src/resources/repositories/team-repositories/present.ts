import { permissionsOf, roleOfLevel } from '#access/roles.ts';
import type { Scope } from '#endpoint/scope.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { presentRepositories } from '#resources/repositories/repositories/index.ts';
import type { RepositoryOfTeam, TeamRepository } from './schemas.ts';
import type { RepositoryWithLevel } from './store.ts';

/** Presents a page of repositories, with their team's permissions in each. */
export async function presentTeamRepositories(scope: Scope, rows: readonly RepositoryWithLevel[]): Promise<RepositoryOfTeam[]> {
  const presented = await presentRepositories(scope, rows);
  return presented.map((repository, index) => {
    const role = roleOfLevel(rows[index]?.level ?? 0) ?? 'read';
    return { ...repository, permissions: permissionsOf(role), role_name: role };
  });
}

/** A single repository. */
export async function presentTeamRepository(scope: Scope, row: RepositoryWithLevel): Promise<TeamRepository> {
  const {
    has_discussions: _discussions,
    has_pull_requests: _pulls,
    pull_request_creation_policy: _policy,
    ...shown
  } = firstOrNotFound(await presentTeamRepositories(scope, [row]));
  return shown;
}
