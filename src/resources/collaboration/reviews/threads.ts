import type { Repo } from '#access/viewer.ts';
import type { Scope } from '#endpoint/scope.ts';
import { grouped } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import type { PullRow } from '#resources/collaboration/pulls/index.ts';
import { reviewLimits } from './limits.ts';
import { presentReviewComments } from './present.ts';
import { listComments } from './store.ts';

const most = fixedValue(reviewLimits.shownComments);

/** The conversations in the diff of a pull request, the oldest first, up to a number of comments. */
export async function presentThreads(scope: Scope, repo: Repo, pull: PullRow) {
  const oldestFirst = { since: undefined, order: { sort: 'created', direction: 'asc' } } as const;
  const { rows, total } = await listComments(scope.db, { pull: pull.id }, oldestFirst, { limit: most, offset: 0, number: 1 });
  const resolved = new Set(rows.filter(({ resolved_at }) => resolved_at !== null).map(({ id }) => Number(id)));
  const comments = await presentReviewComments(scope, repo, rows);
  const threads = [...grouped(comments, ({ id, in_reply_to_id }) => in_reply_to_id ?? id)];
  return {
    threads: threads.map(([first, all]) => ({ is_resolved: resolved.has(first), comments: all })),
    total_count: total,
  };
}
