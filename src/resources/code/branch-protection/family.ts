import { family } from '#resources/family.ts';
import * as list from './endpoints/list.ts';
import * as protections from './endpoints/protections.ts';
import * as restrictions from './endpoints/restrictions.ts';
import * as reviews from './endpoints/reviews.ts';
import * as statusChecks from './endpoints/status-checks.ts';
import * as switches from './endpoints/switches.ts';
import { branchProtectionEvents } from './events.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

export const branchProtection = family({
  name: 'branch-protection',
  effect: 'Pushes and merges to a branch are refused that were allowed before, or allowed again.',
  page: 'branch-protection.md',
  limits,
  schemas,
  endpoints: [protections, switches, reviews, statusChecks, restrictions],
  pageEndpoints: [list],
  events: branchProtectionEvents,
});
