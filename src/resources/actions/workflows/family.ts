import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { followFiles } from './jobs.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';
import { workflowServices } from './services.ts';

export const workflows = family({
  name: 'workflows',
  effect: 'A workflow stops reacting to events, or reacts again.',
  page: 'actions.md',
  limits,
  services: workflowServices,
  schemas,
  endpoints: [endpoints],
  subscriptions: [followFiles],
});
