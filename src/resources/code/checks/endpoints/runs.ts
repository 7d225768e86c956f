// Check runs: an app's results of one check of a commit.
import { Type } from 'typebox';
import { mapEach, mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import { repoOf } from '#git/store.ts';
import { notFound } from '#lib/refusal.ts';
import { getCommitOid, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { findHead } from '../head.ts';
import { checkRun, checkSuite } from '../path-resources.ts';
import { readsChecks, writesChecks } from '../policies.ts';
import { presentAnnotation, presentRun, presentRuns } from '../present.ts';
import { changeRun, createRun, rerequestRun } from '../rules.ts';
import { CheckAnnotation, CheckRun, CheckRunChange, CommitRunFilter, NewCheckRun, RunFilter } from '../schemas.ts';
import { listAnnotations, listRunsOfCommit, listRunsOfSuite } from '../store.ts';

export const createCheckRun = endpoint({
  id: 'checks/create',
  method: 'POST',
  path: '/repos/{owner}/{repo}/check-runs',
  summary: 'Create a check run',
  access: writesChecks,
  body: NewCheckRun,
  example: { name: 'tests', head_sha: 'ce587453ced02b1526dfb4cb910479d431683101', status: 'in_progress' },
  refuses: [422],
  replies: { 201: CheckRun },
  async handle({ scope, change, at, body, action, links }) {
    const head = await findHead(scope, action, body.head_sha);
    const row = await change((scope) => createRun(scope, action, head, body));
    return presentRun(scope, repositoryUrlsOf(links, at.repo), row);
  },
});

export const getCheckRun = endpoint({
  id: 'checks/get',
  method: 'GET',
  path: '/repos/{owner}/{repo}/check-runs/{check_run_id}',
  resources: [checkRun],
  summary: 'Get a check run',
  access: readsChecks,
  replies: { 200: CheckRun },
  async handle({ scope, at, links }) {
    return presentRun(scope, repositoryUrlsOf(links, at.repo), at.run);
  },
});

export const updateCheckRun = endpoint({
  id: 'checks/update',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/check-runs/{check_run_id}',
  resources: [checkRun],
  summary: 'Update a check run',
  access: writesChecks,
  body: CheckRunChange,
  example: { status: 'completed', conclusion: 'success' },
  replies: { 200: CheckRun },
  async handle({ scope, change, at, body, action, links }) {
    const row = await change((scope, { run }) => changeRun(scope, action, run, body));
    return presentRun(scope, repositoryUrlsOf(links, at.repo), row);
  },
});

export const listCheckRunAnnotations = endpoint({
  id: 'checks/list-annotations',
  method: 'GET',
  path: '/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations',
  resources: [checkRun],
  summary: 'List check run annotations',
  access: readsChecks,
  paging: pages(),
  replies: { 200: Type.Array(CheckAnnotation) },
  async handle({ db, at, page, links }) {
    const urls = repositoryUrlsOf(links, at.repo);
    return mapEach(await listAnnotations(db, at.run.id, page), (row) => presentAnnotation(urls, at.run, row));
  },
});

export const rerequestCheckRun = endpoint({
  id: 'checks/rerequest-run',
  method: 'POST',
  path: '/repos/{owner}/{repo}/check-runs/{check_run_id}/rerequest',
  resources: [checkRun],
  summary: 'Rerequest a check run',
  access: writesChecks,
  replies: { 201: Type.Object({}) },
  async handle({ change, action }) {
    await change((scope, { run }) => rerequestRun(scope, action, run));
    return {};
  },
});

export const listCheckRunsForSuite = endpoint({
  id: 'checks/list-for-suite',
  method: 'GET',
  path: '/repos/{owner}/{repo}/check-suites/{check_suite_id}/check-runs',
  resources: [checkSuite],
  summary: 'List check runs in a check suite',
  access: readsChecks,
  query: RunFilter,
  paging: pages(),
  replies: { 200: enveloped('check_runs', CheckRun) },
  async handle({ scope, db, at, query, page, links }) {
    const urls = repositoryUrlsOf(links, at.repo);
    return mapRows(await listRunsOfSuite(db, at.suite.id, query, page), (rows) => presentRuns(scope, urls, rows));
  },
});

export const listCheckRunsForRef = endpoint({
  id: 'checks/list-for-ref',
  method: 'GET',
  path: '/repos/{owner}/{repo}/commits/{ref}/check-runs',
  summary: 'List check runs for a Git reference',
  access: readsChecks,
  query: CommitRunFilter,
  paging: pages(),
  refuses: [409],
  replies: { 200: enveloped('check_runs', CheckRun) },
  async handle({ scope, db, at, query, page, links, services: { git } }) {
    const commit = await getCommitOid(repoOf(git, at.repo.id), { repo: at.repo, revision: at.ref, refuse: notFound });
    const found = await listRunsOfCommit(db, { repository: at.repo.id, commit }, query, page);
    return mapRows(found, (rows) => presentRuns(scope, repositoryUrlsOf(links, at.repo), rows));
  },
});
