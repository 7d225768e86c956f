import { family } from '#resources/family.ts';
import * as runs from './endpoints/runs.ts';
import * as suites from './endpoints/suites.ts';
import { checkEvents } from './events.ts';
import { concludeStale, requestSuites } from './jobs.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

export const checks = family({
  name: 'checks',
  effect: "A commit shows a check's result, which can decide about merges, or the check is asked to run again.",
  page: 'checks.md',
  limits,
  schemas,
  endpoints: [runs, suites],
  events: checkEvents,
  payloadParts: { check_run: schemas.CheckRunInPayload, check_suite: schemas.CheckSuiteInPayload },
  subscriptions: [requestSuites],
  jobs: [concludeStale],
});
