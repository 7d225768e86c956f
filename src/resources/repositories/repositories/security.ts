// The security switches of a repository, which are columns of its row. The families of security products read them.

import { authorize } from '#access/authorize.ts';
import type { Account, Repo, RepositoryRow, Viewer } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { defined } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { unprocessable } from '#lib/refusal.ts';
import { getSettings } from '#resources/identity/organizations/index.ts';
import { type SecurityAndAnalysis, type SecurityAndAnalysisChange, secretSwitches } from './schemas.ts';
import { loadEnforcedSwitches, updateRepository } from './store.ts';

/** The switches that replies show together, as `security_and_analysis`. */
export const shownSwitches = [
  'secret_scanning',
  'secret_scanning_push_protection',
  'secret_scanning_non_provider_patterns',
  'dependency_bot_security_updates',
] as const;

/** Switches that others depend on come first. */
const securitySwitches = [
  'dependency_graph',
  'vulnerability_alerts',
  'private_vulnerability_reporting',
  ...shownSwitches,
] as const;
type SecuritySwitch = (typeof securitySwitches)[number];

export type SecurityState = { readonly [Switch in SecuritySwitch]: boolean };
export type SecurityChange = { [Switch in SecuritySwitch]?: boolean | undefined };

/** Switches that depend on another one. Turning that one off turns them off too. */
const needs: { readonly [Switch in SecuritySwitch]?: readonly [SecuritySwitch, string] } = {
  secret_scanning_push_protection: ['secret_scanning', 'Secret scanning must be enabled to configure push protection.'],
  secret_scanning_non_provider_patterns: [
    'secret_scanning',
    'Secret scanning must be enabled to configure non-provider patterns.',
  ],
  vulnerability_alerts: ['dependency_graph', 'The dependency graph must be enabled to configure vulnerability alerts.'],
  dependency_bot_security_updates: [
    'vulnerability_alerts',
    'Vulnerability alerts must be enabled to configure automated security fixes.',
  ],
};

const stateOf = (row: SecurityState): SecurityState =>
  Object.fromEntries(securitySwitches.map((name) => [name, row[name]])) as SecurityState; // one value for each name

/**
 * All switches after a change.
 * @throws Refusal 422 if a switch is turned on without one that it depends on, or if the organization's configuration enforces a
 * changed switch
 */
function changedSwitches(row: SecurityState, wanted: SecurityChange, enforced: ReadonlySet<string> = new Set()): SecurityState {
  // Alerts turn on the dependency graph, as in the public API.
  const brought = wanted.vulnerability_alerts ? { dependency_graph: true } : {};
  const next = { ...stateOf(row), ...brought, ...defined(wanted) };
  for (const name of securitySwitches) {
    const [needed, message] = needs[name] ?? [];
    if (needed === undefined || next[needed] || !next[name]) continue;
    if (wanted[name]) throw unprocessable(message ?? '');
    next[name] = false;
  }
  const kept = securitySwitches.find((name) => next[name] !== row[name] && enforced.has(name));
  if (kept !== undefined) throw unprocessable(`${kept} is enforced by the code security configuration of the organization.`);
  return next;
}

/**
 * The switches of a repository after a change by a user, who is bound by the organization's configuration.
 * @throws as `changedSwitches` does
 */
export async function switchesAfter(tx: Tx, repo: RepositoryRow, wanted: SecurityChange): Promise<SecurityState> {
  if (Object.keys(defined(wanted)).length === 0) return stateOf(repo);
  return changedSwitches(repo, wanted, await loadEnforcedSwitches(tx, repo.id));
}

/** The author and the time of a change: a user, or a job on a user's behalf. */
type SwitchAction = {
  readonly repo: RepositoryRow;
  readonly by: { readonly account?: { readonly id: Id<'accounts'> } };
  readonly now: Date;
};

/** Records that switches changed, if they did. */
export async function recordSwitches(scope: WriteScope, action: SwitchAction, row: SecurityState): Promise<void> {
  const { repo } = action;
  const changes = securitySwitches.filter((name) => row[name] !== repo[name]);
  if (changes.length === 0) return;
  const data = { changes, from: stateOf(repo) };
  await record(scope.tx, { ...inRepository(action), kind: 'repository.security_changed', data });
}

/**
 * Turns switches of a repository on or off, unless its organization enforces them. Switches that already have the requested state
 * aren't recorded.
 * @throws as `changedSwitches` does
 */
export async function changeSecurity(scope: WriteScope, action: SwitchAction, wanted: SecurityChange): Promise<void> {
  await setSwitches(scope, action, await switchesAfter(scope.tx, action.repo, wanted));
}

/**
 * Turns vulnerability alerts off, and the dependency graph that was turned on with them, as in the public API, unless the
 * organization enforces it.
 */
export async function disableAlerts(scope: WriteScope, action: SwitchAction): Promise<void> {
  const enforced = await loadEnforcedSwitches(scope.tx, action.repo.id);
  const wanted = { vulnerability_alerts: false, ...(enforced.has('dependency_graph') ? {} : { dependency_graph: false }) };
  await setSwitches(scope, action, changedSwitches(action.repo, wanted, enforced));
}

/** Turns switches of a repository on or off, as its organization's configuration says. @throws as `changedSwitches` does */
export const applySecurity = (scope: WriteScope, action: SwitchAction, wanted: SecurityChange): Promise<void> =>
  setSwitches(scope, action, changedSwitches(action.repo, wanted));

async function setSwitches(scope: WriteScope, action: SwitchAction, next: SecurityState): Promise<void> {
  if (securitySwitches.every((name) => next[name] === action.repo[name])) return;
  await updateRepository(scope.tx, action.repo.id, next);
  await recordSwitches(scope, action, next);
}

/** The switches of a new repository, as its organization's configuration says. */
export async function firstSwitches(tx: Tx, owner: Account): Promise<SecurityChange> {
  if (owner.kind !== 'organization') return {};
  const settings = await getSettings(tx, owner.id);
  const secret_scanning = settings.secret_scanning_enabled_for_new_repositories;
  const vulnerability_alerts = settings.dependency_bot_alerts_enabled_for_new_repositories;
  return {
    dependency_graph: vulnerability_alerts || settings.dependency_graph_enabled_for_new_repositories,
    secret_scanning,
    secret_scanning_push_protection: secret_scanning && settings.secret_scanning_push_protection_enabled_for_new_repositories,
    vulnerability_alerts,
    dependency_bot_security_updates:
      vulnerability_alerts && settings.dependency_bot_security_updates_enabled_for_new_repositories,
  };
}

const readsSecurity = { permission: 'administration:read', scopes: ['repo'], role: 'admin', orRole: 'security_manager' } as const;

/** Whether a viewer may see the switches, which requires reading the administration of the repository. */
export const maySeeSecurity = (viewer: Viewer, repo: Repo): boolean =>
  authorize(readsSecurity, viewer, { repo }, { write: false }).allowed;

const statusOf = (isOn: boolean) => ({ status: isOn ? ('enabled' as const) : ('disabled' as const) });

export const presentSecurity = (row: Pick<RepositoryRow, (typeof shownSwitches)[number]>): SecurityAndAnalysis =>
  Object.fromEntries(shownSwitches.map((name) => [name, statusOf(row[name])])) as SecurityAndAnalysis; // one for each name

/** The requested switches. Products that Hearth doesn't have stay off. */
export const wantedSwitches = (wanted: SecurityAndAnalysisChange | null | undefined): SecurityChange =>
  Object.fromEntries(
    secretSwitches.flatMap((name) => {
      const status = wanted?.[name]?.status;
      return status === undefined ? [] : [[name, status === 'enabled']];
    }),
  );
