// What pages show of pull requests beyond the API.
import { Type } from 'typebox';
import { readsPulls } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pagesInside } from '#endpoint/paging.ts';
import { repoOf } from '#git/store.ts';
import { fixedValue } from '#lib/limits.ts';
import { Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { timestamp } from '#lib/time.ts';
import { Diff, DiffQuery, diffLimits, maxFiles, readDiff } from '#resources/code/commits/index.ts';
import { states } from '#resources/collaboration/issues/index.ts';
import { pull } from '../path-resources.ts';
import { listOfBranches, type PullOfBranch } from '../store.ts';

const filesOnPage = fixedValue(diffLimits.files);

export const showPullDiff = endpoint({
  id: 'pulls/show-diff',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}/shown-diff',
  resources: [pull],
  summary: 'Show a page of the diff of a pull request',
  access: readsPulls,
  query: DiffQuery,
  paging: pagesInside({ defaultLimit: filesOnPage, maxLimit: filesOnPage, most: maxFiles }),
  replies: { 200: Diff },
  async handle({ at, query, page, services: { git } }) {
    const { merge_base_sha: from, head_sha: to } = at.pull;
    return readDiff(repoOf(git, at.repo.id), { from, to }, { query, page });
  },
});

/** Branch names can't hold colons, so that they are joined by these. */
const separator = ':';

const presentOfBranch = ({ head_ref, number, title, state, is_draft, merged_at }: PullOfBranch) => ({
  branch: head_ref,
  number,
  title,
  state,
  draft: is_draft,
  merged_at: merged_at && timestamp(merged_at),
});

export const listPullsOfBranches = endpoint({
  id: 'pulls/list-of-branches',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pulls-of-branches',
  summary: 'List the latest pull request of each of some branches',
  access: readsPulls,
  query: Type.Object({ branches: Type.String({ maxLength: 110_000 }) }),
  replies: {
    200: Type.Array(
      Type.Object({
        branch: Type.String(),
        number: Type.Integer(),
        title: Type.String(),
        state: OneOf(states),
        draft: Type.Boolean(),
        merged_at: Nullable(Timestamp),
      }),
    ),
  },
  async handle({ db, at, query }) {
    const rows = await listOfBranches(db, at.repo.id, query.branches.split(separator).slice(0, 100));
    return rows.map(presentOfBranch);
  },
});
