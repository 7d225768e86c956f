import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import { repoOf } from '#git/store.ts';
import { repeatWhile } from '#jobs/repeat.ts';
import type { Id } from '#lib/id.ts';
import { findPullForUpdate, loadPulls, type PullRow } from '#resources/collaboration/pulls/index.ts';
import { findRepository } from '#resources/repositories/repositories/index.ts';
import { dismissStale } from './dismissals.ts';
import { findPresentLocations } from './locations.ts';
import { listCommentsAfter, saveLocations } from './store.ts';

/** The number of comments per batch. */
const commentsPerBatch = 200;

/**
 * Locates comments in the present diff after the head or base of their pull request has changed. Repeating it changes nothing.
 */
export const followDiffs = subscription<'pull_request.synchronize' | 'pull_request.edited', JobContext>({
  name: 'reviews.follow-diffs',
  on: ['pull_request.synchronize', 'pull_request.edited'],
  attempts: 25,
  // The jobs of a pull request run one after the other, and waiting ones are merged into one.
  queue: ({ data }) => `reviews.follow-diffs.${data.issue}`,
  key: ({ kind, data }) =>
    `reviews.follow-diffs.${data.issue}.${kind === 'pull_request.edited' && !data.changes.base ? 'texts' : 'diff'}`,
  async run(event, context) {
    if (event.kind === 'pull_request.edited' && !event.data.changes.base) return;
    await locateComments(context, event.data.issue);
  },
});

/** Dismisses approvals that a push to the head of a pull request has made stale. Repeating it changes nothing. */
export const dismissStaleApprovals = subscription<'pull_request.synchronize', JobContext>({
  name: 'reviews.dismiss-stale',
  on: ['pull_request.synchronize'],
  attempts: 25,
  queue: ({ data }) => `reviews.dismiss-stale.${data.issue}`,
  async run({ actor, data: { issue } }, { change, now, stopping }: JobContext) {
    const dismissSome = () =>
      change(async (scope) => {
        const pull = await findPullForUpdate(scope.tx, { id: issue });
        const repo = pull && (await findRepository(scope.tx, pull.repository_id));
        return pull !== undefined && repo !== undefined && dismissStale(scope, { actor, at: now }, repo, pull);
      });
    await repeatWhile({ stopping }, dismissSome);
  },
});

async function locateComments({ db, change, services: { git }, stopping }: JobContext, issue: Id<'issues'>): Promise<void> {
  const pull = (await loadPulls(db, [issue])).get(issue);
  if (!pull) return;
  const gitRepository = repoOf(git, pull.repository_id);
  const ends = { from: pull.merge_base_sha, to: pull.head_sha };
  for (let after = 0; ; ) {
    stopping?.throwIfAborted();
    const comments = await listCommentsAfter(db, issue, after, commentsPerBatch);
    const last = comments.at(-1);
    if (!last) return;
    after = last.id;
    const locations = await findPresentLocations(gitRepository, ends, comments);
    const found = comments.flatMap(({ id }, at) => (locations[at] ? [{ id, ...locations[at] }] : []));
    const isDone = await change(async (scope) => {
      const now = await findPullForUpdate(scope.tx, pull);
      if (!now || !hasSameDiff(now, pull)) return true;
      await saveLocations(scope.tx, pull.head_sha, found);
      return false;
    });
    // The pull request has changed again, and another event follows.
    if (isDone) return;
  }
}

const hasSameDiff = (one: PullRow, other: PullRow): boolean =>
  one.head_sha === other.head_sha && one.merge_base_sha === other.merge_base_sha;
