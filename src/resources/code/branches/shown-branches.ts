import type { Repo } from '#access/viewer.ts';
import type { Scope } from '#endpoint/scope.ts';
import { countAheadBehind } from '#git/history/ahead-behind.ts';
import { openObjects } from '#git/objects/objects.ts';
import { heads, shortNameOf } from '#git/refs/ref-name.ts';
import { findBranch, listRefs } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { pairs } from '#lib/collections.ts';
import type { Page } from '#lib/page.ts';
import { loadProtections } from '#resources/code/branch-protection/index.ts';
import { presentCommits, repositoryUrlsOf } from '#resources/code/commits/index.ts';

/** A page of the branches whose names have this part, the latest first. Case doesn't matter. */
export async function listShownBranches(scope: Scope, repo: Repo, part: string, page: Page) {
  const { db, links, git } = scope;
  const gitRepository = repoOf(git, repo.id);
  const word = part.toLowerCase();
  const isWanted = (name: string): boolean => shortNameOf(name).toLowerCase().includes(word);
  const [{ rows, total }, base] = await Promise.all([
    listRefs(gitRepository, { prefix: heads, newestFirst: true, isWanted, ...page }),
    findBranch(gitRepository, repo.default_branch),
  ]);
  const oids = rows.map(({ oid }) => oid);
  const names = rows.map(({ name }) => shortNameOf(name));
  await using reader = await openObjects(gitRepository);
  const [commits, counts, protections] = await Promise.all([
    reader.getCommits(oids).then((found) => presentCommits(scope, repositoryUrlsOf(links, repo), found)),
    base ? countAheadBehind(gitRepository, base.oid, oids) : [],
    loadProtections(db, repo.id, names),
  ]);
  return {
    rows: pairs(names, commits).map(([name, commit], index) => ({
      name,
      protected: protections.has(name),
      commit,
      ahead_by: counts[index]?.ahead ?? null,
      behind_by: counts[index]?.behind ?? null,
    })),
    total,
  };
}
