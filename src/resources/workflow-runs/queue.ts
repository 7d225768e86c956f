// The queue of jobs: how runners take them. It knows nothing of how runners speak.
import { change, type Db, type Tx } from '#database/connect.ts';
import { record } from '#events/record.ts';
import { labelsOf, type RunnerRow } from '#resources/runners/index.ts';
import { beginCheck } from './checks.ts';
import { noteDeployment } from './job-deployments.ts';
import { inRun } from './planned.ts';
import { claimJob, hasFitting, type Taker } from './queue-store.ts';
import { findJob, findRunForUpdate, type JobRow, type RunRow, updateRun } from './store.ts';

/** A job that a runner has just taken. */
export type TakenJob = { readonly job: JobRow; readonly run: RunRow };
export type FoundJob = TakenJob & { readonly labels: readonly string[] };

/** How often a runner tries again that was in the way of another. */
const tries = 20;

/** Gives the oldest job that fits to a runner, with the labels by which it was found; undefined where none waits. */
export async function takeJob(db: Db, runner: RunnerRow, now: Date): Promise<FoundJob | undefined> {
  const taker: Taker = {
    id: runner.id,
    name: runner.name,
    os: runner.os,
    labels: labelsOf(runner),
    isEphemeral: runner.is_ephemeral,
  };
  for (let left = tries; left > 0; left--) {
    // First a run that nobody holds; then it waits for one, since what holds it is short.
    const taken = await change(db, (tx) => take(tx, taker, { now, waits: left < tries }));
    // A job that names a group alone is for whatever label its runner has.
    if (taken) return { ...taken, labels: taken.job.labels.length > 0 ? taken.job.labels : taker.labels };
    if (!(await hasFitting(db, taker))) return undefined;
  }
  return undefined;
}

async function take(tx: Tx, taker: Taker, { now, waits }: { now: Date; waits: boolean }): Promise<TakenJob | undefined> {
  const id = await claimJob(tx, taker, { now, waits });
  if (id === undefined) return undefined;
  const job = await findJob(tx, id);
  const before = job && (await findRunForUpdate(tx, job.run_id));
  if (!job || !before) return undefined;
  const begins = before.status === 'queued';
  const run = begins ? await updateRun(tx, before.id, { status: 'in_progress', updated_at: now }) : before;
  if (begins)
    await record(tx, { ...inRun(run, now), kind: 'workflow_run.in_progress', data: { run: run.id, attempt: run.attempt } });
  await beginCheck({ tx, now }, run, job);
  await noteDeployment({ tx, now }, run, job, { state: 'in_progress', description: 'The job runs' });
  await record(tx, { ...inRun(run, now), kind: 'workflow_job.in_progress', data: { run: run.id, job: job.id } });
  return { job, run };
}
