// The concurrency groups of runs and jobs.
import { readsActions } from '#access/policies.ts';
import { mapEach, mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped, pagesAndCursors } from '#endpoint/paging.ts';
import { repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { presentGroup, presentGroupsOfRun, presentGroupWithMembers } from '../concurrency/present.ts';
import { listGroups, listGroupsOfRun } from '../concurrency/store.ts';
import { concurrencyGroup, workflowRun } from '../path-resources.ts';
import { ConcurrencyGroup, ConcurrencyGroupFilter, ConcurrencyGroupOfRun, ConcurrencyGroupWithMembers } from '../schemas.ts';

/** The permission matrix has these operations for users' tokens only. */
const access = { ...readsActions, credentials: ['classic_pat', 'oauth_app', 'fine_grained_pat', 'session'] } as const;

export const listConcurrencyGroups = endpoint({
  id: 'actions/list-concurrency-groups-for-repository',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/concurrency_groups',
  summary: 'List concurrency groups for a repository',
  access,
  paging: pagesAndCursors(),
  replies: { 200: enveloped('concurrency_groups', ConcurrencyGroup) },
  async handle({ db, at, page, links }) {
    const urls = repositoryUrlsOf(links, at.repo);
    return mapEach(await listGroups(db, at.repo.id, page), (row) => presentGroup(urls, row));
  },
});

export const getConcurrencyGroup = endpoint({
  id: 'actions/get-concurrency-group-for-repository',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/concurrency_groups/{concurrency_group_name}',
  resources: [concurrencyGroup],
  summary: 'Get a concurrency group for a repository',
  access,
  query: ConcurrencyGroupFilter,
  refuses: [422],
  replies: { 200: ConcurrencyGroupWithMembers },
  async handle({ db, at, query, links }) {
    return presentGroupWithMembers(db, repositoryUrlsOf(links, at.repo), at.concurrencyGroup, query);
  },
});

export const listConcurrencyGroupsOfRun = endpoint({
  id: 'actions/list-concurrency-groups-for-workflow-run',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}/concurrency_groups',
  resources: [workflowRun],
  summary: 'List concurrency groups for a workflow run',
  access,
  paging: pagesAndCursors(),
  replies: { 200: enveloped('concurrency_groups', ConcurrencyGroupOfRun) },
  async handle({ db, at: { repo, workflowRun: run }, page, links }) {
    const urls = repositoryUrlsOf(links, repo);
    return mapRows(await listGroupsOfRun(db, run.id, page), (rows) => presentGroupsOfRun(db, urls, run.id, rows));
  },
});
