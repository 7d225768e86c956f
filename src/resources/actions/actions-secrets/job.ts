import type { Db } from '#database/connect.ts';
import { fixedValue } from '#lib/limits.ts';
import type { Secrets } from '#lib/secrets.ts';
import type { JobEnvironment } from '#resources/actions/actions-configuration/index.ts';
import { secretLimits } from './limits.ts';
import { actionsStore, type SecretStore } from './secret-store.ts';
import { type JobSecret, listJobSecrets } from './store.ts';
import { openValue } from './values.ts';

const most = fixedValue(secretLimits.fromOrganization);

/**
 * The secrets of workflows for a job: names with decrypted values, which must never be shown or logged. A secret of the
 * environment overrides one of the repository with the same name, and a secret of the repository overrides one of the
 * organization. A repository gets the first 100 secrets, by name, that its organization lets it use (the public API's rules). The
 * caller decides whether the run may have secrets: runs for forks may not.
 * @throws Error if a value was sealed under another secret key
 */
export const loadSecretsForJob = (db: Db, secrets: Secrets, job: JobEnvironment): Promise<ReadonlyMap<string, string>> =>
  loadSecretsOfStore(db, secrets, actionsStore, job);

/** The secrets of a store for a job, by the same rules. @throws Error if a value was sealed under another secret key */
export async function loadSecretsOfStore(
  db: Db,
  secrets: Secrets,
  { name: store }: SecretStore,
  { repository, environment }: JobEnvironment,
): Promise<ReadonlyMap<string, string>> {
  return opened(secrets, await listJobSecrets(db, { store, repository, environment, most }));
}

/** The secrets of a job's environment only. A called workflow gets all other secrets from its caller. */
export async function loadEnvironmentSecrets(
  db: Db,
  secrets: Secrets,
  { repository, environment }: JobEnvironment,
): Promise<ReadonlyMap<string, string>> {
  const rows = environment === undefined ? [] : await listJobSecrets(db, { store: 'actions', repository, environment, most });
  return opened(
    secrets,
    rows.filter(({ environment_id }) => environment_id !== null),
  );
}

const opened = (secrets: Secrets, rows: readonly JobSecret[]): Map<string, string> =>
  new Map(rows.map((row) => [row.name, openValue(secrets, row)]));
