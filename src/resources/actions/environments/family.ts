import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { environmentEvents } from './events.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

export const environments = family({
  name: 'environments',
  effect: 'Jobs that use an environment wait for people, apps or a timer, are refused by branch, or no longer are.',
  page: 'deployments.md',
  limits,
  interpreters: [
    {
      reads: 'patterns of refs, paths and names in rulesets, environments, reviews and settings of actions',
      runs: 'steps',
      modules: ['protection.ts', 'rules.ts'],
      bounds: [],
    },
  ],
  schemas,
  endpoints: [endpoints],
  events: environmentEvents,
});
