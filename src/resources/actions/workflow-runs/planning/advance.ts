// The progress of a run: which jobs it creates next, and when it ends. All functions need the lock of the run's row.
import type { WriteScope } from '#endpoint/scope.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { hasLeases, type Workflow } from '#workflow-files/calls.ts';
import type { Concurrency } from '#workflow-files/concurrency.ts';
import { lineOf, type WorkflowFile } from '#workflow-files/file.ts';
import { workflowFileLimits } from '#workflow-files/limits.ts';
import { type Plan, planJobs } from '#workflow-files/plan.ts';
import { tooManyJobs } from '#workflow-files/plan-size.ts';
import { admitJobs } from '../approval/environments.ts';
import { enterGroup, leasesOf, settleCalls } from '../concurrency/groups.ts';
import { listCallMembers } from '../concurrency/store.ts';
import { cancelJobs } from '../jobs/cancel.ts';
import { createJobs, transitionJob } from '../states/job-states.ts';
import { transitionRun } from '../states/run-states.ts';
import { findRunForUpdate, hasActiveSiblings, type JobRow, type RunRow } from '../store.ts';
import { loadWorkflow } from './called-files.ts';
import { loadContextFacts, variablesOf } from './context-facts.ts';
import { runContexts } from './contexts.ts';
import { stopFailedMatrices } from './failed-matrices.ts';
import { planOf, turnOf, waitsForCall } from './kept-plan.ts';
import { newJobOf } from './new-jobs.ts';
import { progressOf } from './progress.ts';

const maxJobs = fixedValue(workflowFileLimits.runJobs);

/**
 * Creates the next jobs, and ends the run if all jobs are over and no others follow. It is called whenever something about a run
 * changes, and may have nothing to do.
 * @param run its row, locked
 */
export async function advanceRun(scope: WriteScope, run: RunRow): Promise<RunRow> {
  if (run.status === 'completed' || run.status === 'pending') return run;
  const workflow = await loadWorkflow(scope.tx, run);
  if (!workflow) return transitionRun(scope, run, 'fail_to_start');
  const jobs = await stopFailedMatrices(scope, run);
  const facts = await loadContextFacts(scope.tx, run, scope.links);
  if (!facts) return run;
  const calls = hasLeases(workflow) ? await listCallMembers(scope.tx, run.id) : [];
  const progress = { ...progressOf(jobs), isCancelled: run.cancelled_at !== null, leases: leasesOf(calls) };
  const variables = await variablesOf(scope.tx, run);
  const contexts = runContexts(run, facts, variables, workflow.file);
  const next = planJobs(workflow, contexts, progress);
  const isTooLong = jobs.length + next.jobs.length + next.held.length > maxJobs;
  const problem = next.problem ?? (isTooLong ? tooManyJobs : undefined);
  if (problem !== undefined) return failRun(scope, run, jobs, problem);
  const planned = next.jobs.map((job) => newJobOf(run, job, scope.now));
  const made = await createJobs(scope, run, planned);
  const released = await releaseJobs(scope, run, jobs, next);
  const entered = await enterEnvironments(scope, run, workflow.file, [...released, ...made]);
  // Refused jobs may let others follow.
  if (entered.hasEnded) return advanceRun(scope, run);
  const after = made.length === 0 ? next : planJobs(workflow, contexts, { ...progress, ...progressOf(entered.jobs) });
  await settleCalls(scope.tx, run, calls, after.leases);
  return after.isOver && entered.jobs.every(({ status }) => status === 'completed')
    ? transitionRun(scope, run, 'finish', { to: conclusionOf(run, workflow, after) })
    : settleStatus(scope, run, entered.jobs);
}

/**
 * Continues a run when one of its jobs has ended. A success changes nothing as long as other jobs of the same matrix run or wait
 * for runners, so nothing is planned for it.
 */
export async function advanceAfter(scope: WriteScope, run: RunRow, ended: JobRow): Promise<void> {
  if (ended.conclusion === 'success' && (await hasActiveSiblings(scope.tx, ended))) return;
  await advanceRun(scope, run);
}

/**
 * Lets jobs continue that have waited since the start of the attempt for the turn of a call that leads to them, and now have it.
 * @returns the jobs of the attempt after the change
 */
async function releaseJobs(scope: WriteScope, run: RunRow, jobs: readonly JobRow[], { held }: Plan): Promise<JobRow[]> {
  const { tx } = scope;
  const after: JobRow[] = [];
  for (const job of jobs) {
    const { calls, concurrency } = planOf(job);
    const waits = job.status !== 'pending' || !waitsForCall(calls) || held.some((prefix) => job.key.startsWith(prefix));
    if (waits) after.push(job);
    else if (concurrency) {
      await enterGroup(tx, run.repository_id, { run: run.id, job: job.id }, concurrency);
      after.push(job);
    } else after.push(await transitionJob(scope, run, job, turnOf(job)));
  }
  return after;
}

/** Lets jobs continue whose environments allow it. @returns the jobs after the change */
async function enterEnvironments(
  scope: WriteScope,
  run: RunRow,
  file: WorkflowFile,
  jobs: readonly JobRow[],
): Promise<{ jobs: JobRow[]; hasEnded: boolean }> {
  const waiting = jobs.filter(({ status }) => status === 'waiting');
  const changed = new Map<JobRow['id'], JobRow>();
  for (const admission of await admitJobs(scope, run, waiting)) {
    const { job, state } = admission;
    if (state === 'refused') {
      const problem_line = lineOf(file.jobs.get(job.key)?.parts);
      changed.set(job.id, await transitionJob(scope, run, job, 'refuse', { problem: admission.problem, problem_line }));
    } else changed.set(job.id, state === 'ready' ? await transitionJob(scope, run, job, 'enter_environment') : job);
  }
  const after = jobs.map((job) => changed.get(job.id) ?? job);
  return { jobs: after, hasEnded: [...changed.values()].some(({ status }) => status === 'completed') };
}

/** A run waits while all its remaining jobs wait for their environments. */
async function settleStatus(scope: WriteScope, run: RunRow, jobs: readonly JobRow[]): Promise<RunRow> {
  const is = (status: JobRow['status']): boolean => jobs.some((job) => job.status === status);
  const waits = is('waiting') && !is('queued') && !is('in_progress');
  if (waits === (run.status === 'waiting')) return run;
  if (waits) return transitionRun(scope, run, 'wait');
  const hasBegun = jobs.some(({ carried_from, runner_name }) => carried_from === null && runner_name !== null);
  return transitionRun(scope, run, 'go_on', { to: hasBegun ? 'in_progress' : 'queued' });
}

/** The conclusion of a run from the conclusions of its jobs (the public API's order). */
function conclusionOf({ cancelled_at }: RunRow, { file }: Workflow, { results }: Plan) {
  const found = new Set([...file.jobs.keys()].map((id) => results.get(id)?.result));
  if (cancelled_at !== null || (found.has('cancelled') && !found.has('failure'))) return 'cancelled';
  if (found.has('failure')) return 'failure';
  return found.has('success') ? 'success' : 'skipped';
}

/** Ends a run that can't continue, with its current jobs. */
async function failRun(scope: WriteScope, run: RunRow, jobs: readonly JobRow[], message: string): Promise<RunRow> {
  await cancelJobs(scope, run, jobs);
  const problems = JSON.stringify([{ message, line: 1 }]);
  return transitionRun(scope, run, 'fail_to_start', { problems });
}

/** Starts a new run, or lets it wait for its concurrency group. */
export async function beginRun(scope: WriteScope, run: RunRow, concurrency: Concurrency | null): Promise<RunRow> {
  if (concurrency === null) return advanceRun(scope, run);
  await enterGroup(scope.tx, run.repository_id, { run: run.id, job: null }, concurrency);
  return transitionRun(scope, run, 'hold');
}

/** Continues a run by its id. */
export async function advanceRunOf(scope: WriteScope, id: Id<'workflow_runs'>): Promise<void> {
  const run = await findRunForUpdate(scope.tx, id);
  if (run) await advanceRun(scope, run);
}
