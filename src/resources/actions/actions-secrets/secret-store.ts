import type { Selectable } from 'kysely';
import type { DB } from '#database/tables.ts';

/**
 * A store of secrets. Stores have the same rules and the same endpoints, and each has secrets and keys of its own: whoever gets
 * the secrets of one store gets none of another.
 */
export type SecretStore = {
  /** The store in the tables. */
  readonly name: Selectable<DB['actions_secrets']>['store'];
  /** What refusals call a secret. */
  readonly resource: string;
  /** The first word of the kinds of events. */
  readonly event: 'actions_secret' | 'dependency_bot_secret';
  /** The word in paths, before `secrets`. */
  readonly segment: 'actions' | 'dependency-bot';
};

/** The secrets of workflows. */
export const actionsStore = {
  name: 'actions',
  resource: 'ActionsSecret',
  event: 'actions_secret',
  segment: 'actions',
} as const satisfies SecretStore;
