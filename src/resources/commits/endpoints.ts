// Commits: history, one commit, comparisons.
import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import { raw } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages, pagesInside } from '#endpoint/paging.ts';
import { diffCommit } from '#git/compare.ts';
import { openObjects } from '#git/objects.ts';
import { openDiff, openPatches } from '#git/patch-text.ts';
import { repoOf } from '#git/store.ts';
import { notFound, unprocessable } from '#lib/refusal.ts';
import { placeOf } from './links.ts';
import { presentCommit, presentCommits, presentFiles } from './present.ts';
import { getCommitOid } from './revisions.ts';
import { filesOnPage, filterOf, listHistory, mostFiles } from './rules.ts';
import { Commit, FullCommit } from './schemas.ts';

const reads = { permission: 'contents:read', scopes: ['repo'], role: 'read', public: true } as const;
const text = Type.Optional(Type.String({ maxLength: 4096 }));

export const listCommits = endpoint({
  id: 'repos/list-commits',
  method: 'GET',
  path: '/repos/{owner}/{repo}/commits',
  summary: 'List commits',
  access: reads,
  query: Type.Object({ sha: text, path: text, author: text, committer: text, since: text, until: text }),
  paging: pages(),
  replies: { 200: Type.Array(Commit) },
  async handle({ db, at, query, page, links, services: { git } }) {
    const disk = repoOf(git, at.repo.id);
    const from = await getCommitOid(disk, { repo: at.repo, revision: query.sha, refuse: notFound });
    const filter = await filterOf(db, query);
    if (!filter) return { rows: [], total: 0 };
    const place = placeOf(links, at.repo);
    return mapRows(await listHistory(disk, { from, filter, page }), (rows) => presentCommits({ db, links, place }, rows));
  },
});

export const getCommit = endpoint({
  id: 'repos/get-commit',
  method: 'GET',
  path: '/repos/{owner}/{repo}/commits/{ref}',
  summary: 'Get a commit',
  access: reads,
  paging: pagesInside({ defaultLimit: filesOnPage, maxLimit: filesOnPage, most: mostFiles }),
  media: ['diff', 'patch', 'sha'],
  replies: { 200: FullCommit },
  async handle({ db, at, page, media, links, services: { git } }) {
    const disk = repoOf(git, at.repo.id);
    const refuse = () => unprocessable(`No commit found for SHA: ${at.ref}`);
    const oid = await getCommitOid(disk, { repo: at.repo, revision: at.ref, refuse });
    if (media === 'sha') return raw('application/vnd.service.sha; charset=utf-8', oid, { etag: `"${oid}"` });
    await using reader = await openObjects(disk);
    const commit = await reader.getCommit(oid);
    if (media === 'patch') return raw('application/vnd.service.patch; charset=utf-8', await openPatches(disk, { to: oid }));
    if (media === 'diff') {
      const sides = { from: commit.parents[0] ?? null, to: oid };
      return raw('application/vnd.service.diff; charset=utf-8', await openDiff(disk, sides));
    }
    const { files, additions, deletions } = await diffCommit(disk, commit);
    const place = placeOf(links, at.repo);
    const shown = files.slice(0, mostFiles).slice(page.offset, page.offset + page.limit);
    const body = {
      ...(await presentCommit({ db, links, place }, commit)),
      stats: { total: additions + deletions, additions, deletions },
      files: presentFiles(place, oid, shown),
    };
    return { body, total: files.length };
  },
});
