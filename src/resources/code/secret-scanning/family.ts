import { family } from '#resources/family.ts';
import { followPattern } from './custom-patterns/follow-pattern.ts';
import * as patternSchemas from './custom-patterns/schemas.ts';
import * as alerts from './endpoints/alerts.ts';
import * as patterns from './endpoints/patterns.ts';
import { secretScanningEvents } from './events.ts';
import { interpreters } from './interpreters.ts';
import { scanChanged, scanForNewPatterns } from './jobs.ts';
import * as limits from './limits.ts';
import { scanRepository } from './scans/scan.ts';
import { scanWritten } from './scans/scan-texts.ts';
import * as schemas from './schemas.ts';

/** Secrets in repositories: alerts of those that were pushed or written, and what keeps others from being pushed. */
export const secretScanning = family({
  name: 'secret-scanning',
  effect: 'Other secrets are found in files and pushes; an alert is closed, or a blocked push is let through.',
  page: 'secret-scanning.md',
  limits,
  interpreters,
  schemas: { ...schemas, ...patternSchemas },
  endpoints: [alerts, patterns],
  events: secretScanningEvents,
  payloadParts: { alert: schemas.SecretAlertInPayload },
  subscriptions: [scanChanged, scanWritten],
  jobs: [scanRepository, scanForNewPatterns, followPattern],
});
