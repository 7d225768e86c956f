import { family } from '#resources/family.ts';
import * as budgetEndpoints from './endpoints/budgets.ts';
import * as usageEndpoints from './endpoints/usage.ts';
import { billingEvents } from './events.ts';
import { countMinutes, countStorage, followRepositories } from './jobs.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';
import { makePrices } from './service.ts';

/** The usage of organizations, its cost, and budgets for it. */
export const billing = family({
  name: 'billing',
  effect: "An organization's owners are alerted, and its workflows stopped, at other amounts of usage.",
  page: 'billing.md#budgets',
  limits,
  operatorFiles: ['prices.ts'],
  services: { prices: makePrices },
  schemas,
  endpoints: [usageEndpoints, budgetEndpoints],
  events: billingEvents,
  subscriptions: [countMinutes, followRepositories],
  jobs: [countStorage],
});
