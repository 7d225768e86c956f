import type { Tx } from '#database/connect.ts';
import { enqueue } from '#jobs/job.ts';

/**
 * The name of the job that removes the data of deleted organizations. The rule adds it with the function below; `jobs.ts` runs
 * it.
 */
export const removing = { name: 'organization-deletion.remove', attempts: 25 } as const;

/** Requests the removal now, without waiting for the job's schedule. One job runs at a time, for all organizations. */
export const askToRemove = (tx: Tx): Promise<void> =>
  enqueue(tx, removing, {}, { key: removing.name, queue: removing.name, priority: 10 });
