import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { dependencyBotSecretEvents } from './events.ts';
import * as schemas from './schemas.ts';

/** The secrets of the dependency bot, of organizations and repositories. */
export const dependencyBotSecrets = family({
  name: 'dependency-bot-secrets',
  effect: 'Jobs of the dependency bot get a secret, get another value of it, or lose it.',
  page: 'dependency-bot.md',
  schemas,
  endpoints: [endpoints],
  events: dependencyBotSecretEvents,
});
