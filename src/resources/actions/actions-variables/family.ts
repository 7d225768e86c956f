import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { actionsVariableEvents } from './events.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

/** Variables of workflows, of organizations, repositories and environments. */
export const actionsVariables = family({
  name: 'actions-variables',
  effect: 'Jobs of workflows get a variable, get another value of it, or lose it.',
  page: 'actions-secrets.md#setting-a-variable',
  limits,
  schemas,
  endpoints: [endpoints],
  events: actionsVariableEvents,
});
