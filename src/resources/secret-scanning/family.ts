import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { secretScanningEvents } from './events.ts';
import { scanChanged, scanForNewPatterns } from './jobs.ts';
import { scanRepository } from './scan.ts';
import * as schemas from './schemas.ts';

/** Secrets in repositories: alerts of those that were pushed, and what keeps others from being pushed. */
export const secretScanning = family({
  name: 'secret-scanning',
  schemas,
  endpoints: [endpoints],
  events: secretScanningEvents,
  payloadParts: { alert: schemas.SecretAlertInPayload },
  subscriptions: [scanChanged],
  jobs: [scanRepository, scanForNewPatterns],
});
