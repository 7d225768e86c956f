import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { dependencyBotEvents } from './events.ts';
import * as schemas from './schemas.ts';

/** The repositories that organizations let a bot read, which proposes updates of dependencies. */
export const dependencyBot = family({
  name: 'dependency-bot',
  effect: 'A bot that proposes updates gets or loses read access to other repositories.',
  page: 'dependency-alerts.md',
  schemas,
  endpoints: [endpoints],
  events: dependencyBotEvents,
});
