// How a run goes on: which jobs it makes next, and when it is over. All of it holds the lock of the run's row.

import type { Db, Tx } from '#database/connect.ts';
import type { Links } from '#endpoint/links.ts';
import { record, recordEach } from '#events/record.ts';
import { grouped } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { loadVariablesForJob } from '#resources/actions/actions-variables/index.ts';
import { notifyQueued } from '#resources/actions/runners/index.ts';
import { hasLeases, type Workflow } from '#workflow-files/calls.ts';
import type { Concurrency } from '#workflow-files/concurrency.ts';
import { lineOf, type WorkflowFile } from '#workflow-files/file.ts';
import { workflowFileLimits } from '#workflow-files/limits.ts';
import { type JobResult, type Plan, type PlannedJob, type Progress, planJobs, resultOf } from '#workflow-files/plan.ts';
import { tooManyJobs } from '#workflow-files/plan-size.ts';
import { environmentUrlOutput } from '#workflow-files/runner-job.ts';
import { loadWorkflow } from './called-files.ts';
import { createFailedCheck, endCheck } from './checks.ts';
import { enterGroup, leasesOf, leaveGroup, settleCalls } from './concurrency.ts';
import { listCallMembers } from './concurrency-store.ts';
import { runContexts } from './contexts.ts';
import { admitJobs } from './environments.ts';
import { endDeployment, noteDeployment } from './job-deployments.ts';
import { addJobs, type NewJob } from './new-jobs.ts';
import { firstStatusOf, inRun, type KeptPlan, planOf, waitsForCall } from './planned.ts';
import {
  findRunForUpdate,
  hasActiveSiblings,
  type JobRow,
  listJobsOfAttempt,
  type RunRow,
  updateJob,
  updateRun,
} from './store.ts';
import { loadSurroundings } from './surroundings.ts';

/** What is needed to go on with a run. `links` are the addresses that its contexts name. */
export type ProgressContext = { readonly tx: Tx; readonly links: Pick<Links, 'html' | 'api'>; readonly now: Date };

const maxJobs = fixedValue(workflowFileLimits.runJobs);

/**
 * Makes the jobs that come next, and ends the run where none does and all are over. It is called whenever something of a run has changed, and
 * does nothing where there is nothing to do.
 * @param run its row, locked
 */
export async function advanceRun(context: ProgressContext, run: RunRow): Promise<RunRow> {
  if (run.status === 'completed' || run.status === 'pending') return run;
  const workflow = await loadWorkflow(context.tx, run);
  if (!workflow) return endRun(context, run, 'startup_failure');
  const jobs = await stopFailedMatrices(context, run);
  const surroundings = await loadSurroundings(context.tx, run, context.links);
  if (!surroundings) return run;
  const calls = hasLeases(workflow) ? await listCallMembers(context.tx, run.id) : [];
  const progress = { ...progressOf(jobs), isCancelled: run.cancelled_at !== null, leases: leasesOf(calls) };
  const variables = await variablesOf(context.tx, run);
  const contexts = runContexts(run, surroundings, variables, workflow.file);
  const next = planJobs(workflow, contexts, progress);
  const isTooLong = jobs.length + next.jobs.length + next.held.length > maxJobs;
  const problem = next.problem ?? (isTooLong ? tooManyJobs : undefined);
  if (problem !== undefined) return failRun(context, run, jobs, problem);
  const made = await makeJobs(context, run, next.jobs);
  const released = await releaseJobs(context, run, jobs, next);
  const entered = await enterEnvironments(context, run, workflow.file, [...released, ...made]);
  // What was refused may let others follow.
  if (entered.hasEnded) return advanceRun(context, run);
  const after = made.length === 0 ? next : planJobs(workflow, contexts, { ...progress, ...progressOf(entered.jobs) });
  await settleCalls(context.tx, run, calls, after.leases);
  return after.isOver && entered.jobs.every(({ status }) => status === 'completed')
    ? endRun(context, run, conclusionOf(run, workflow, after))
    : settleStatus(context, run, entered.jobs);
}

/**
 * Goes on with a run of which a job has just ended. A success changes nothing as long as others of the same matrix run or wait for runners: so
 * nothing is planned for it.
 */
export async function advanceAfter(context: ProgressContext, run: RunRow, ended: JobRow): Promise<void> {
  if (ended.conclusion === 'success' && (await hasActiveSiblings(context.tx, ended))) return;
  await advanceRun(context, run);
}

/**
 * Lets jobs go on that wait since their attempt began for the turn of a call that leads to them, and have it now. @returns the jobs of the
 * attempt, as they are then
 */
async function releaseJobs(context: ProgressContext, run: RunRow, jobs: readonly JobRow[], { held }: Plan): Promise<JobRow[]> {
  const { tx } = context;
  const after: JobRow[] = [];
  for (const job of jobs) {
    const { calls, concurrency, environment } = planOf(job);
    const waits = job.status !== 'pending' || !waitsForCall(calls) || held.some((prefix) => job.key.startsWith(prefix));
    if (waits) after.push(job);
    else if (concurrency) {
      await enterGroup(tx, run.repository_id, { run: run.id, job: job.id }, concurrency);
      after.push(job);
    } else after.push(environment ? await updateJob(tx, job.id, { status: 'waiting' }) : await queueJob(context, run, job));
  }
  return after;
}

/** Lets the jobs that wait for their environments go on, as far as these let them. @returns the jobs as they are then */
async function enterEnvironments(
  context: ProgressContext,
  run: RunRow,
  file: WorkflowFile,
  jobs: readonly JobRow[],
): Promise<{ jobs: JobRow[]; hasEnded: boolean }> {
  const waiting = jobs.filter(({ status }) => status === 'waiting');
  const changed = new Map<JobRow['id'], JobRow>();
  for (const admission of await admitJobs(context, run, waiting)) {
    const { job, state } = admission;
    if (state === 'refused') {
      const problem_line = lineOf(file.jobs.get(job.key)?.parts);
      changed.set(job.id, await endJob(context, run, job, { conclusion: 'failure', problem: admission.problem, problem_line }));
    } else changed.set(job.id, state === 'ready' ? await queueJob(context, run, job) : job);
  }
  const after = jobs.map((job) => changed.get(job.id) ?? job);
  return { jobs: after, hasEnded: [...changed.values()].some(({ status }) => status === 'completed') };
}

/** Offers a job to runners. */
export async function queueJob(context: ProgressContext, run: RunRow, job: JobRow): Promise<JobRow> {
  const { tx, now } = context;
  const queued = await updateJob(tx, job.id, { status: 'queued', queued_at: now });
  await record(tx, { ...inRun(run, now), kind: 'workflow_job.queued', data: { run: run.id, job: job.id } });
  await noteDeployment(context, run, queued, { state: 'queued', description: 'Waiting for a runner' });
  notifyQueued(tx);
  return queued;
}

/** The context `vars` of a run: what its organization and repository have. A job's environment adds its own, for the runner alone. */
export const variablesOf = async (db: Db, { repository_id }: RunRow): Promise<{ [name: string]: string }> =>
  Object.fromEntries(await loadVariablesForJob(db, { repository: repository_id }));

/** Which jobs were made, and how those have ended that are over. */
export function progressOf(jobs: readonly JobRow[]): Pick<Progress, 'made' | 'results'> {
  const byKey = grouped(jobs, ({ key }) => key);
  return { made: new Set(byKey.keys()), results: resultsOf(byKey) };
}

/** How the jobs of each id have ended, for those of which all have. */
function resultsOf(byKey: ReadonlyMap<string, readonly JobRow[]>): Map<string, JobResult> {
  const over = [...byKey].filter(([, jobs]) => jobs.every(({ status }) => status === 'completed'));
  return new Map(over.map(([key, jobs]) => [key, resultOf(jobs.map(resultOfJob))]));
}

const resultOfJob = (job: JobRow): JobResult & { isOptional: boolean } => ({
  result: results[job.conclusion ?? 'cancelled'],
  outputs: ownOutputs(job),
  isOptional: planOf(job).isOptional,
});

/** What the file of a job gives to others. */
function ownOutputs({ outputs }: JobRow): { [name: string]: string } {
  const { [environmentUrlOutput]: _, ...own } = outputs as { [name: string]: string };
  return own;
}

const results = {
  success: 'success',
  neutral: 'success',
  failure: 'failure',
  timed_out: 'failure',
  action_required: 'failure',
  cancelled: 'cancelled',
  skipped: 'skipped',
} as const;

/** Cancels the other jobs of a matrix of which one has failed, unless it says otherwise. @returns the jobs of the attempt, as they are then */
async function stopFailedMatrices(context: ProgressContext, run: RunRow): Promise<JobRow[]> {
  const jobs = await listJobsOfAttempt(context.tx, run.id, run.attempt);
  let isChanged = false;
  const stop = async (stopped: readonly JobRow[]): Promise<void> => {
    await cancelJobs(context, run, stopped);
    isChanged = true;
  };
  for (const [, matrix] of grouped(jobs, ({ key }) => key))
    if (matrix.some((job) => hasFailed(job) && planOf(job).failsFast)) await stop(matrix);
  // In a matrix of calls, a job that fails stops the other calls.
  for (const job of jobs)
    for (const call of hasFailed(job) ? planOf(job).calls : []) {
      if (call.combination === null || !call.failsFast) continue;
      const others = jobs.filter((one) => planOf(one).calls.some(({ key, index }) => key === call.key && index !== call.index));
      await stop(others);
    }
  return isChanged ? listJobsOfAttempt(context.tx, run.id, run.attempt) : jobs;
}

/** What failed in an attempt before doesn't stop those that are run again. */
const hasFailed = (job: JobRow): boolean =>
  job.status === 'completed' && job.carried_from === null && resultOfJob(job).result === 'failure' && !planOf(job).isOptional;

/** Cancels jobs: those that wait at once, and those that run when their runners hear of it. */
export async function cancelJobs(context: ProgressContext, run: RunRow, jobs: readonly JobRow[]): Promise<void> {
  const { tx, now } = context;
  for (const job of jobs) {
    if (job.status === 'completed') continue;
    if (job.status === 'in_progress') {
      if (job.cancelled_at === null) await updateJob(tx, job.id, { cancelled_at: now });
    } else await endJob(context, run, job, { conclusion: 'cancelled' });
  }
}

/** Ends a job, and tells of it. What comes next is made by `advanceRun`. */
export async function endJob(
  { tx, now }: ProgressContext,
  run: RunRow,
  job: JobRow,
  change: Pick<
    Parameters<typeof updateJob>[2],
    'conclusion' | 'outputs' | 'problem' | 'problem_line' | 'completed_at' | 'heard_at'
  >,
): Promise<JobRow> {
  const ended = await updateJob(tx, job.id, { status: 'completed', completed_at: now, cancelled_at: null, ...change });
  await endCheck({ tx, now }, run, ended);
  await endDeployment({ tx, now }, run, ended);
  await record(tx, { ...inRun(run, now), kind: 'workflow_job.completed', data: { run: run.id, job: job.id } });
  if (planOf(job).concurrency) await leaveGroup(tx, { run: run.id, job: job.id });
  return ended;
}

async function makeJobs(context: ProgressContext, run: RunRow, planned: readonly PlannedJob[]): Promise<JobRow[]> {
  const { tx, now } = context;
  const rows = await addJobs(
    context,
    run,
    planned.map((job) => rowOf(run, job, now)),
  );
  const over = rows.filter(({ status }) => status === 'completed');
  await recordEach(tx, over, (job) => ({
    ...inRun(run, now),
    kind: 'workflow_job.completed' as const,
    data: { run: run.id, job: job.id },
  }));
  await queueNewJobs(context, run, rows);
  return rows;
}

/** Tells of new jobs that wait for runners, and lets those in concurrency groups wait for their turns. */
export async function queueNewJobs({ tx, now }: ProgressContext, run: RunRow, jobs: readonly JobRow[]): Promise<void> {
  const queued = jobs.filter(({ status }) => status === 'queued');
  await recordEach(tx, queued, (job) => ({
    ...inRun(run, now),
    kind: 'workflow_job.queued' as const,
    data: { run: run.id, job: job.id },
  }));
  for (const job of jobs) {
    const { concurrency } = planOf(job);
    if (job.status === 'pending' && concurrency)
      await enterGroup(tx, run.repository_id, { run: run.id, job: job.id }, concurrency);
  }
  if (queued.length > 0) notifyQueued(tx);
}

/** The row of a planned job. One in a concurrency group is pending until it is its turn, and waits for its environment then. */
function rowOf(run: RunRow, job: PlannedJob, now: Date): NewJob {
  const { id, name, index, ended, labels, group, maxParallel, ...planned } = job;
  const { calls, combination, total, environment, concurrency, isOptional, timeoutMinutes, failsFast } = planned;
  const kept: KeptPlan = { calls, combination, total, environment, concurrency, isOptional, timeoutMinutes, failsFast };
  const status = ended ? 'completed' : firstStatusOf(job);
  return {
    run_id: run.id,
    repository_id: run.repository_id,
    attempt: run.attempt,
    key: id,
    position: index,
    name,
    plan: JSON.stringify(kept),
    status,
    conclusion: ended?.result ?? null,
    problem: ended?.result === 'failure' ? ended.problem : null,
    problem_line: ended?.result === 'failure' ? ended.line : null,
    labels: labels.map((label) => label.toLowerCase()),
    group_name: group,
    max_parallel: maxParallel,
    created_at: now,
    queued_at: status === 'queued' ? now : null,
    started_at: ended ? now : null,
    completed_at: ended ? now : null,
  };
}

/** A run waits while none of its jobs can go on before somebody, or the time, lets it into its environment. */
async function settleStatus({ tx, now }: ProgressContext, run: RunRow, jobs: readonly JobRow[]): Promise<RunRow> {
  const is = (status: JobRow['status']): boolean => jobs.some((job) => job.status === status);
  const waits = is('waiting') && !is('queued') && !is('in_progress');
  if (waits === (run.status === 'waiting')) return run;
  const hasBegun = jobs.some(({ carried_from, runner_name }) => carried_from === null && runner_name !== null);
  return updateRun(tx, run.id, { status: waits ? 'waiting' : hasBegun ? 'in_progress' : 'queued', updated_at: now });
}

/** What all jobs together make of a run (the public API's order). */
function conclusionOf({ cancelled_at }: RunRow, { file }: Workflow, { results }: Plan): NonNullable<RunRow['conclusion']> {
  const found = new Set([...file.jobs.keys()].map((id) => results.get(id)?.result));
  if (cancelled_at !== null || (found.has('cancelled') && !found.has('failure'))) return 'cancelled';
  if (found.has('failure')) return 'failure';
  return found.has('success') ? 'success' : 'skipped';
}

/** Ends a run. Another one that waits for its concurrency group has its turn. */
export async function endRun(
  { tx, now }: ProgressContext,
  run: RunRow,
  conclusion: NonNullable<RunRow['conclusion']>,
): Promise<RunRow> {
  const ended = await updateRun(tx, run.id, { status: 'completed', conclusion, updated_at: now });
  await record(tx, { ...inRun(run, now), kind: 'workflow_run.completed', data: { run: run.id, attempt: run.attempt } });
  if (conclusion === 'startup_failure') await createFailedCheck({ tx, now }, ended);
  await leaveGroup(tx, { run: run.id, job: null });
  return ended;
}

/** Ends a run that can't go on, with what it has of jobs. */
async function failRun(context: ProgressContext, run: RunRow, jobs: readonly JobRow[], message: string): Promise<RunRow> {
  await cancelJobs(context, run, jobs);
  const problems = JSON.stringify([{ message, line: 1 }]);
  return endRun(context, await updateRun(context.tx, run.id, { problems }), 'startup_failure');
}

/** Begins a run that was just made, or lets it wait for its concurrency group. */
export async function beginRun(context: ProgressContext, run: RunRow, concurrency: Concurrency | null): Promise<RunRow> {
  const { tx, now } = context;
  if (concurrency === null) return advanceRun(context, run);
  await enterGroup(tx, run.repository_id, { run: run.id, job: null }, concurrency);
  return updateRun(tx, run.id, { status: 'pending', updated_at: now });
}

/** Cancels a run: its jobs that wait end at once, and those that run when their runners hear of it. Those with `always()` still come. */
export async function cancelRun(context: ProgressContext, run: RunRow): Promise<RunRow> {
  const { tx, now } = context;
  if (run.status === 'completed') return run;
  if (run.status === 'pending') {
    await cancelJobs(context, run, await listJobsOfAttempt(tx, run.id, run.attempt));
    return endRun(context, run, 'cancelled');
  }
  const cancelled = await updateRun(tx, run.id, {
    cancelled_at: now,
    updated_at: now,
    status: run.status === 'waiting' ? 'queued' : run.status,
  });
  await cancelJobs(context, cancelled, await listJobsOfAttempt(tx, run.id, run.attempt));
  return advanceRun(context, cancelled);
}

/** Goes on with a run by its id. */
export async function advanceRunOf(context: ProgressContext, id: Id<'workflow_runs'>): Promise<void> {
  const run = await findRunForUpdate(context.tx, id);
  if (run) await advanceRun(context, run);
}
