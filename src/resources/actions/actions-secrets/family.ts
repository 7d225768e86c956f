import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { actionsSecretEvents } from './events.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

/** Secrets of workflows, of organizations, repositories and environments. */
export const actionsSecrets = family({
  name: 'actions-secrets',
  limits,
  schemas,
  endpoints: [endpoints],
  events: actionsSecretEvents,
});
