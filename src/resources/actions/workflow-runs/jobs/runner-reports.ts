// Reports of runners about their jobs. This module is independent of the runner protocol.

import type { Db, Tx } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { enqueue } from '#jobs/job.ts';
import { fixedValue } from '#lib/limits.ts';
import { type RunnerRow, removeRunner, removeSpent } from '#resources/actions/runners/index.ts';
import { removeToken } from '#resources/identity/tokens/index.ts';
import { mayCleanUp, type StepProgress } from '#workflow-files/cleanup.ts';
import type { Source } from '#workflow-files/file.ts';
import { runLimits } from '../limits.ts';
import { advanceAfter, advanceRun } from '../planning/advance.ts';
import { loadWorkflow } from '../planning/called-files.ts';
import { standingOf } from '../planning/called-jobs.ts';
import { allowsJob, transitionJob } from '../states/job-states.ts';
import { putSteps, type StepState } from '../states/steps.ts';
import {
  findJob,
  findRun,
  findRunForUpdate,
  type JobRow,
  listSteps,
  type RunRow,
  type StepRow,
  sumLargeOutputs,
  updateJob,
} from '../store.ts';
import { removeRegistrySecrets } from '../tasks/registry-secrets-store.ts';
import type { TakenJob } from './claim.ts';

/** The result of a job or a step, as its runner reports it. */
export type ReportedResult = 'success' | 'failure' | 'cancelled' | 'skipped';

/** A step of a job's file, in order. Rows are rows of the log. */
type ReportedStep = {
  readonly result: ReportedResult | undefined;
  readonly startedAt: Date | undefined;
  readonly endedAt: Date | undefined;
  readonly firstRow: number;
  readonly rows: number;
};

/** The state of a job. */
export type ReportedState = {
  readonly result: ReportedResult | undefined;
  readonly startedAt: Date | undefined;
  readonly endedAt: Date | undefined;
  readonly steps: readonly ReportedStep[];
  readonly outputs: { readonly [name: string]: string };
};

const maxOutputs = fixedValue(runLimits.outputBytes);

/** The job of a runner; undefined if the runner doesn't have it. */
export async function findJobOf(db: Db, runner: RunnerRow, id: JobRow['id']): Promise<JobRow | undefined> {
  const job = await findJob(db, id);
  return job?.runner_id === runner.id ? job : undefined;
}

/** The run of a job. */
export const findRunOf = (db: Db, job: JobRow): Promise<RunRow | undefined> => findRun(db, job.run_id);

/**
 * Stores a runner's report about its job. When it contains the result, the job and its token end, and dependent jobs follow. A
 * cancelled job with nothing to clean up also ends when its runner learns of the cancellation, since some runners wait silently
 * for the programs that a step started.
 * @returns the job after the change
 */
export async function noteState(scope: WriteScope, runner: RunnerRow, given: JobRow, sent: ReportedState): Promise<JobRow> {
  const { tx, now } = scope;
  const run = await findRunForUpdate(tx, given.run_id);
  const job = await findJob(tx, given.id);
  if (!run || !job) return given;
  if (!allowsJob(job, 'finish')) {
    // The server had already ended it; now its runner has ended it too.
    if (sent.result !== undefined) await removeSpent(tx, runner.id);
    return job;
  }
  const steps = await listSteps(tx, [job.id]);
  const reported = job.has_registries ? withoutAddedSteps(sent, steps.length - 2) : sent;
  const isStopped =
    reported.result === undefined && job.cancelled_at !== null && !(await hasCleanup(tx, { run, job }, reported, steps));
  const state = isStopped ? stopped(reported, steps.length - 2) : reported;
  await putSteps(tx, stepsOf(steps, job, state, now));
  const heard = { heard_at: now, outputs: await boundedOutputs(tx, job, outputsOf(job, reported)) };
  if (state.result === undefined) return updateJob(tx, job.id, heard);
  // Some runners report success for jobs that they aborted.
  const to = job.cancelled_at === null ? state.result : 'cancelled';
  const ended = await transitionJob(scope, run, job, 'finish', { ...heard, to, completed_at: reported.endedAt ?? now });
  await leaveJob(tx, ended);
  if (runner.is_ephemeral && !isStopped) await removeRunner(tx, runner.id);
  await advanceAfter(scope, run, ended);
  return ended;
}

/** Whether a cancelled job may still run something. */
async function hasCleanup(tx: Tx, { run, job }: TakenJob, reported: ReportedState, rows: readonly StepRow[]): Promise<boolean> {
  const workflow = await loadWorkflow(tx, run);
  const steps = workflow && standingOf(workflow, job)?.definition.source.steps;
  if (!Array.isArray(steps)) return true;
  return (steps as Source[]).some((step, at) => mayCleanUp(step, progressOfStep(reported.steps[at], rows[at + 1])));
}

/** Removes the steps that the server added to the job (`AddedSteps`) from a report. */
const withoutAddedSteps = (reported: ReportedState, count: number): ReportedState => ({
  ...reported,
  steps: reported.steps.slice(1, 1 + count),
});

/** The progress of a step: from this report, or from an earlier one. */
const progressOfStep = (reported: ReportedStep | undefined, row: StepRow | undefined): StepProgress => ({
  hasBegun: reported?.startedAt !== undefined || (row !== undefined && row.started_at !== null),
  hasEnded: reported?.result !== undefined || row?.status === 'completed',
  isSkipped: (reported?.result ?? row?.conclusion) === 'skipped',
});

/** The state of a job that is stopped, with the given number of steps in its file. */
const stopped = (reported: ReportedState, count: number): ReportedState => ({
  ...reported,
  result: 'cancelled',
  steps: Array.from({ length: Math.max(0, count) }, (_, at): ReportedStep => {
    const step = reported.steps[at] ?? unbegun;
    return step.startedAt && !step.result ? { ...step, result: 'cancelled' } : step;
  }),
});

const unbegun: ReportedStep = { result: undefined, startedAt: undefined, endedAt: undefined, firstRow: 0, rows: 0 };

/** Ends a job for which no task can be created, unless it has already ended. */
export async function abandonJob(
  scope: WriteScope,
  { job: taken, run }: TakenJob,
  { message, line }: { readonly message: string; readonly line?: number | undefined },
): Promise<void> {
  const locked = await findRunForUpdate(scope.tx, run.id);
  const job = await findJob(scope.tx, taken.id);
  if (!locked || !job || !allowsJob(job, 'abandon') || job.runner_id !== taken.runner_id) return;
  const ended = await transitionJob(scope, locked, job, 'abandon', { problem: message, problem_line: line ?? null });
  await leaveJob(scope.tx, ended);
  if (job.runner_id !== null) await removeSpent(scope.tx, job.runner_id);
  await advanceRun(scope, locked);
}

/** Removes an ended job's token and the secrets of its registries, and enqueues the job that stores its log. */
export async function leaveJob(tx: Tx, { id, token_id, has_registries }: JobRow): Promise<void> {
  if (token_id !== null) await removeToken(tx, token_id);
  if (has_registries) await removeRegistrySecrets(tx, id);
  await enqueue(tx, { name: 'workflow-runs.store-log', attempts: 25 }, { job: id }, { key: `workflow-runs.store-log ${id}` });
}

/** Outputs keep their first reported value. Outputs beyond the limit are dropped. */
function outputsOf(job: JobRow, { outputs }: ReportedState): { [name: string]: string } {
  const reported = Object.fromEntries(Object.entries(outputs).map(([name, value]) => [storable(name), storable(value)]));
  const all = { ...reported, ...(job.outputs as { [name: string]: string }) };
  let bytes = 0;
  return Object.fromEntries(
    Object.entries(all).filter(([name, value]) => {
      bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
      return bytes <= maxOutputs;
    }),
  );
}

/** The outputs of a job in JSON, or none if those of its attempt would be too large together: they are read in one statement. */
async function boundedOutputs(tx: Tx, job: JobRow, outputs: { [name: string]: string }): Promise<string> {
  const text = JSON.stringify(outputs);
  if (text.length <= smallOutputs) return text;
  const others = await sumLargeOutputs(tx, job, smallOutputs);
  return others + text.length <= maxRunOutputs ? text : '{}';
}

/** Up to this size, outputs of a job count to no sum. As many as a run has jobs fit into a statement. */
const smallOutputs = 8 * 1_024;
const maxRunOutputs = fixedValue(runLimits.runOutputBytes);

/** Removes characters that PostgreSQL can't store in JSON. */
const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** The rows of the steps that changed. The server adds the first and the last step of every job, around the steps of its file. */
function stepsOf(
  known: readonly StepRow[],
  job: JobRow,
  { result, steps, startedAt, endedAt }: ReportedState,
  now: Date,
): StepState[] {
  const begun = steps.find((step) => step.startedAt);
  const last = known.length;
  const isDone = result !== undefined;
  const setUp = {
    result: begun || isDone ? ('success' as const) : undefined,
    startedAt: startedAt ?? job.started_at ?? now,
    endedAt: begun?.startedAt ?? endedAt,
    firstRow: 0,
    rows: steps[0]?.firstRow ?? 0,
  };
  const end = steps.at(-1);
  const firstAfter = end ? end.firstRow + end.rows : 0;
  const complete = {
    result: isDone ? ('success' as const) : undefined,
    startedAt: isDone ? (endedAt ?? now) : undefined,
    endedAt: isDone ? (endedAt ?? now) : undefined,
    firstRow: firstAfter,
    rows: isDone ? Math.max(0, job.log_rows - firstAfter) : 0,
  };
  const all: (ReportedStep | undefined)[] = [
    setUp,
    ...Array.from({ length: Math.max(0, last - 2) }, (_, at) => steps[at]),
    complete,
  ];
  return known.flatMap((row, at) => {
    const step = all[at];
    return step ? [stepChange(row, step, { isDone, now })] : [];
  });
}

/** Steps that hadn't started when the job ended are skipped. */
function stepChange(row: StepRow, step: ReportedStep, { isDone, now }: { isDone: boolean; now: Date }): StepState {
  const result = step.result ?? (isDone ? 'skipped' : null);
  return {
    job_id: row.job_id,
    number: row.number,
    name: row.name,
    result,
    started_at: step.startedAt ?? null,
    completed_at: result === null ? null : (step.endedAt ?? now),
    first_row: step.firstRow,
    row_count: step.rows,
  };
}
