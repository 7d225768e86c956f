import type pg from 'pg';
import { isStatementTimeout } from '#database/connect.ts';

const returned = 'attempts = greatest(attempts - 1, 0)';

/** A job that a worker has taken. */
type TakenJob = { readonly id: string; readonly locked_by: string | null };

/**
 * Puts an unfinished job back into the queue. The attempt doesn't count, and the job may run again immediately. The queue's own
 * statement for failed jobs then does nothing, since the worker no longer holds the job's lock.
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

/**
 * Repeats a statement that was canceled. The cancel request for an earlier statement of the job may arrive late, after the
 * connection was reused.
 */
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
 * Undoes the attempts of a worker's unfinished jobs. The jobs stay locked until the worker's process has ended. Then another
 * worker unlocks them (`worker-registry.ts`). Returns their names.
 */
export async function uncountAttempts(pool: pg.Pool, worker: string): Promise<string[]> {
  const { rows } = await pool.query<{ identifier: string }>(
    `update jobs._private_jobs j set ${returned} from jobs._private_tasks t
     where t.id = j.task_id and j.locked_by = $1 returning t.identifier`,
    [worker],
  );
  return rows.map(({ identifier }) => identifier);
}
