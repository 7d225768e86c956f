// What pages show of reviews beyond the API.
import { Type } from 'typebox';
import { readsPulls } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { textMedia } from '#resources/collaboration/issues/index.ts';
import { pull } from '#resources/collaboration/pulls/index.ts';
import { ReviewComment } from '../schemas.ts';
import { presentThreads } from '../threads.ts';

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
  handle: ({ scope, at }) => presentThreads(scope, at.repo, at.pull),
});
