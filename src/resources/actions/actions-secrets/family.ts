import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { actionsSecretEvents } from './events.ts';
import * as schemas from './schemas.ts';

/** Secrets of workflows, of organizations, repositories and environments. */
export const actionsSecrets = family({ name: 'actions-secrets', schemas, endpoints: [endpoints], events: actionsSecretEvents });
