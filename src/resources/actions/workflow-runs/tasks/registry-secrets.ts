// What a job's log must not show of its registries: the secrets that it was given, even if they were changed since.
import type { Db } from '#database/connect.ts';
import type { Secrets } from '#lib/secrets.ts';
import type { JobRow } from '../store.ts';
import { findSealedSecrets } from './registry-secrets-store.ts';

const contextOf = ({ id }: Pick<JobRow, 'id'>): string => `job_registry_secrets.secrets:${id}`;

export const sealRegistrySecrets = (secrets: Secrets, job: Pick<JobRow, 'id'>, values: readonly string[]): Buffer =>
  secrets.seal(values.join('\0'), contextOf(job));

/** The secrets of a running job; undefined if it has registries, but its secrets aren't stored. */
export async function findRegistrySecrets(db: Db, secrets: Secrets, job: JobRow): Promise<string[] | undefined> {
  if (!job.has_registries) return [];
  const sealed = await findSealedSecrets(db, job.id);
  return sealed && secrets.openText(sealed, contextOf(job)).split('\0');
}
