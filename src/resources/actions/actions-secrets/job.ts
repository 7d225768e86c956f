import type { Db } from '#database/connect.ts';
import { fixedValue } from '#lib/limits.ts';
import type { Secrets } from '#lib/secrets.ts';
import type { JobEnvironment } from '#resources/actions/actions-configuration/index.ts';
import { secretLimits } from './limits.ts';
import { type JobSecret, listJobSecrets } from './store.ts';
import { openValue } from './values.ts';

const most = fixedValue(secretLimits.fromOrganization);

/**
 * The secrets that a job gets: names with decrypted values, which must never be shown or logged. An environment's secret hides
 * one of the repository with the same name, and that one of the organization. Of its organization, a repository gets those that
 * it may use, the first 100 by name (the public API's rules). Whether a run may have secrets at all, as one for a fork may not,
 * is for the caller to decide.
 * @throws Error where a value was sealed under another secret key
 */
export async function loadSecretsForJob(
  db: Db,
  secrets: Secrets,
  { repository, environment }: JobEnvironment,
): Promise<ReadonlyMap<string, string>> {
  return opened(secrets, await listJobSecrets(db, { repository, environment, most }));
}

/** Those of its environment alone: a called workflow gets others only from who calls it. */
export async function loadEnvironmentSecrets(
  db: Db,
  secrets: Secrets,
  { repository, environment }: JobEnvironment,
): Promise<ReadonlyMap<string, string>> {
  const rows = environment === undefined ? [] : await listJobSecrets(db, { repository, environment, most });
  return opened(
    secrets,
    rows.filter(({ environment_id }) => environment_id !== null),
  );
}

const opened = (secrets: Secrets, rows: readonly JobSecret[]): Map<string, string> =>
  new Map(rows.map((row) => [row.name, openValue(secrets, row)]));
