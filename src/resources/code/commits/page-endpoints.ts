// What pages show of commits and comparisons beyond the API.

import { Type } from 'typebox';
import { readsContents } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pagesInside } from '#endpoint/paging.ts';
import { repoOf } from '#git/store.ts';
import { fixedValue } from '#lib/limits.ts';
import { Nullable, OneOf } from '#lib/shape.ts';
import { listContaining } from './containing.ts';
import { Diff, DiffQuery } from './diffs/schemas.ts';
import { diffLimits } from './limits.ts';
import { commit } from './path-resources.ts';
import { maxFiles } from './rules.ts';
import { Commit, comparisonStatuses } from './schemas.ts';
import { presentShownCommit, presentShownComparison } from './shown.ts';

const filesOnPage = fixedValue(diffLimits.files);
const paging = pagesInside({ defaultLimit: filesOnPage, maxLimit: filesOnPage, most: maxFiles });

export const showCommit = endpoint({
  id: 'commits/show',
  method: 'GET',
  path: '/repos/{owner}/{repo}/shown-commits/{ref}',
  summary: 'Show a commit with a page of its diff',
  access: readsContents,
  query: DiffQuery,
  paging,
  replies: { 200: Type.Object({ commit: Commit, diff: Diff }) },
  handle: ({ scope, at, query, page }) => presentShownCommit(scope, at.repo, at.ref, { query, page }),
});

const Names = Type.Object({ names: Type.Array(Type.String()), is_complete: Type.Boolean() });

export const showContaining = endpoint({
  id: 'commits/show-containing',
  method: 'GET',
  path: '/repos/{owner}/{repo}/commits/{commit_sha}/containing',
  resources: [commit],
  summary: 'Name the branches and tags that contain a commit',
  access: readsContents,
  refuses: [409, 422],
  replies: { 200: Type.Object({ branches: Names, tags: Names }) },
  handle: ({ scope, at }) => listContaining(repoOf(scope.git, at.repo.id), at.commit.oid),
});

export const showComparison = endpoint({
  id: 'commits/show-comparison',
  method: 'GET',
  path: '/repos/{owner}/{repo}/shown-comparisons/{basehead}',
  summary: 'Show a comparison with a page of its diff',
  access: readsContents,
  query: DiffQuery,
  paging,
  refuses: [409],
  replies: {
    200: Type.Object({
      /** Null for histories without a common commit. */
      status: Nullable(OneOf(comparisonStatuses)),
      base: Type.Object({ sha: Type.String(), repository: Type.String() }),
      head: Type.Object({ sha: Type.String(), repository: Type.String() }),
      ahead_by: Type.Integer(),
      behind_by: Type.Integer(),
      commits: Type.Array(Commit),
      diff: Nullable(Diff),
    }),
  },
  handle: ({ scope, at, query, page }) => presentShownComparison(scope, at.repo, at.basehead, { query, page }),
});
