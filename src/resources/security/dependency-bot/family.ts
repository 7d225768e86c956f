import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { dependencyBotEvents } from './events.ts';
import { interpreters } from './interpreters.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

/** The bot that proposes updates of dependencies, and the repositories that organizations let it read. */
export const dependencyBot = family({
  name: 'dependency-bot',
  effect: 'A bot that proposes updates gets or loses read access to other repositories.',
  page: 'dependency-bot.md',
  limits,
  interpreters,
  schemas,
  endpoints: [endpoints],
  events: dependencyBotEvents,
});
