import { family } from '#resources/family.ts';
import * as runs from './endpoints/runs.ts';
import * as suites from './endpoints/suites.ts';
import { checkEvents } from './events.ts';
import { concludeStale, requestSuites } from './jobs.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

export const checks = family({
  name: 'checks',
  limits,
  schemas,
  endpoints: [runs, suites],
  events: checkEvents,
  payloadParts: { check_run: schemas.CheckRunInPayload, check_suite: schemas.CheckSuiteInPayload },
  subscriptions: [requestSuites],
  jobs: [concludeStale],
});
