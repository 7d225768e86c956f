// Commits and comparisons as pages show them: each with a page of its diff.
import type { Repo } from '#access/viewer.ts';
import type { Scope } from '#endpoint/scope.ts';
import { openObjects } from '#git/objects/objects.ts';
import { findRevision } from '#git/refs/resolve.ts';
import { repoOf } from '#git/store.ts';
import type { Page } from '#lib/page.ts';
import { notFound } from '#lib/refusal.ts';
import { findComparison, summarize } from './compare.ts';
import { readDiff } from './diffs/read.ts';
import type { DiffQuery } from './diffs/schemas.ts';
import { repositoryUrlsOf } from './links.ts';
import { presentCommit } from './present.ts';

type Wanted = { readonly query: DiffQuery; readonly page: Page };

/** The commit of a revision with a page of its diff. `total`: the number of files. */
export async function presentShownCommit(scope: Scope, repo: Repo, revision: string, wanted: Wanted) {
  const gitRepository = repoOf(scope.git, repo.id);
  const found = await findRevision(gitRepository, revision, { peel: 'commit' });
  if (found?.type !== 'commit') throw notFound();
  await using reader = await openObjects(gitRepository);
  const commit = await reader.getCommit(found.oid);
  const [shown, { body: diff, total }] = await Promise.all([
    presentCommit(scope, repositoryUrlsOf(scope.links, repo), commit),
    readDiff(gitRepository, { from: commit.parents[0] ?? null, to: commit.oid }, wanted),
  ]);
  return { body: { commit: shown, diff }, total };
}

/** A comparison with a page of its diff; without a diff for histories that have no common commit. */
export async function presentShownComparison(scope: Scope, repo: Repo, basehead: string, wanted: Wanted) {
  const comparison = await findComparison(scope, repo, basehead);
  const { mergeBase, ...body } = await summarize(scope, comparison);
  const { gitRepository, ends } = comparison;
  if (mergeBase === undefined) return { body: { ...body, diff: null }, total: 0 };
  const { body: diff, total } = await readDiff(gitRepository, { from: mergeBase, to: ends.head }, wanted);
  return { body: { ...body, diff }, total };
}
