import type pg from 'pg';
import { isStatementTimeout } from '#database/connect.ts';

const returned = 'attempts = greatest(attempts - 1, 0)';

/** A job that a worker has taken. */
type TakenJob = { readonly id: string; readonly locked_by: string | null };

/**
 * Puts a job that didn't finish back into the queue. The attempt doesn't count, and it may run again at once. The queue's own statement
 * for jobs that failed does nothing afterwards, since the job is no longer locked by the worker.
 */
export async function returnJob(pool: pg.Pool, { id, locked_by: worker }: TakenJob): Promise<void> {
  await unlessCanceled(() =>
    pool.query(
      `with job as (
       update jobs._private_jobs set ${returned}, locked_by = null, locked_at = null, run_at = now()
       where id = $1 and locked_by = $2 returning job_queue_id)
     update jobs._private_job_queues q set locked_by = null, locked_at = null
     from job where q.id = job.job_queue_id and q.locked_by = $2`,
      [id, worker],
    ),
  );
}

const maxTries = 3;

/** Sends a statement again that was canceled: the request to cancel the job's own may arrive late, on a connection that is used again. */
async function unlessCanceled(send: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      await send();
      return;
    } catch (error) {
      if (!isStatementTimeout(error) || tries === maxTries) throw error;
    }
}

/**
 * Takes back the attempts of the jobs that a worker leaves unfinished. They stay locked until its process has ended: then another one
 * unlocks them (`worker-registry.ts`). Returns their names.
 */
export async function uncountAttempts(pool: pg.Pool, worker: string): Promise<string[]> {
  const { rows } = await pool.query<{ identifier: string }>(
    `update jobs._private_jobs j set ${returned} from jobs._private_tasks t
     where t.id = j.task_id and j.locked_by = $1 returning t.identifier`,
    [worker],
  );
  return rows.map(({ identifier }) => identifier);
}
