import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { rulesetEvents } from './events.ts';
import { interpreters } from './interpreters.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

export const rulesets = family({
  name: 'rulesets',
  effect: 'Pushes, merges and changes to repositories are refused that were allowed before, or allowed again.',
  page: 'rulesets.md',
  limits,
  interpreters,
  schemas,
  endpoints: [endpoints],
  events: rulesetEvents,
  payloadParts: { repository_ruleset: schemas.Ruleset },
});
