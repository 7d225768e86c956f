// The states of steps. Steps have no transitions; the runner's latest report counts.
import type { Insertable } from 'kysely';
import { changedAfter } from '#database/change-signals.ts';
import type { Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { StepRow } from '../store.ts';
import { putStepRows } from './store.ts';

/** A step of a job: queued until it starts, in progress until it has a result. */
export type StepState = Omit<Insertable<DB['workflow_job_steps']>, 'status' | 'conclusion'> & {
  readonly result: StepRow['conclusion'];
};

export async function putSteps(tx: Tx, steps: readonly StepState[]): Promise<void> {
  for (const { job_id } of steps) changedAfter(tx, `job:${job_id}`);
  await putStepRows(
    tx,
    steps.map(({ result, ...step }) => ({
      ...step,
      status: result !== null ? 'completed' : step.started_at ? 'in_progress' : 'queued',
      conclusion: result,
    })),
  );
}
