// Alerts of secrets that were found in repositories.
import { Type } from 'typebox';
import type { Repo } from '#access/viewer.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages, pagesAndCursors } from '#endpoint/paging.ts';
import { notFound, orNotFound } from '#lib/refusal.ts';
import { repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { presentWithRepositories } from '#resources/repositories/repositories/index.ts';
import { filterOf } from '../filters.ts';
import { secretAlert } from '../path-resources.ts';
import { presentAlert, presentAlerts, presentHistory, presentLocation } from '../present.ts';
import { bypassProtection } from '../push-protection/push-protection.ts';
import { changeAlert } from '../rules.ts';
import { listScans } from '../scans/store.ts';
import {
  AlertChange,
  AlertLocation,
  AlertQuery,
  Bypass,
  HideSecret,
  NewBypass,
  OrganizationSecretAlert,
  ScanHistory,
  SecretAlert,
} from '../schemas.ts';
import { findAlert, listAlerts, listLocations } from '../store.ts';

const ofRepo = { scopes: ['repo', 'security_events'], role: 'admin', orRole: 'security_manager' } as const;
const reads = { ...ofRepo, permission: 'secret_scanning_alerts:read' } as const;
const writes = { ...ofRepo, permission: 'secret_scanning_alerts:write' } as const;

/** Refuses a repository with secret scanning off. Like the public API, it answers 404. */
function demandScanning({ secret_scanning }: Pick<Repo, 'secret_scanning'>): void {
  if (!secret_scanning) throw notFound();
}

export const listRepoSecretAlerts = endpoint({
  id: 'secret-scanning/list-alerts-for-repo',
  method: 'GET',
  path: '/repos/{owner}/{repo}/secret-scanning/alerts',
  summary: 'List secret scanning alerts for a repository',
  access: reads,
  refuses: [404, 422],
  query: AlertQuery,
  paging: pagesAndCursors(),
  replies: { 200: Type.Array(SecretAlert) },
  async handle({ scope, db, at: { repo }, query, page, services: { secrets } }) {
    demandScanning(repo);
    const found = await listAlerts(db, { repository: repo.id }, filterOf(query), page);
    const shown = { secrets, hideSecret: query.hide_secret };
    return mapRows(found, (rows) => presentAlerts(scope, rows, () => repo, shown));
  },
});

export const listOrgSecretAlerts = endpoint({
  id: 'secret-scanning/list-alerts-for-org',
  method: 'GET',
  path: '/orgs/{org}/secret-scanning/alerts',
  summary: 'List secret scanning alerts for an organization',
  access: { ...reads, role: 'owner' },
  refuses: [422],
  query: AlertQuery,
  paging: pagesAndCursors(),
  replies: { 200: Type.Array(OrganizationSecretAlert) },
  async handle({ scope, db, at: { org }, query, page, viewer, services: { secrets } }) {
    const context = scope;
    const found = await listAlerts(db, { owner: org.id, viewer }, filterOf(query), page);
    const options = { secrets, hideSecret: query.hide_secret };
    return mapRows(found, (rows) =>
      presentWithRepositories(context, rows, (some, repositoryOf) => presentAlerts(context, some, repositoryOf, options)),
    );
  },
});

export const getSecretAlert = endpoint({
  id: 'secret-scanning/get-alert',
  method: 'GET',
  path: '/repos/{owner}/{repo}/secret-scanning/alerts/{alert_number}',
  resources: [secretAlert],
  summary: 'Get a secret scanning alert',
  access: reads,
  query: HideSecret,
  replies: { 200: SecretAlert },
  async handle({ scope, at, query, services: { secrets } }) {
    return presentAlert(scope, at.secretAlert, at.repo, { secrets, hideSecret: query.hide_secret });
  },
});

export const updateSecretAlert = endpoint({
  id: 'secret-scanning/update-alert',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/secret-scanning/alerts/{alert_number}',
  resources: [secretAlert],
  summary: 'Update a secret scanning alert',
  access: writes,
  refuses: [422],
  body: AlertChange,
  example: { state: 'resolved', resolution: 'revoked' },
  replies: { 200: SecretAlert },
  async handle({ scope, db, change, at, body, action, services: { secrets } }) {
    await change((scope, { secretAlert }) => changeAlert(scope, action, secretAlert, body));
    const row = orNotFound(await findAlert(db, at.secretAlert.id));
    return presentAlert(scope, row, at.repo, { secrets, hideSecret: false });
  },
});

export const listSecretLocations = endpoint({
  id: 'secret-scanning/list-locations-for-alert',
  method: 'GET',
  path: '/repos/{owner}/{repo}/secret-scanning/alerts/{alert_number}/locations',
  resources: [secretAlert],
  summary: 'List locations for a secret scanning alert',
  access: reads,
  paging: pages(),
  replies: { 200: Type.Array(AlertLocation) },
  async handle({ db, at, page, links }) {
    const urls = repositoryUrlsOf(links, at.repo);
    return mapRows(await listLocations(db, at.secretAlert.id, page), (rows) => rows.map((row) => presentLocation(urls, row)));
  },
});

export const getSecretScanHistory = endpoint({
  id: 'secret-scanning/get-scan-history',
  method: 'GET',
  path: '/repos/{owner}/{repo}/secret-scanning/scan-history',
  summary: 'Get secret scanning scan history for a repository',
  access: reads,
  refuses: [404],
  replies: { 200: ScanHistory },
  async handle({ db, at: { repo } }) {
    demandScanning(repo);
    return presentHistory(await listScans(db, repo.id));
  },
});

export const createProtectionBypass = endpoint({
  id: 'secret-scanning/create-push-protection-bypass',
  method: 'POST',
  path: '/repos/{owner}/{repo}/secret-scanning/push-protection-bypasses',
  summary: 'Create a push protection bypass',
  access: { permission: 'contents:write', scopes: ['repo'], role: 'write' },
  refuses: [404],
  body: NewBypass,
  example: { reason: 'used_in_tests', placeholder_id: '2k4dM4tseyC5lPIsjl5emX9sPNk' },
  replies: { 200: Bypass },
  async handle({ change, body, action }) {
    return change((scope) => bypassProtection(scope, action, body));
  },
});
