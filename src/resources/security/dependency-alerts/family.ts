import { Type } from 'typebox';
import { family } from '#resources/family.ts';
import { compareDependencies, compareRead } from './compare.ts';
import * as endpoints from './endpoints.ts';
import { dependencyAlertEvents } from './events.ts';
import * as limits from './limits.ts';
import { loadAdvisoryFiles } from './load.ts';
import * as schemas from './schemas.ts';
import { advisoriesFolder } from './services.ts';

/** Advisories about vulnerable packages, and alerts of repositories that depend on them. */
export const dependencyAlerts = family({
  name: 'dependency-alerts',
  effect: 'An alert about a vulnerable dependency is dismissed, reopened or assigned.',
  page: 'dependency-alerts.md',
  limits,
  services: { advisories: advisoriesFolder },
  interpreters: [
    {
      reads: 'package URLs and versions',
      runs: 'steps',
      modules: ['versions.ts', 'osv.ts'],
      bounds: ['dependencies.vulnerabilities', 'dependencies.advisorySize'],
    },
  ],
  schemas,
  endpoints: [endpoints],
  events: dependencyAlertEvents,
  payloadParts: { alert: Type.Union([schemas.DependencyAlert, schemas.VulnerabilityAlertInPayload]) },
  subscriptions: [compareRead],
  jobs: [compareDependencies, loadAdvisoryFiles],
});
