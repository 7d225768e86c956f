import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { actionsSecretEvents } from './events.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

/** Secrets of workflows, of organizations, repositories and environments. */
export const actionsSecrets = family({
  name: 'actions-secrets',
  effect: 'Jobs of workflows get a secret, get another value of it, or lose it.',
  page: 'actions-secrets.md',
  limits,
  schemas,
  endpoints: [endpoints],
  events: actionsSecretEvents,
});
