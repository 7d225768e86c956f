// The history of a ref, or of a file or folder there.
import { Type } from 'typebox';
import { readsContents } from '#access/policies.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Commit, filterOf, listHistory, presentCommits, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { getLocation } from '../location.ts';

const text = Type.Optional(Type.String({ maxLength: 1024 }));

export const listSourceCommits = endpoint({
  id: 'source-pages/list-commits',
  method: 'GET',
  path: '/repos/{owner}/{repo}/source/commits/{path}',
  summary: 'List the commits of a ref, or of a path there',
  access: readsContents,
  query: Type.Object({ author: text, since: text, until: text }),
  paging: pages(),
  replies: { 200: Type.Array(Commit) },
  async handle({ scope, db, at, query, page, links }) {
    const { gitRepository, commit, path } = await getLocation(scope.git, at.repo, at.path);
    const filter = await filterOf(db, { ...query, path });
    if (!filter) return { rows: [], total: 0 };
    const urls = repositoryUrlsOf(links, at.repo);
    const found = await listHistory(gitRepository, { from: commit, filter, page });
    return mapRows(found, (rows) => presentCommits(scope, urls, rows));
  },
});
