// What people do with runs: stopping, approving, deleting.
import type { Tx } from '#database/connect.ts';
import { enqueue } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';
import { conflict, forbidden, orNotFound } from '#lib/refusal.ts';
import { leaveJob } from '../jobs/runner-reports.ts';
import { cancelRun, endJob, endRun, type ProgressContext } from '../planning/advance.ts';
import { findRunForUpdate, listJobsOfAttempt, type RunRow, removeLogs, removeRun, updateRun } from '../store.ts';
import { beginAgain } from './create.ts';

type Run = Id<'workflow_runs'>;

/** Cancels a run. Jobs that are to run in any case still come. @throws Refusal 409 for one that is over */
export async function stopRun(context: ProgressContext, id: Run): Promise<void> {
  await cancelRun(context, await findOpen(context, id));
}

/** Ends a run with all its jobs at once; their runners hear of it when they next tell of them. @throws Refusal 409 for one that is over */
export async function forceStopRun(context: ProgressContext, id: Run): Promise<void> {
  const { tx, now } = context;
  const run = await findOpen(context, id);
  for (const job of await listJobsOfAttempt(tx, run.id, run.attempt)) {
    if (job.status === 'completed') continue;
    const ended = await endJob(context, run, job, { conclusion: 'cancelled' });
    if (job.status === 'in_progress') await leaveJob(tx, ended);
  }
  await endRun(context, await updateRun(tx, run.id, { cancelled_at: now }), 'cancelled');
}

async function findOpen({ tx }: ProgressContext, id: Run): Promise<RunRow> {
  const run = orNotFound(await findRunForUpdate(tx, id));
  if (run.status === 'completed') throw conflict('Cannot cancel a workflow run that is completed.');
  return run;
}

/** Lets a run of a fork's pull request begin. @throws Refusal 403 for one that doesn't wait for that */
export async function approveRun(context: ProgressContext, id: Run): Promise<void> {
  const { tx, now } = context;
  const run = orNotFound(await findRunForUpdate(tx, id));
  if (!run.is_from_fork) throw forbidden('This run is not from a fork pull request');
  if (run.conclusion !== 'action_required') throw forbidden('This run does not need to be approved');
  await beginAgain(
    context,
    await updateRun(tx, run.id, { status: 'queued', conclusion: null, started_at: now, updated_at: now }),
  );
}

/** Deletes a run with all that belongs to it. @throws Refusal 403 for one that isn't over */
export async function deleteRun(tx: Tx, id: Run): Promise<void> {
  await findEnded(tx, id);
  await removeRun(tx, id);
  await removeObjects(tx, id);
  await enqueue(tx, { name: 'workflow-runs.remove-artifacts', attempts: 25 }, { run: id });
}

/** Deletes the logs of all attempts of a run. @throws Refusal 403 for one that isn't over */
export async function deleteLogs(tx: Tx, id: Run): Promise<void> {
  await findEnded(tx, id);
  await removeLogs(tx, id);
  await removeObjects(tx, id);
}

/** Deletes the logs of a run for their age, unless it has gone on since. */
export async function expireLogs(tx: Tx, id: Run, { before, now }: { before: Date; now: Date }): Promise<void> {
  if (!(await hasEndedBefore(tx, id, before))) return;
  await updateRun(tx, id, { logs_expired_at: now });
  await removeLogs(tx, id);
  await removeObjects(tx, id);
}

/** Deletes a run for its age, unless it has gone on since. */
export async function deleteOldRun(tx: Tx, id: Run, before: Date): Promise<void> {
  if (await hasEndedBefore(tx, id, before)) await deleteRun(tx, id);
}

/** Whether a run was over at a time, and is still. Its row is locked. */
async function hasEndedBefore(tx: Tx, id: Run, before: Date): Promise<boolean> {
  const run = await findRunForUpdate(tx, id);
  return run?.status === 'completed' && run.updated_at < before;
}

async function findEnded(tx: Tx, id: Run): Promise<void> {
  const run = orNotFound(await findRunForUpdate(tx, id));
  if (run.status !== 'completed') throw forbidden('The workflow run is not over yet');
}

const removeObjects = (tx: Tx, run: Run) => enqueue(tx, { name: 'workflow-runs.remove-logs', attempts: 25 }, { run });
