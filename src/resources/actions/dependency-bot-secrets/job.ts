import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import type { Secrets } from '#lib/secrets.ts';
import { loadSecretsOfStore } from '#resources/actions/actions-secrets/index.ts';
import { botStore } from './secret-store.ts';

/**
 * The bot's secrets for a job: names with decrypted values, which must never be shown or logged. Workflows that the bot's pull
 * requests start get them, and registries of its configuration file. A repository's secret overrides its organization's.
 * A repository gets the first 100 secrets, by name, that its organization lets it use. The caller decides whether the job may.
 * @throws Error if a value was sealed under another secret key
 */
export const loadBotSecretsForJob = (
  db: Db,
  secrets: Secrets,
  repository: Id<'repositories'>,
): Promise<ReadonlyMap<string, string>> => loadSecretsOfStore(db, secrets, botStore, { repository });
