// What the page of a pull request says of its merge.
import { readsPulls } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pull } from '#resources/collaboration/pulls/index.ts';
import { presentMergeState } from './merge-state.ts';
import { MergeState } from './schemas.ts';

export const getMergeState = endpoint({
  id: 'pulls/get-merge-state',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}/merge-state',
  resources: [pull],
  summary: 'Get what keeps a pull request from being merged',
  access: readsPulls,
  replies: { 200: MergeState },
  handle: async ({ scope, at }) => presentMergeState(scope, at.repo, at.pull),
});
