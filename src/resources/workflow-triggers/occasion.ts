// What an event is for workflows: which of its files it looks at, and what a run of them is of.

import type { Services } from '#endpoint/services.ts';
import type { Recorded } from '#events/subscription.ts';
import { isGitError } from '#git/errors.ts';
import { listChanges } from '#git/history/changes.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Repo } from '#git/repo.ts';
import type { JobContext } from '#jobs/job.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { WebhookEvent } from '#resources/event-kinds.ts';
import type { RepositoryWithOwner } from '#resources/repositories/index.ts';
import type { HeadCommit } from '#resources/workflow-runs/index.ts';
import type { Trigger } from '#workflow-files/triggers.ts';

/** Something that may start runs: the trigger, and what a run of it is of. */
export type Occasion = {
  readonly trigger: Trigger;
  /** The commit whose workflow files are read. */
  readonly files: Oid;
  readonly title: string;
  readonly head: { readonly branch: string | null; readonly commit: HeadCommit; readonly repository: Id<'repositories'> };
  readonly ref: string;
  readonly sha: Oid;
  readonly pullRequest?: Id<'issues'>;
  readonly isFromFork?: boolean;
};

/** What occasions are found from. */
export type OccasionContext = {
  readonly disk: Repo;
  readonly repository: RepositoryWithOwner;
  readonly event: Recorded;
  readonly built: WebhookEvent;
  readonly job: JobContext<Services>;
};

export const firstLine = (message: string): string => message.split('\n', 1)[0] ?? '';

/** What a commit message says so that no workflow runs for it (the public API's words). */
export const asksToSkip = (message: string): boolean => /\[(skip ci|ci skip|no ci|skip actions|actions skip)\]/.test(message);

/** The paths that differ between two commits; undefined where they are too many, or a commit is gone. */
export async function changedPaths(disk: Repo, from: Oid, to: Oid): Promise<string[] | undefined> {
  try {
    return gather(await listChanges(disk, { from, to }), 'path');
  } catch (error) {
    if (isGitError(error, 'too-large') || isGitError(error, 'not-found') || isGitError(error, 'failed')) return undefined;
    throw error;
  }
}
