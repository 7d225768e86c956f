// Check suites: the runs of one app for one commit.

import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import { repoOf } from '#git/store.ts';
import { firstOrNotFound, notFound } from '#lib/refusal.ts';
import { getCommitOid } from '#resources/code/commits/index.ts';
import { presentRepositories } from '#resources/repositories/repositories/index.ts';
import { findHead } from '../head.ts';
import { checkSuite } from '../path-resources.ts';
import { administersChecks, readsChecks, writesChecks } from '../policies.ts';
import { presentSuite, presentSuites } from '../present.ts';
import { changePreferences, createSuite, rerequestSuite } from '../rules.ts';
import { CheckSuite, CheckSuitePreference, NewCheckSuite, PreferencesChange, SuiteFilter } from '../schemas.ts';
import { listPreferences, listSuites } from '../store.ts';

export const createCheckSuite = endpoint({
  id: 'checks/create-suite',
  method: 'POST',
  path: '/repos/{owner}/{repo}/check-suites',
  summary: 'Create a check suite',
  access: writesChecks,
  body: NewCheckSuite,
  example: { head_sha: 'ce587453ced02b1526dfb4cb910479d431683101' },
  refuses: [422],
  replies: { 200: CheckSuite, 201: CheckSuite },
  async handle({ scope, change, at, body, action, reply }) {
    const head = await findHead(scope, action, body.head_sha);
    const row = await change((scope) => createSuite(scope, action, head));
    const suite = await presentSuite(scope, at.repo, row);
    return row.is_new ? reply(201, suite) : reply(200, suite);
  },
});

export const getCheckSuite = endpoint({
  id: 'checks/get-suite',
  method: 'GET',
  path: '/repos/{owner}/{repo}/check-suites/{check_suite_id}',
  resources: [checkSuite],
  summary: 'Get a check suite',
  access: readsChecks,
  replies: { 200: CheckSuite },
  async handle({ scope, at }) {
    return presentSuite(scope, at.repo, at.suite);
  },
});

export const rerequestCheckSuite = endpoint({
  id: 'checks/rerequest-suite',
  method: 'POST',
  path: '/repos/{owner}/{repo}/check-suites/{check_suite_id}/rerequest',
  resources: [checkSuite],
  summary: 'Rerequest a check suite',
  access: writesChecks,
  replies: { 201: Type.Object({}) },
  async handle({ change, action }) {
    await change((scope, { suite }) => rerequestSuite(scope, action, suite));
    return {};
  },
});

export const setCheckSuitesPreferences = endpoint({
  id: 'checks/set-suites-preferences',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/check-suites/preferences',
  summary: 'Update repository preferences for check suites',
  access: administersChecks,
  body: PreferencesChange,
  example: { auto_trigger_checks: [] },
  replies: { 200: CheckSuitePreference },
  async handle({ scope, db, change, at, body, action }) {
    await change((scope) => changePreferences(scope, action, body));
    const [preferences, repositories] = await Promise.all([
      listPreferences(db, at.repo.id),
      presentRepositories(scope, [at.repo]),
    ]);
    return {
      preferences: { auto_trigger_checks: preferences.map(({ app_id, auto_trigger: setting }) => ({ app_id, setting })) },
      repository: firstOrNotFound(repositories),
    };
  },
});

export const listCheckSuitesForRef = endpoint({
  id: 'checks/list-suites-for-ref',
  method: 'GET',
  path: '/repos/{owner}/{repo}/commits/{ref}/check-suites',
  summary: 'List check suites for a Git reference',
  access: readsChecks,
  query: SuiteFilter,
  paging: pages(),
  refuses: [409],
  replies: { 200: enveloped('check_suites', CheckSuite) },
  async handle({ scope, db, at, query, page, services: { git } }) {
    const commit = await getCommitOid(repoOf(git, at.repo.id), { repo: at.repo, revision: at.ref, refuse: notFound });
    const found = await listSuites(db, { repository: at.repo.id, commit }, query, page);
    return mapRows(found, (rows) => presentSuites(scope, at.repo, rows));
  },
});
