// The states of steps. Steps have no transitions; the runner's latest report counts.
import type { Insertable } from 'kysely';
import type { Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { StepRow } from '../store.ts';
import { putStepRows } from './store.ts';

/** A step of a job: queued until it starts, in progress until it has a result. */
export type StepState = Omit<Insertable<DB['workflow_job_steps']>, 'status' | 'conclusion'> & {
  readonly result: StepRow['conclusion'];
};

export const putSteps = (tx: Tx, steps: readonly StepState[]): Promise<void> =>
  putStepRows(
    tx,
    steps.map(({ result, ...step }) => ({
      ...step,
      status: result !== null ? 'completed' : step.started_at ? 'in_progress' : 'queued',
      conclusion: result,
    })),
  );
