// Commits: history, one commit, comparisons.

import { Type } from 'typebox';
import { readsContents, readsMetadata } from '#access/policies.ts';
import { mapRows } from '#database/list.ts';
import { raw } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pageOut, pages, pagesInside } from '#endpoint/paging.ts';
import { diffCommit } from '#git/history/compare.ts';
import { openDiff, openPatches } from '#git/history/patch-text.ts';
import { openObjects } from '#git/objects/objects.ts';
import { repoOf } from '#git/store.ts';
import { notFound, unprocessable } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { compare, compareHistories, findComparison } from './compare.ts';
import { contributorsOf } from './contributors.ts';
import { repositoryUrlsOf } from './links.ts';
import { presentCommit, presentCommits, presentFiles } from './present.ts';
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
  async handle({ scope, at, page, media, links, services: { git } }) {
    const gitRepository = repoOf(git, at.repo.id);
    const refuse = () => unprocessable(`No commit found for SHA: ${at.ref}`);
    const oid = await getCommitOid(gitRepository, { repo: at.repo, revision: at.ref, refuse });
    if (media === 'sha') return raw('application/vnd.service.sha; charset=utf-8', oid, { etag: `"${oid}"` });
    await using reader = await openObjects(gitRepository);
    const commit = await reader.getCommit(oid);
    if (media !== 'json') {
      const text =
        media === 'diff'
          ? openDiff(gitRepository, { from: commit.parents[0] ?? null, to: oid })
          : openPatches(gitRepository, { to: oid });
      return raw(`application/vnd.service.${media}; charset=utf-8`, await text);
    }
    const { files, additions, deletions } = await diffCommit(gitRepository, commit);
    const urls = repositoryUrlsOf(links, at.repo);
    const filesOfPage = files.slice(0, maxFiles).slice(page.offset, page.offset + page.limit);
    const body = {
      ...(await presentCommit(scope, urls, commit)),
      stats: { total: additions + deletions, additions, deletions },
      files: presentFiles(urls, oid, filesOfPage),
    };
    return { body, total: files.length };
  },
});

/** Commits of a comparison on one page, as in the public API. */
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
  async handle({ scope, db, at, viewer, page, media, services: { git } }) {
    const comparison = await findComparison({ db, git, viewer }, at.repo, at.basehead);
    if (media !== 'json') {
      const { mergeBase: from } = await compareHistories(comparison.gitRepository, comparison.ends);
      const { base: without, head: to } = comparison.ends;
      const text =
        media === 'diff'
          ? openDiff(comparison.gitRepository, { from, to })
          : openPatches(comparison.gitRepository, { to, without });
      return raw(`application/vnd.service.${media}; charset=utf-8`, await text);
    }
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
  async handle({ db, at, query, page, links, reply, services: { git } }) {
    const gitRepository = repoOf(git, at.repo.id);
    if (await isEmpty(gitRepository)) return reply(204);
    const from = await getCommitOid(gitRepository, { repo: at.repo, revision: undefined, refuse: notFound });
    const anonymous = query.anon === '1' || query.anon === 'true';
    const context = { db, links, urls: repositoryUrlsOf(links, at.repo), gitRepository };
    return reply(200, pageOut(await contributorsOf(context, { from, anonymous }), page));
  },
});
