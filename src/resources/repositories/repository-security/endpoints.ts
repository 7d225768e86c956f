// The switches of a repository's security products, each with its own endpoints. `PATCH` of the repository has further ones.
import { readsMetadata } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { notFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { changeSecurity, disableAlerts } from '#resources/repositories/repositories/index.ts';
import { enablePrivateReporting, takesPrivateReports } from './rules.ts';
import { AutomatedSecurityFixes, PrivateVulnerabilityReporting } from './schemas.ts';

const administers = { scopes: ['repo'], role: 'admin', orRole: 'security_manager' } as const;
const reads = { ...administers, permission: 'administration:read' } as const;
const writes = { ...administers, permission: 'administration:write' } as const;

export const checkVulnerabilityAlerts = endpoint({
  id: 'repos/check-vulnerability-alerts',
  method: 'GET',
  path: '/repos/{owner}/{repo}/vulnerability-alerts',
  summary: 'Check if vulnerability alerts are enabled for a repository',
  access: reads,
  refuses: [404],
  replies: { 204: Nothing },
  async handle({ at }) {
    if (!at.repo.vulnerability_alerts) throw notFound();
  },
});

export const enableVulnerabilityAlerts = endpoint({
  id: 'repos/enable-vulnerability-alerts',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/vulnerability-alerts',
  summary: 'Enable vulnerability alerts',
  access: writes,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => changeSecurity(scope, action, { vulnerability_alerts: true }));
  },
});

export const disableVulnerabilityAlerts = endpoint({
  id: 'repos/disable-vulnerability-alerts',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/vulnerability-alerts',
  summary: 'Disable vulnerability alerts',
  access: writes,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => disableAlerts(scope, action));
  },
});

export const checkAutomatedSecurityFixes = endpoint({
  id: 'repos/check-automated-security-fixes',
  method: 'GET',
  path: '/repos/{owner}/{repo}/automated-security-fixes',
  summary: 'Check if automated security fixes are enabled for a repository',
  access: reads,
  refuses: [404],
  replies: { 200: AutomatedSecurityFixes },
  async handle({ at: { repo } }) {
    if (!repo.vulnerability_alerts) throw notFound();
    return { enabled: repo.dependency_bot_security_updates, paused: false };
  },
});

export const enableAutomatedSecurityFixes = endpoint({
  id: 'repos/enable-automated-security-fixes',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/automated-security-fixes',
  summary: 'Enable automated security fixes',
  access: writes,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => changeSecurity(scope, action, { dependency_bot_security_updates: true }));
  },
});

export const disableAutomatedSecurityFixes = endpoint({
  id: 'repos/disable-automated-security-fixes',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/automated-security-fixes',
  summary: 'Disable automated security fixes',
  access: writes,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => changeSecurity(scope, action, { dependency_bot_security_updates: false }));
  },
});

export const checkPrivateVulnerabilityReporting = endpoint({
  id: 'repos/check-private-vulnerability-reporting',
  method: 'GET',
  path: '/repos/{owner}/{repo}/private-vulnerability-reporting',
  summary: 'Check if private vulnerability reporting is enabled for a repository',
  access: readsMetadata,
  replies: { 200: PrivateVulnerabilityReporting },
  async handle({ at }) {
    return { enabled: takesPrivateReports(at.repo) };
  },
});

export const enablePrivateVulnerabilityReporting = endpoint({
  id: 'repos/enable-private-vulnerability-reporting',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/private-vulnerability-reporting',
  summary: 'Enable private vulnerability reporting for a repository',
  access: writes,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => enablePrivateReporting(scope, action));
  },
});

export const disablePrivateVulnerabilityReporting = endpoint({
  id: 'repos/disable-private-vulnerability-reporting',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/private-vulnerability-reporting',
  summary: 'Disable private vulnerability reporting for a repository',
  access: writes,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => changeSecurity(scope, action, { private_vulnerability_reporting: false }));
  },
});
