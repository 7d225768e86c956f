// Commits: history, one commit, comparisons.

import { Type } from 'typebox';
import { readsContents, readsMetadata } from '#access/policies.ts';
import { mapRows } from '#database/list.ts';
import { raw } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pageOut, pages, pagesInside } from '#endpoint/paging.ts';
import { repoOf } from '#git/store.ts';
import { notFound, unprocessable } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { compare, compareAsText, findComparison } from './compare.ts';
import { contributorsOf } from './contributors.ts';
import { commitAsText, presentFullCommit } from './full-commit.ts';
import { repositoryUrlsOf } from './links.ts';
import { presentCommits } from './present.ts';
import { getCommitOid, isEmpty } from './revisions.ts';
import { filesOnPage, filterOf, listHistory, maxFiles } from './rules.ts';
import { Commit, Comparison, Contributor, FullCommit } from './schemas.ts';

const text = Type.Optional(Type.String({ maxLength: 4096 }));

export const listCommits = endpoint({
  id: 'repos/list-commits',
  method: 'GET',
  path: '/repos/{owner}/{repo}/commits',
  summary: 'List commits',
  access: readsContents,
  query: Type.Object({ sha: text, path: text, author: text, committer: text, since: text, until: text }),
  paging: pages(),
  refuses: [409],
  replies: { 200: Type.Array(Commit) },
  async handle({ scope, db, at, query, page, links, services: { git } }) {
    const gitRepository = repoOf(git, at.repo.id);
    const from = await getCommitOid(gitRepository, { repo: at.repo, revision: query.sha, refuse: notFound });
    const filter = await filterOf(db, query);
    if (!filter) return { rows: [], total: 0 };
    const urls = repositoryUrlsOf(links, at.repo);
    return mapRows(await listHistory(gitRepository, { from, filter, page }), (rows) => presentCommits(scope, urls, rows));
  },
});

export const getCommit = endpoint({
  id: 'repos/get-commit',
  method: 'GET',
  path: '/repos/{owner}/{repo}/commits/{ref}',
  summary: 'Get a commit',
  access: readsContents,
  paging: pagesInside({ defaultLimit: filesOnPage, maxLimit: filesOnPage, most: maxFiles }),
  media: ['diff', 'patch', 'sha'],
  refuses: [409, 422],
  replies: { 200: FullCommit },
  async handle({ scope, at, page, media }) {
    const gitRepository = repoOf(scope.git, at.repo.id);
    const refuse = () => unprocessable(`No commit found for SHA: ${at.ref}`);
    const oid = await getCommitOid(gitRepository, { repo: at.repo, revision: at.ref, refuse });
    if (media === 'sha') return raw('application/vnd.service.sha; charset=utf-8', oid, { etag: `"${oid}"` });
    return media === 'json' ? presentFullCommit(scope, at.repo, oid, page) : commitAsText(gitRepository, oid, media);
  },
});

/** The number of commits on one page of a comparison, as in the public API. */
const commitsOnPage = 250;

export const compareRevisions = endpoint({
  id: 'repos/compare-commits-with-basehead',
  method: 'GET',
  path: '/repos/{owner}/{repo}/compare/{basehead}',
  summary: 'Compare two commits',
  access: readsContents,
  paging: pagesInside({ defaultLimit: commitsOnPage, maxLimit: commitsOnPage }),
  media: ['diff', 'patch'],
  refuses: [409, 422],
  replies: { 200: Comparison },
  async handle({ scope, at, page, media }) {
    const comparison = await findComparison(scope, at.repo, at.basehead);
    if (media !== 'json') return compareAsText(comparison, media);
    const body = await compare(scope, comparison, page);
    return { body, total: body.total_commits };
  },
});

export const listContributors = endpoint({
  id: 'repos/list-contributors',
  method: 'GET',
  path: '/repos/{owner}/{repo}/contributors',
  summary: 'List repository contributors',
  access: readsMetadata,
  query: Type.Object({ anon: text }),
  paging: pages(),
  refuses: [409],
  replies: { 200: Type.Array(Contributor), 204: Nothing },
  async handle({ scope, at, query, page, reply }) {
    const gitRepository = repoOf(scope.git, at.repo.id);
    if (await isEmpty(gitRepository)) return reply(204);
    const from = await getCommitOid(gitRepository, { repo: at.repo, revision: undefined, refuse: notFound });
    const anonymous = query.anon === '1' || query.anon === 'true';
    return reply(200, pageOut(await contributorsOf(scope, at.repo, { from, anonymous }), page));
  },
});
