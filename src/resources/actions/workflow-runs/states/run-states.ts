// State changes of runs. The caller holds the lock of the run's row.
import { changedAfter } from '#database/change-signals.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { notifyQueued } from '#resources/actions/runners/index.ts';
import { leaveGroup } from '../concurrency/groups.ts';
import { inRun } from '../planning/kept-plan.ts';
import { isDynamic } from '../runs/dynamic.ts';
import type { RunChange, RunRow } from '../store.ts';
import { createFailedCheck } from './checks.ts';
import { allows, IllegalTransition, stateColumns, targetOf } from './state.ts';
import { insertRun, moveRun } from './store.ts';
import { type RunEffect, type RunState, type RunTransition, runTransitions } from './transitions.ts';

type Details<Name extends RunTransition> = RunChange & { readonly to?: (typeof runTransitions)[Name]['to'][number] };

/** Whether a run is in a state from which a transition is allowed. */
export const allowsRun = (run: Pick<RunRow, 'status' | 'conclusion'>, name: RunTransition): boolean =>
  allows(runTransitions[name], run);

type NewRunRow = Omit<Parameters<typeof insertRun>[1], 'status' | 'conclusion' | 'created_at' | 'started_at' | 'updated_at'>;

/** Creates a run. */
export async function requestRun(scope: WriteScope, row: NewRunRow): Promise<RunRow> {
  const { sets, to } = runTransitions.request;
  const run = await insertRun(scope.tx, { ...row, ...stateColumns<RunState>(to[0]), ...sets(scope.now) });
  await followRun(scope, run, 'request');
  return run;
}

/**
 * Changes the state of a run, with all consequences.
 * @param details the new state, if the transition has several; and other columns
 * @throws IllegalTransition if the transition isn't allowed from the run's state
 */
export async function transitionRun<Name extends Exclude<RunTransition, 'request'>>(
  scope: WriteScope,
  run: RunRow,
  name: Name,
  { to, ...change }: Details<Name> = {},
): Promise<RunRow> {
  const { from, sets, to: targets } = runTransitions[name];
  const columns = { ...stateColumns(targetOf<RunState>(name, targets, to)), ...sets(scope.now), ...change };
  const moved = await moveRun(scope.tx, run.id, from, columns);
  if (!moved) throw new IllegalTransition(name, `from where run ${run.id} is`);
  await followRun(scope, moved, name);
  return moved;
}

async function followRun(scope: WriteScope, run: RunRow, name: RunTransition): Promise<void> {
  changedAfter(scope.tx, `run:${run.id}`);
  for (const effect of runTransitions[name].follows) await effects[effect](scope, run);
}

type Effect = (scope: WriteScope, run: RunRow) => Promise<void>;

const event =
  (kind: Extract<RunEffect, `workflow_run.${string}`>): Effect =>
  ({ tx, now }, run) =>
    record(tx, {
      ...inRun(run, now),
      kind,
      data: { run: run.id, attempt: run.attempt, ...(isDynamic(run) ? { dynamic: true as const } : {}) },
    });

const effects: Readonly<Record<RunEffect, Effect>> = {
  'failed check': createFailedCheck,
  'workflow_run.requested': event('workflow_run.requested'),
  'workflow_run.in_progress': event('workflow_run.in_progress'),
  'workflow_run.completed': event('workflow_run.completed'),
  'leave group': ({ tx }, run) => leaveGroup(tx, { run: run.id, job: null }),
  async 'wake runners'({ tx }) {
    notifyQueued(tx);
  },
};
