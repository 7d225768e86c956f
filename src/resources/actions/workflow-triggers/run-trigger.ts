// What an event starts: the commit whose workflow files are read, and the ref and commit that their runs are for.

import type { JobContext } from '#endpoint/job-context.ts';
import type { Recorded } from '#events/subscription.ts';
import { isGitError } from '#git/errors.ts';
import { listChanges } from '#git/history/changes.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { GitRepository } from '#git/repo.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { NewRun } from '#resources/actions/workflow-runs/index.ts';
import type { WebhookEvent } from '#resources/event-kinds.ts';
import type { RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import type { Trigger } from '#workflow-files/triggers.ts';

/** Something that may start runs. Each ref must have pointed at the commit beside it: environments and caches trust the ref. */
export type RunTrigger = {
  readonly trigger: Trigger;
  /** Where the workflow files are read. */
  readonly files: { readonly ref: string; readonly sha: Oid };
  readonly title: string;
  /** The repository is null where the fork was deleted. */
  readonly head: Pick<NewRun['head'], 'branch' | 'commit' | 'repository'>;
  /** Undefined for a commit without a ref. */
  readonly ref: string | undefined;
  readonly sha: Oid;
  /** The branch that it is to be merged into, by its full name: its rules may require workflows. */
  readonly base?: string;
  /** The commit asks that no workflow runs. Those that rules require run nevertheless. */
  readonly isSkipped?: boolean;
  readonly pullRequest?: Id<'issues'>;
  readonly isFromFork?: boolean;
};

/** What occasions are found from. */
export type TriggerContext = {
  readonly gitRepository: GitRepository;
  readonly repository: RepositoryWithOwner;
  readonly event: Recorded;
  readonly built: WebhookEvent;
  readonly job: JobContext;
  /** The server's own app, which jobs act as. */
  readonly ownApp: Id<'apps'> | undefined;
};

export const firstLine = (message: string): string => message.split('\n', 1)[0] ?? '';

/** What a commit message says so that no workflow runs for it (the public API's words). */
export const asksToSkip = (message: string): boolean => /\[(skip ci|ci skip|no ci|skip actions|actions skip)\]/.test(message);

/** The paths that differ between two commits; undefined where they are too many, or a commit is gone. */
export async function changedPaths(gitRepository: GitRepository, from: Oid, to: Oid): Promise<string[] | undefined> {
  try {
    return gather(await listChanges(gitRepository, { from, to }), 'path');
  } catch (error) {
    if (isGitError(error, 'too-large') || isGitError(error, 'not-found') || isGitError(error, 'failed')) return undefined;
    throw error;
  }
}
