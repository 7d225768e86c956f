// What pages show of branches beyond the API.
import { Type } from 'typebox';
import { readsContents } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { countAheadBehind } from '#git/history/ahead-behind.ts';
import { openObjects } from '#git/objects/objects.ts';
import { heads, shortNameOf } from '#git/refs/ref-name.ts';
import { findBranch, listRefs } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { pairs } from '#lib/collections.ts';
import { Nullable } from '#lib/shape.ts';
import { loadProtections } from '#resources/code/branch-protection/index.ts';
import { Commit, presentCommits, repositoryUrlsOf } from '#resources/code/commits/index.ts';

/** So many histories are compared together. */
const perPage = 30;

export const showBranches = endpoint({
  id: 'branches/show',
  method: 'GET',
  path: '/repos/{owner}/{repo}/shown-branches',
  summary: 'Show the branches of a repository, the latest first, with how far they are from the default branch',
  access: readsContents,
  query: Type.Object({ q: Type.Optional(Type.String({ maxLength: 200 })) }),
  paging: pages({ defaultLimit: perPage, maxLimit: perPage }),
  replies: {
    200: Type.Array(
      Type.Object({
        name: Type.String(),
        protected: Type.Boolean(),
        commit: Commit,
        /** Both are null where they aren't known: histories may differ too much. */
        ahead_by: Nullable(Type.Integer()),
        behind_by: Nullable(Type.Integer()),
      }),
    ),
  },
  async handle({ scope, db, at, page, query, links, services: { git } }) {
    const gitRepository = repoOf(git, at.repo.id);
    const word = query.q?.toLowerCase() ?? '';
    const isWanted = (name: string): boolean => shortNameOf(name).toLowerCase().includes(word);
    const [{ rows, total }, base] = await Promise.all([
      listRefs(gitRepository, { prefix: heads, newestFirst: true, isWanted, ...page }),
      findBranch(gitRepository, at.repo.default_branch),
    ]);
    const oids = rows.map(({ oid }) => oid);
    const names = rows.map(({ name }) => shortNameOf(name));
    await using reader = await openObjects(gitRepository);
    const [commits, counts, protections] = await Promise.all([
      reader.getCommits(oids).then((found) => presentCommits(scope, repositoryUrlsOf(links, at.repo), found)),
      base ? countAheadBehind(gitRepository, base.oid, oids) : [],
      loadProtections(db, at.repo.id, names),
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
  },
});
