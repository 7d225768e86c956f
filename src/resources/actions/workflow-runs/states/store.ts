// The statements that write the states of jobs, runs and steps.
import { type Insertable, sql, type Updateable } from 'kysely';
import type { Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { type JobRow, ownerOfRun, type RunRow } from '../store.ts';

type Job = JobRow['id'];
type Run = RunRow['id'];

/** Whether a row is in one of the given states. */
const isIn = (states: readonly string[]) => sql<boolean>`coalesce(conclusion, status) = any (${[...states]}::text[])`;

export const insertJobs = async (tx: Tx, rows: readonly Insertable<DB['workflow_jobs']>[]): Promise<JobRow[]> =>
  rows.length === 0 ? [] : tx.insertInto('workflow_jobs').values(rows).returningAll().execute();

/** Changes a job that is in one of the given states; undefined if it isn't. */
export const moveJob = (
  tx: Tx,
  id: Job,
  from: readonly string[],
  change: Updateable<DB['workflow_jobs']>,
): Promise<JobRow | undefined> =>
  tx.updateTable('workflow_jobs').set(change).where('id', '=', id).where(isIn(from)).returningAll().executeTakeFirst();

export const insertRun = (tx: Tx, row: Insertable<DB['workflow_runs']>): Promise<RunRow> =>
  tx.insertInto('workflow_runs').values(row).returningAll().returning(ownerOfRun).executeTakeFirstOrThrow();

/** Changes a run that is in one of the given states; undefined if it isn't. */
export const moveRun = (
  tx: Tx,
  id: Run,
  from: readonly string[],
  change: Updateable<DB['workflow_runs']>,
): Promise<RunRow | undefined> =>
  tx
    .updateTable('workflow_runs')
    .set(change)
    .where('id', '=', id)
    .where(isIn(from))
    .returningAll()
    .returning(ownerOfRun)
    .executeTakeFirst();

/** Writes the steps of a job, replacing existing ones. */
export const putStepRows = async (tx: Tx, rows: readonly Insertable<DB['workflow_job_steps']>[]): Promise<void> => {
  if (rows.length === 0) return;
  await tx
    .insertInto('workflow_job_steps')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['job_id', 'number']).doUpdateSet((row) => ({
        status: row.ref('excluded.status'),
        conclusion: row.ref('excluded.conclusion'),
        started_at: row.ref('excluded.started_at'),
        completed_at: row.ref('excluded.completed_at'),
        first_row: row.ref('excluded.first_row'),
        row_count: row.ref('excluded.row_count'),
      })),
    )
    .execute();
};
