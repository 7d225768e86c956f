// The commits of a pull request, and the files that they change.
import { Type } from 'typebox';
import { readsPulls } from '#access/policies.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { listAhead } from '#git/history/compare.ts';
import { diffPage } from '#git/history/diff.ts';
import { repoOf } from '#git/store.ts';
import {
  Commit,
  commit,
  DiffEntry,
  maxFiles,
  presentCommits,
  presentFiles,
  repositoryUrlsOf,
} from '#resources/code/commits/index.ts';
import { maxCommits } from '../changes.ts';
import { pull } from '../path-resources.ts';
import { presentPulls } from '../present.ts';
import { PullRequest } from '../schemas.ts';
import { listWithCommit } from '../store.ts';

export const listPullCommits = endpoint({
  id: 'pulls/list-commits',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}/commits',
  resources: [pull],
  summary: 'List commits on a pull request',
  access: readsPulls,
  paging: pages(),
  replies: { 200: Type.Array(Commit) },
  async handle({ scope, at, page, links, services: { git } }) {
    const { merge_base_sha: base, head_sha: head, commits_count: ahead } = at.pull;
    const total = Math.min(ahead, maxCommits);
    const limit = Math.min(page.limit, total - page.offset);
    const commits = await listAhead(repoOf(git, at.repo.id), { base, head, ahead, offset: page.offset, limit });
    const urls = repositoryUrlsOf(links, at.repo);
    return { rows: await presentCommits(scope, urls, commits), total };
  },
});

export const listPullFiles = endpoint({
  id: 'pulls/list-files',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}/files',
  resources: [pull],
  summary: 'List pull requests files',
  access: readsPulls,
  paging: pages(),
  refuses: [422],
  replies: { 200: Type.Array(DiffEntry) },
  async handle({ at, page, links, services: { git } }) {
    const { merge_base_sha: from, head_sha: to } = at.pull;
    const { files, total } = await diffPage(repoOf(git, at.repo.id), { from, to, ...page, most: maxFiles });
    return { rows: presentFiles(repositoryUrlsOf(links, at.repo), to, files), total: Math.min(total, maxFiles) };
  },
});

export const listPullsOfCommit = endpoint({
  id: 'repos/list-pull-requests-associated-with-commit',
  method: 'GET',
  path: '/repos/{owner}/{repo}/commits/{commit_sha}/pulls',
  resources: [commit],
  summary: 'List pull requests associated with a commit',
  access: readsPulls,
  paging: pages(),
  refuses: [409, 422],
  replies: { 200: Type.Array(PullRequest) },
  async handle({ scope, db, at, page }) {
    const found = await listWithCommit(db, at.repo.id, at.commit.oid, page);
    return mapRows(found, (rows) => presentPulls(scope, rows));
  },
});
