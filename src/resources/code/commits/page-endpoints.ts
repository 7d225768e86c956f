// What pages show of commits and comparisons beyond the API.

import { Type } from 'typebox';
import { readsContents } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pagesInside } from '#endpoint/paging.ts';
import { openObjects } from '#git/objects/objects.ts';
import { findRevision } from '#git/refs/resolve.ts';
import { repoOf } from '#git/store.ts';
import { fixedValue } from '#lib/limits.ts';
import { notFound } from '#lib/refusal.ts';
import { Nullable, OneOf } from '#lib/shape.ts';
import { findComparison, summarize } from './compare.ts';
import { listContaining } from './containing.ts';
import { readDiff } from './diffs/read.ts';
import { Diff, DiffQuery } from './diffs/schemas.ts';
import { diffLimits } from './limits.ts';
import { repositoryUrlsOf } from './links.ts';
import { commit } from './path-resources.ts';
import { presentCommit } from './present.ts';
import { maxFiles } from './rules.ts';
import { Commit, comparisonStatuses } from './schemas.ts';

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
  async handle({ scope, at, query, page }) {
    const gitRepository = repoOf(scope.git, at.repo.id);
    const found = await findRevision(gitRepository, at.ref, { peel: 'commit' });
    if (found?.type !== 'commit') throw notFound();
    await using reader = await openObjects(gitRepository);
    const commit = await reader.getCommit(found.oid);
    const [shown, { body: diff, total }] = await Promise.all([
      presentCommit(scope, repositoryUrlsOf(scope.links, at.repo), commit),
      readDiff(gitRepository, { from: commit.parents[0] ?? null, to: commit.oid }, { query, page }),
    ]);
    return { body: { commit: shown, diff }, total };
  },
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
  async handle({ scope, at, query, page }) {
    const comparison = await findComparison(scope, at.repo, at.basehead);
    const { mergeBase, ...body } = await summarize(scope, comparison);
    const { gitRepository, ends } = comparison;
    if (mergeBase === undefined) return { body: { ...body, diff: null }, total: 0 };
    const { body: diff, total } = await readDiff(gitRepository, { from: mergeBase, to: ends.head }, { query, page });
    return { body: { ...body, diff }, total };
  },
});
