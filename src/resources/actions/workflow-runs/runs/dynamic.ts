// Runs of workflows whose files the server writes, such as those of the dependency bot.
import type { Scope } from '#endpoint/scope.ts';
import type { Oid } from '#git/objects/oid.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { repoOf } from '#git/store.ts';
import type { Id } from '#lib/id.ts';
import type { RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { dynamicPath } from '#workflow-files/file.ts';
import { readCalledFiles } from '../planning/called-files.ts';
import type { RunRow } from '../store.ts';
import type { RunRegistry } from '../tasks/run-registries.ts';
import type { NewRun } from './create.ts';
import { headCommitOf } from './head-commit.ts';

/** The event of these runs. No event of a repository has this name (the public API's word). */
const dynamicEvent = 'dynamic';

/** Whether the server wrote the run's file, so that no user decided what its jobs do. */
export const isDynamic = ({ event }: Pick<RunRow, 'event'>): boolean => event === dynamicEvent;

type DynamicRun = {
  readonly repository: RepositoryWithOwner;
  /** The name of the workflow, for example `dependency-bot/updates`. The repository's runs of this name are one workflow's. */
  readonly workflow: string;
  readonly content: string;
  readonly title: string;
  /** The commit that the jobs work with, and a branch of the repository that has it. */
  readonly sha: Oid;
  readonly branch: string;
  /**
   * Whether the run is for the branch, and not just for the commit. Without a ref, jobs can't read or write caches, and enter no
   * environment with rules for branches.
   */
  readonly isForBranch: boolean;
  readonly actor: Id<'accounts'> | undefined;
  /** The event that starts the run. It starts one run of a workflow at most. */
  readonly eventId?: Id<'events'> | undefined;
  readonly pullRequest?: Id<'issues'> | undefined;
  /** Registries that all of its jobs get, beside those that its file names. */
  readonly registries?: readonly RunRegistry[];
};

/**
 * Prepares a dynamic run for `createRun`, outside of a transaction: reads its commit, its file, and the files that this calls.
 * @returns undefined if the commit doesn't exist
 */
export async function prepareDynamicRun(scope: Scope, wanted: DynamicRun): Promise<NewRun | undefined> {
  const { repository, content, title, sha, branch, isForBranch, actor, eventId, pullRequest, registries } = wanted;
  const commit = await headCommitOf(repoOf(scope.git, repository.id), sha);
  if (!commit) return undefined;
  const found = { path: dynamicPath(wanted.workflow), content };
  const ref = branchRef(branch);
  return {
    repository,
    ...found,
    called: await readCalledFiles(scope, { repository, ref, commit: sha }, found),
    event: dynamicEvent,
    eventId,
    payload: {},
    title,
    head: { branch, commit, repository: repository.id },
    ref: isForBranch ? ref : undefined,
    sha,
    pullRequest,
    actor,
    secretSource: 'none',
    registries,
  };
}
