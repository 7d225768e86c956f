import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import type { Secrets } from '#lib/secrets.ts';
import { loadSecretsOfStore } from '#resources/actions/actions-secrets/index.ts';
import { botStore } from './secret-store.ts';

/**
 * The secrets for the jobs of the dependency bot in a repository, and for those of workflows that its pull requests start: names
 * with decrypted values, which must never be shown or logged. A secret of the repository overrides one of its organization, of
 * which it gets the first 100, by name, that it may use. The caller decides whether the run is one of the bot's.
 * @throws Error if a value was sealed under another secret key
 */
export const loadBotSecretsForJob = (
  db: Db,
  secrets: Secrets,
  repository: Id<'repositories'>,
): Promise<ReadonlyMap<string, string>> => loadSecretsOfStore(db, secrets, botStore, { repository });
