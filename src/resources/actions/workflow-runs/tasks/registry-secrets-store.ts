// The sealed secrets of registries that running jobs were given.
import type { Db, Tx } from '#database/connect.ts';
import type { JobRow } from '../store.ts';

/** Stores the secrets of a job, which may have been offered to another runner before. */
export const putRegistrySecrets = (tx: Tx, job_id: JobRow['id'], secrets: Buffer) =>
  tx
    .insertInto('job_registry_secrets')
    .values({ job_id, secrets })
    .onConflict((conflict) => conflict.column('job_id').doUpdateSet({ secrets }))
    .execute();

export const findSealedSecrets = async (db: Db, job: JobRow['id']): Promise<Buffer | undefined> =>
  (await db.selectFrom('job_registry_secrets').select('secrets').where('job_id', '=', job).executeTakeFirst())?.secrets;

export const removeRegistrySecrets = (tx: Tx, job: JobRow['id']) =>
  tx.deleteFrom('job_registry_secrets').where('job_id', '=', job).execute();
