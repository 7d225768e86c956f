// Alerts of problems that tools found in code.
import { Type } from 'typebox';
import { mapEach, mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages, pagesAndCursors } from '#endpoint/paging.ts';
import { orNotFound } from '#lib/refusal.ts';
import { presentWithRepositories } from '#resources/repositories/repositories/index.ts';
import { filterOf, refsOf } from '../filters.ts';
import { listInstances } from '../instance-store.ts';
import { codeScanningAlert } from '../path-resources.ts';
import { changesFindings, readsFindings } from '../policies.ts';
import { presentAlert, presentAlerts, presentInstance } from '../present.ts';
import { changeAlert } from '../rules.ts';
import {
  CodeScanningAlert,
  CodeScanningAlertChange,
  CodeScanningAlertItem,
  CodeScanningAlertQuery,
  CodeScanningInstance,
  OrganizationCodeScanningAlert,
  OrganizationCodeScanningQuery,
  RefQuery,
} from '../schemas.ts';
import { findAlert, listAlerts } from '../store.ts';

export const listRepoCodeScanningAlerts = endpoint({
  id: 'code-scanning/list-alerts-for-repo',
  method: 'GET',
  path: '/repos/{owner}/{repo}/code-scanning/alerts',
  summary: 'List code scanning alerts for a repository',
  access: readsFindings,
  refuses: [422],
  query: CodeScanningAlertQuery,
  paging: pagesAndCursors(),
  replies: { 200: Type.Array(CodeScanningAlertItem) },
  async handle({ scope, db, at: { repo }, query, page }) {
    const found = await listAlerts(db, repo, filterOf(query), page);
    return mapRows(found, (rows) => presentAlerts(scope, rows, () => repo));
  },
});

export const listOrgCodeScanningAlerts = endpoint({
  id: 'code-scanning/list-alerts-for-org',
  method: 'GET',
  path: '/orgs/{org}/code-scanning/alerts',
  summary: 'List code scanning alerts for an organization',
  access: { ...readsFindings, role: 'owner' },
  refuses: [422],
  query: OrganizationCodeScanningQuery,
  paging: pagesAndCursors(),
  replies: { 200: Type.Array(OrganizationCodeScanningAlert) },
  async handle({ scope, db, at: { org }, query, page, viewer }) {
    const context = scope;
    const found = await listAlerts(db, { owner: org.id, viewer }, filterOf(query), page);
    return mapRows(found, (rows) =>
      presentWithRepositories(context, rows, (some, repositoryOf) => presentAlerts(context, some, repositoryOf)),
    );
  },
});

export const getCodeScanningAlert = endpoint({
  id: 'code-scanning/get-alert',
  method: 'GET',
  path: '/repos/{owner}/{repo}/code-scanning/alerts/{alert_number}',
  resources: [codeScanningAlert],
  summary: 'Get a code scanning alert',
  access: readsFindings,
  replies: { 200: CodeScanningAlert },
  async handle({ scope, at }) {
    return presentAlert(scope, at.codeScanningAlert, at.repo);
  },
});

export const updateCodeScanningAlert = endpoint({
  id: 'code-scanning/update-alert',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/code-scanning/alerts/{alert_number}',
  resources: [codeScanningAlert],
  summary: 'Update a code scanning alert',
  access: changesFindings,
  refuses: [422],
  body: CodeScanningAlertChange,
  example: { state: 'dismissed', dismissed_reason: 'false positive' },
  replies: { 200: CodeScanningAlert },
  async handle({ scope, db, change, at, body, action }) {
    await change((scope, { codeScanningAlert }) => changeAlert(scope, action, codeScanningAlert, body));
    return presentAlert(scope, orNotFound(await findAlert(db, at.codeScanningAlert.id)), at.repo);
  },
});

export const listCodeScanningInstances = endpoint({
  id: 'code-scanning/list-alert-instances',
  method: 'GET',
  path: '/repos/{owner}/{repo}/code-scanning/alerts/{alert_number}/instances',
  resources: [codeScanningAlert],
  summary: 'List instances of a code scanning alert',
  access: readsFindings,
  refuses: [422],
  query: RefQuery,
  paging: pages(),
  replies: { 200: Type.Array(CodeScanningInstance) },
  async handle({ db, at, query, page }) {
    return mapEach(await listInstances(db, at.codeScanningAlert.id, refsOf(query), page), presentInstance);
  },
});
