// Deleting runs and their logs.
import type { Tx } from '#database/connect.ts';
import { enqueue } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';
import { forbidden, orNotFound } from '#lib/refusal.ts';
import { findRunForUpdate, type RunRow, removeLogs, removeRun, updateRun } from '../store.ts';
import { hasEarlierRequired } from './delete-store.ts';

type Run = Id<'workflow_runs'>;

/**
 * Deletes a run with everything that belongs to it.
 * @throws Refusal 403 if it isn't over, or hides what an earlier run of a required workflow says
 */
export async function deleteRun(tx: Tx, id: Run): Promise<void> {
  await checkHidesNone(tx, await findEnded(tx, id));
  await deleteEnded(tx, id);
}

/** The latest run of a required workflow counts. Without it, an earlier success would count again. */
async function checkHidesNone(tx: Tx, run: RunRow): Promise<void> {
  if (run.required_for_ref === null || !(await hasEarlierRequired(tx, run))) return;
  throw forbidden('Earlier runs of this required workflow for the same commit must be deleted first');
}

async function deleteEnded(tx: Tx, id: Run): Promise<void> {
  await removeRun(tx, id);
  await removeObjects(tx, id);
  await enqueue(tx, { name: 'workflow-runs.remove-artifacts', attempts: 25 }, { run: id });
}

/** Deletes the logs of all attempts of a run. @throws Refusal 403 if it isn't over */
export async function deleteLogs(tx: Tx, id: Run): Promise<void> {
  await findEnded(tx, id);
  await removeLogs(tx, id);
  await removeObjects(tx, id);
}

/** Deletes the expired logs of a run, unless it was run again since. */
export async function expireLogs(tx: Tx, id: Run, { before, now }: { before: Date; now: Date }): Promise<void> {
  if (!(await hasEndedBefore(tx, id, before))) return;
  await updateRun(tx, id, { logs_expired_at: now });
  await removeLogs(tx, id);
  await removeObjects(tx, id);
}

/** Deletes an expired run, unless it was run again since. */
export async function deleteOldRun(tx: Tx, id: Run, before: Date): Promise<void> {
  if (await hasEndedBefore(tx, id, before)) await deleteEnded(tx, id);
}

/** Whether a run was over at a given time, and still is. Its row is locked. */
async function hasEndedBefore(tx: Tx, id: Run, before: Date): Promise<boolean> {
  const run = await findRunForUpdate(tx, id);
  return run?.status === 'completed' && run.updated_at < before;
}

async function findEnded(tx: Tx, id: Run): Promise<RunRow> {
  const run = orNotFound(await findRunForUpdate(tx, id));
  if (run.status !== 'completed') throw forbidden('The workflow run is not over yet');
  return run;
}

const removeObjects = (tx: Tx, run: Run) => enqueue(tx, { name: 'workflow-runs.remove-logs', attempts: 25 }, { run });
