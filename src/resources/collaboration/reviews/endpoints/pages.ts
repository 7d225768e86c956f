// What pages show of reviews beyond the API.
import { Type } from 'typebox';
import { readsPulls } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { grouped } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { textMedia } from '#resources/collaboration/issues/index.ts';
import { pull } from '#resources/collaboration/pulls/index.ts';
import { reviewLimits } from '../limits.ts';
import { presentReviewComments } from '../present.ts';
import { ReviewComment } from '../schemas.ts';
import { listComments } from '../store.ts';

const most = fixedValue(reviewLimits.shownComments);

export const listPullThreads = endpoint({
  id: 'pulls/list-threads',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}/threads',
  resources: [pull],
  summary: 'List the conversations in the diff of a pull request',
  access: readsPulls,
  media: textMedia,
  replies: {
    200: Type.Object({
      threads: Type.Array(Type.Object({ is_resolved: Type.Boolean(), comments: Type.Array(ReviewComment) })),
      /** The number of all comments, of which the first are in the conversations. */
      total_count: Type.Integer(),
    }),
  },
  async handle({ scope, db, at }) {
    const oldestFirst = { since: undefined, order: { sort: 'created', direction: 'asc' } } as const;
    const { rows, total } = await listComments(db, { pull: at.pull.id }, oldestFirst, { limit: most, offset: 0, number: 1 });
    const resolved = new Set(rows.filter(({ resolved_at }) => resolved_at !== null).map(({ id }) => Number(id)));
    const comments = await presentReviewComments(scope, at.repo, rows);
    const threads = [...grouped(comments, ({ id, in_reply_to_id }) => in_reply_to_id ?? id)];
    return {
      threads: threads.map(([first, all]) => ({ is_resolved: resolved.has(first), comments: all })),
      total_count: total,
    };
  },
});
