// Statuses of commits: the results that other systems report, such as a failed build.
import { Type } from 'typebox';
import type { Policy } from '#access/policy.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages, pagesInside } from '#endpoint/paging.ts';
import { repoOf } from '#git/store.ts';
import { notFound } from '#lib/refusal.ts';
import { getCommitOid, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { commitBySha } from './path-resources.ts';
import { presentCombinedStatus, presentStatus, presentStatuses } from './present.ts';
import { createStatus } from './rules.ts';
import { CombinedStatus, NewStatus, Status } from './schemas.ts';
import { listStatuses } from './store.ts';

const scopes = ['repo:status', 'repo'] as const;
const reads = { scopes, role: 'read', permission: 'statuses:read', public: true } as const satisfies Policy;
const writes = { scopes, role: 'write', permission: 'statuses:write' } as const satisfies Policy;

export const createCommitStatus = endpoint({
  id: 'repos/create-commit-status',
  method: 'POST',
  path: '/repos/{owner}/{repo}/statuses/{sha}',
  resources: [commitBySha],
  summary: 'Create a commit status',
  access: writes,
  body: NewStatus,
  example: { state: 'success', target_url: 'https://builds.example/1', description: 'All tests pass', context: 'tests' },
  refuses: [422],
  replies: { 201: Status },
  async handle({ scope, change, at, body, action, links }) {
    const row = await change((scope) => createStatus(scope, action, at.commit.oid, body));
    return presentStatus(scope, repositoryUrlsOf(links, at.repo), row);
  },
});

export const listCommitStatuses = endpoint({
  id: 'repos/list-commit-statuses-for-ref',
  method: 'GET',
  path: '/repos/{owner}/{repo}/commits/{ref}/statuses',
  summary: 'List commit statuses for a reference',
  access: reads,
  paging: pages(),
  refuses: [409],
  replies: { 200: Type.Array(Status) },
  async handle({ scope, db, at, page, links, services: { git } }) {
    const commit = await getCommitOid(repoOf(git, at.repo.id), { repo: at.repo, revision: at.ref, refuse: notFound });
    const found = await listStatuses(db, { repository: at.repo.id, commit }, page);
    return mapRows(found, (rows) => presentStatuses(scope, repositoryUrlsOf(links, at.repo), rows));
  },
});

export const getCombinedStatus = endpoint({
  id: 'repos/get-combined-status-for-ref',
  method: 'GET',
  path: '/repos/{owner}/{repo}/commits/{ref}/status',
  summary: 'Get the combined status for a specific reference',
  access: reads,
  paging: pagesInside(),
  refuses: [409],
  replies: { 200: CombinedStatus },
  async handle({ scope, at, page }) {
    const gitRepository = repoOf(scope.git, at.repo.id);
    const commit = await getCommitOid(gitRepository, { repo: at.repo, revision: at.ref, refuse: notFound });
    return presentCombinedStatus(scope, at.repo, commit, page);
  },
});
