import type { SecretStore } from '#resources/actions/actions-secrets/index.ts';

/** The secrets of the dependency bot. */
export const botStore = {
  name: 'dependency_bot',
  resource: 'DependencyBotSecret',
  event: 'dependency_bot_secret',
  segment: 'dependency-bot',
} as const satisfies SecretStore;
