import type { Scope } from '#endpoint/scope.ts';
import type { Recorded } from '#events/subscription.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { gather, unique } from '#lib/collections.ts';
import { namedRepositories, type RepositoryWithOwner } from './named-repositories.ts';

/** The kinds of events that may change the commits of a default branch. */
export const defaultBranchChanges = ['push', 'repository.imported', 'repository.default_branch_changed'] as const;

/** The repositories whose default branch may have changed by these events. Each is loaded once in the scope. */
export async function listWithChangedDefaultBranch(
  { load }: Scope,
  events: readonly Recorded<(typeof defaultBranchChanges)[number]>[],
): Promise<RepositoryWithOwner[]> {
  const repositories = await load.all(namedRepositories, unique(gather(events, 'repository')));
  return [...repositories.values()].filter(({ id, default_branch }) =>
    events.some(
      ({ repository, kind, data }) =>
        repository === id && (kind !== 'push' || data.moves.some(({ ref }) => ref === branchRef(default_branch))),
    ),
  );
}
