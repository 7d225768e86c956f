// Alerts of dependencies with known vulnerabilities.
import { Type } from 'typebox';
import { readsContents } from '#access/policies.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pagesAndCursors } from '#endpoint/paging.ts';
import { forbidden, notFound, orNotFound } from '#lib/refusal.ts';
import { compareHistories, findComparison } from '#resources/code/commits/index.ts';
import { presentWithRepositories } from '#resources/repositories/repositories/index.ts';
import { listDependencyChanges } from '#resources/security/dependency-graph/index.ts';
import { filterOf } from './filters.ts';
import { dependencyAlert } from './path-resources.ts';
import { presentAlert, presentAlerts } from './present.ts';
import { presentDifferences } from './review.ts';
import { changeAlert } from './rules.ts';
import {
  DependencyAlert,
  DependencyAlertChange,
  DependencyAlertQuery,
  DependencyDifference,
  DependencyReviewQuery,
  OrganizationAlertQuery,
  OrganizationDependencyAlert,
} from './schemas.ts';
import { findAlert, listAlerts } from './store.ts';

const ofRepo = { scopes: ['repo', 'security_events'], role: 'write', orRole: 'security_manager' } as const;
const reads = { ...ofRepo, permission: 'vulnerability_alerts:read' } as const;
const writes = { ...ofRepo, permission: 'vulnerability_alerts:write' } as const;

export const listRepoDependencyAlerts = endpoint({
  id: 'dependabot/list-alerts-for-repo',
  method: 'GET',
  path: '/repos/{owner}/{repo}/dependency-bot/alerts',
  summary: 'List vulnerable dependencies of a repository',
  access: reads,
  refuses: [422],
  query: DependencyAlertQuery,
  paging: pagesAndCursors(),
  replies: { 200: Type.Array(DependencyAlert) },
  async handle({ scope, db, at: { repo }, query, page }) {
    if (!repo.vulnerability_alerts) throw forbidden('Vulnerability alerts are disabled for this repository.');
    const found = await listAlerts(db, { repository: repo.id }, filterOf(query), page);
    return mapRows(found, (rows) => presentAlerts(scope, rows, () => repo));
  },
});

export const listOrgDependencyAlerts = endpoint({
  id: 'dependabot/list-alerts-for-org',
  method: 'GET',
  path: '/orgs/{org}/dependency-bot/alerts',
  summary: 'List vulnerable dependencies of an organization',
  access: { ...reads, role: 'owner' },
  refuses: [422],
  query: OrganizationAlertQuery,
  paging: pagesAndCursors(),
  replies: { 200: Type.Array(OrganizationDependencyAlert) },
  async handle({ scope, db, at: { org }, query, page, viewer }) {
    const context = scope;
    const found = await listAlerts(db, { owner: org.id, viewer }, filterOf(query), page);
    return mapRows(found, (rows) =>
      presentWithRepositories(context, rows, (some, repositoryOf) => presentAlerts(context, some, repositoryOf)),
    );
  },
});

export const getDependencyAlert = endpoint({
  id: 'dependabot/get-alert',
  method: 'GET',
  path: '/repos/{owner}/{repo}/dependency-bot/alerts/{alert_number}',
  resources: [dependencyAlert],
  summary: 'Get an alert of a vulnerable dependency',
  access: reads,
  replies: { 200: DependencyAlert },
  async handle({ scope, at }) {
    return presentAlert(scope, at.dependencyAlert, at.repo);
  },
});

export const updateDependencyAlert = endpoint({
  id: 'dependabot/update-alert',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/dependency-bot/alerts/{alert_number}',
  resources: [dependencyAlert],
  summary: 'Dismiss an alert of a vulnerable dependency, open it again, or assign it',
  access: writes,
  refuses: [409, 422],
  body: DependencyAlertChange,
  example: { state: 'dismissed', dismissed_reason: 'tolerable_risk' },
  replies: { 200: DependencyAlert },
  async handle({ scope, db, change, at, body, action }) {
    await change((scope, { dependencyAlert }) => changeAlert(scope, action, dependencyAlert, body));
    return presentAlert(scope, orNotFound(await findAlert(db, at.dependencyAlert.id)), at.repo);
  },
});

export const compareDependencyGraphs = endpoint({
  id: 'dependency-graph/diff-range',
  method: 'GET',
  path: '/repos/{owner}/{repo}/dependency-graph/compare/{basehead}',
  summary: 'Get a diff of the dependencies between commits',
  access: readsContents,
  query: DependencyReviewQuery,
  refuses: [404, 409, 422],
  replies: { 200: Type.Array(DependencyDifference) },
  isLarge: true,
  async handle({ scope, db, at: { repo, basehead }, query, caller }) {
    if (!repo.dependency_graph) throw notFound();
    const { gitRepository, ends } = await findComparison(scope, repo, basehead);
    const { mergeBase: from } = await compareHistories(gitRepository, ends);
    const source = { db, gitRepository, repository: repo.id, caller };
    const changes = await listDependencyChanges(source, { from, to: ends.head, manifest: query.name });
    return presentDifferences(scope, repo.id, changes);
  },
});
