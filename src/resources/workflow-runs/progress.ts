// How a run goes on: which jobs it makes next, and when it is over. All of it holds the lock of the run's row.
import type { Tx } from '#database/connect.ts';
import type { Links } from '#endpoint/links.ts';
import { record, recordEach } from '#events/record.ts';
import { grouped } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue, limitTable } from '#lib/limits.ts';
import { readWorkflowFile } from '#resources/workflows/index.ts';
import type { WorkflowFile } from '#workflow-files/parse.ts';
import { isOver, type JobResult, type PlannedJob, planJobs, resultOf } from '#workflow-files/plan.ts';
import { runContexts } from './contexts.ts';
import {
  findRunForUpdate,
  insertJobs,
  type JobRow,
  listJobsOfAttempt,
  listOpenInGroup,
  lockGroup,
  notifyQueued,
  type RunRow,
  updateJob,
  updateRun,
} from './store.ts';
import { loadSurroundings } from './surroundings.ts';

/** What is needed to go on with a run. `links` are the addresses that its contexts name. */
export type ProgressContext = { readonly tx: Tx; readonly links: Pick<Links, 'html' | 'api'>; readonly now: Date };

/** What a job keeps of its plan, beside what has columns. */
export type KeptPlan = Pick<
  PlannedJob,
  'combination' | 'total' | 'environment' | 'concurrency' | 'isOptional' | 'timeoutMinutes' | 'failsFast'
>;

export const planOf = ({ plan }: Pick<JobRow, 'plan'>): KeptPlan => plan as KeptPlan;

const maxJobs = fixedValue(limitTable.workflows.runJobs);

/**
 * Makes the jobs that come next, and ends the run where none does and all are over. It is called whenever something of a run has changed, and
 * does nothing where there is nothing to do.
 * @param run its row, locked
 */
export async function advanceRun(context: ProgressContext, run: RunRow): Promise<RunRow> {
  if (run.status === 'completed' || run.status === 'pending' || run.status === 'waiting') return run;
  const parsed = await readWorkflowFile({ path: run.path, content: run.file });
  if (!('file' in parsed)) return endRun(context, run, 'startup_failure');
  await stopFailedMatrices(context, run);
  const jobs = await listJobsOfAttempt(context.tx, run.id, run.attempt);
  const byKey = grouped(jobs, ({ key }) => key);
  const results = resultsOf(byKey);
  const surroundings = await loadSurroundings(context.tx, run, context.links);
  if (!surroundings) return run;
  const progress = { made: new Set(byKey.keys()), results, isCancelled: run.cancelled_at !== null };
  const planned = planJobs(parsed.file, runContexts(run, surroundings, {}), progress);
  if (jobs.length + planned.length > maxJobs) return endRun(context, run, 'startup_failure');
  const made = await makeJobs(context, run, planned);
  const all = [...jobs, ...made];
  return endIfOver(context, run, parsed.file, all);
}

/** How the jobs of each id have ended, for those of which all have. */
function resultsOf(byKey: ReadonlyMap<string, readonly JobRow[]>): Map<string, JobResult> {
  const over = [...byKey].filter(([, jobs]) => jobs.every(({ status }) => status === 'completed'));
  return new Map(over.map(([key, jobs]) => [key, resultOf(jobs.map(resultOfJob))]));
}

export const resultOfJob = (job: JobRow): JobResult & { isOptional: boolean } => ({
  result: results[job.conclusion ?? 'cancelled'],
  outputs: job.outputs as { [name: string]: string },
  isOptional: planOf(job).isOptional,
});

const results = {
  success: 'success',
  neutral: 'success',
  failure: 'failure',
  timed_out: 'failure',
  action_required: 'failure',
  cancelled: 'cancelled',
  skipped: 'skipped',
} as const;

/** Cancels the other jobs of a matrix of which one has failed, unless it says otherwise. */
async function stopFailedMatrices(context: ProgressContext, run: RunRow): Promise<void> {
  const jobs = await listJobsOfAttempt(context.tx, run.id, run.attempt);
  for (const [, matrix] of grouped(jobs, ({ key }) => key)) {
    const hasFailed = matrix.some(
      (job) =>
        planOf(job).failsFast && resultOfJob(job).result === 'failure' && job.status === 'completed' && !planOf(job).isOptional,
    );
    if (hasFailed) await cancelJobs(context, run, matrix);
  }
}

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
  change: Pick<Parameters<typeof updateJob>[2], 'conclusion' | 'outputs' | 'problem' | 'problem_line' | 'completed_at'>,
): Promise<JobRow> {
  const ended = await updateJob(tx, job.id, { status: 'completed', completed_at: now, cancelled_at: null, ...change });
  await record(tx, { ...inRun(run, now), kind: 'workflow_job.completed', data: { run: run.id, job: job.id } });
  return ended;
}

async function makeJobs(context: ProgressContext, run: RunRow, planned: readonly PlannedJob[]): Promise<JobRow[]> {
  const { tx, now } = context;
  const rows = await insertJobs(
    tx,
    planned.map(
      ({
        id,
        name,
        index,
        ended,
        labels,
        group,
        maxParallel,
        combination,
        total,
        environment,
        concurrency,
        isOptional,
        timeoutMinutes,
        failsFast,
      }) => ({
        run_id: run.id,
        repository_id: run.repository_id,
        attempt: run.attempt,
        key: id,
        position: index,
        name,
        plan: JSON.stringify({
          combination,
          total,
          environment,
          concurrency,
          isOptional,
          timeoutMinutes,
          failsFast,
        } satisfies KeptPlan),
        status: ended ? ('completed' as const) : ('queued' as const),
        conclusion: ended?.result ?? null,
        problem: ended?.result === 'failure' ? ended.problem : null,
        problem_line: ended?.result === 'failure' ? ended.line : null,
        labels: labels.map((label) => label.toLowerCase()),
        group_name: group,
        max_parallel: maxParallel,
        created_at: now,
        queued_at: ended ? null : now,
        started_at: ended ? now : null,
        completed_at: ended ? now : null,
      }),
    ),
  );
  await recordEach(tx, rows, (job) => ({
    ...inRun(run, now),
    kind: job.status === 'completed' ? ('workflow_job.completed' as const) : ('workflow_job.queued' as const),
    data: { run: run.id, job: job.id },
  }));
  if (rows.some(({ status }) => status === 'queued')) notifyQueued(tx);
  return rows;
}

async function endIfOver(context: ProgressContext, run: RunRow, file: WorkflowFile, jobs: readonly JobRow[]): Promise<RunRow> {
  const results = resultsOf(grouped(jobs, ({ key }) => key));
  if (!isOver(file, results)) return run;
  return endRun(context, run, conclusionOf(run, [...results.values()]));
}

/** What all jobs together make of a run (the public API's order). */
function conclusionOf({ cancelled_at }: RunRow, results: readonly JobResult[]): NonNullable<RunRow['conclusion']> {
  const found = new Set(results.map(({ result }) => result));
  if (cancelled_at !== null || (found.has('cancelled') && !found.has('failure'))) return 'cancelled';
  if (found.has('failure')) return 'failure';
  return found.has('success') ? 'success' : 'skipped';
}

/** Ends a run, and begins the one that waits for its concurrency group. */
export async function endRun(
  context: ProgressContext,
  run: RunRow,
  conclusion: NonNullable<RunRow['conclusion']>,
): Promise<RunRow> {
  const { tx, now } = context;
  const ended = await updateRun(tx, run.id, { status: 'completed', conclusion, updated_at: now });
  await record(tx, { ...inRun(run, now), kind: 'workflow_run.completed', data: { run: run.id, attempt: run.attempt } });
  if (run.concurrency_group !== null) await beginWaiting(context, run.repository_id, run.concurrency_group);
  return ended;
}

/** Begins the run that waits for a concurrency group, where no other of the group is in progress. */
async function beginWaiting(context: ProgressContext, repository: Id<'repositories'>, group: string): Promise<void> {
  await lockGroup(context.tx, repository, group);
  const open = await listOpenInGroup(context.tx, repository, group);
  const [waiting] = open;
  if (!waiting || open.some(({ status }) => status !== 'pending')) return;
  await advanceRun(context, await updateRun(context.tx, waiting.id, { status: 'queued', updated_at: context.now }));
}

/**
 * Begins a run that was just made. In a concurrency group, of which another run is in progress, it waits; a run that waited before it is
 * cancelled, as only the latest does (the public API's rule).
 */
export async function beginRun(context: ProgressContext, run: RunRow): Promise<RunRow> {
  const { tx, now } = context;
  if (run.concurrency_group === null) return advanceRun(context, run);
  await lockGroup(tx, run.repository_id, run.concurrency_group);
  const others = (await listOpenInGroup(tx, run.repository_id, run.concurrency_group)).filter(({ id }) => id !== run.id);
  for (const other of others.filter(({ status }) => status === 'pending')) await endRunHere(context, other, 'cancelled');
  const inProgress = others.filter(({ status }) => status !== 'pending');
  if (inProgress.length === 0) return advanceRun(context, run);
  const waiting = await updateRun(tx, run.id, { status: 'pending', updated_at: now });
  if (run.cancels_in_progress) for (const other of inProgress) await cancelRun(context, other);
  return (await findRunForUpdate(tx, run.id)) ?? waiting;
}

/** As `endRun`, for a run that hadn't begun: nobody waits for it. */
async function endRunHere(
  { tx, now }: ProgressContext,
  run: RunRow,
  conclusion: NonNullable<RunRow['conclusion']>,
): Promise<void> {
  await updateRun(tx, run.id, { status: 'completed', conclusion, updated_at: now });
  await record(tx, { ...inRun(run, now), kind: 'workflow_run.completed', data: { run: run.id, attempt: run.attempt } });
}

/** Cancels a run: its jobs that wait end at once, and those that run when their runners hear of it. Those with `always()` still come. */
export async function cancelRun(context: ProgressContext, run: RunRow): Promise<RunRow> {
  const { tx, now } = context;
  if (run.status === 'completed') return run;
  if (run.status === 'pending') return endRun(context, run, 'cancelled');
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

/** The fields that all events of a run have. */
export const inRun = (run: Pick<RunRow, 'repository_id' | 'owner_id' | 'actor_id'>, at: Date) => ({
  owner: run.owner_id,
  repository: run.repository_id,
  actor: run.actor_id ?? undefined,
  at,
});
