// Rerunning a run: a new attempt of all or some of its jobs.

import type { SignedIn } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { Id } from '#lib/id.ts';
import { forbidden, orNotFound } from '#lib/refusal.ts';
import { isRunnable, loadWorkflows } from '#resources/actions/workflows/index.ts';
import { spentBudgetOf } from '#resources/platform/billing/index.ts';
import { keysBehind, type Workflow } from '#workflow-files/calls.ts';
import { findAskerBehind } from '../approval/behind-job.ts';
import { loadWorkflow } from '../planning/called-files.ts';
import { creationOf, planOf, waitsForCall } from '../planning/kept-plan.ts';
import { createJobs, type NewJob } from '../states/job-states.ts';
import { transitionRun } from '../states/run-states.ts';
import { findRunForUpdate, insertAttempt, type JobRow, listJobsOfAttempt, type RunRow } from '../store.ts';
import { beginAgain, jobsOf } from './create.ts';

type RerunOptions = { readonly by: SignedIn; readonly debugs: boolean };

type Run = Id<'workflow_runs'>;

/** Reruns all jobs of a run. @throws Refusal 403 if it isn't over, or can't run */
export async function rerunRun(scope: WriteScope, id: Run, options: RerunOptions): Promise<RunRow> {
  const { run } = await findOver(scope, id, options);
  return beginAttempt(scope, run, options, []);
}

/** Reruns the jobs that didn't succeed, and those that need them. @throws Refusal 403 if there are none */
export async function rerunFailedJobs(scope: WriteScope, id: Run, options: RerunOptions): Promise<RunRow> {
  const { run, called } = await findOver(scope, id, options);
  const jobs = await listJobsOfAttempt(scope.tx, run.id, run.attempt);
  const failed = jobs.filter(hasFailed);
  if (failed.length === 0) throw forbidden('This workflow run has no failed jobs');
  return beginAttempt(scope, run, options, jobsOfAttempt(called, jobs, failed));
}

/** Reruns one job of the latest attempt, and the jobs that need it. */
export async function rerunJob(scope: WriteScope, { id, run_id }: JobRow, options: RerunOptions): Promise<RunRow> {
  const { run, called } = await findOver(scope, run_id, options);
  const jobs = await listJobsOfAttempt(scope.tx, run.id, run.attempt);
  const job = jobs.find((one) => one.id === id);
  if (!job) throw forbidden('This job is not of the latest attempt of its workflow run');
  return beginAttempt(scope, run, options, jobsOfAttempt(called, jobs, [job]));
}

const hasFailed = ({ conclusion }: JobRow): boolean =>
  conclusion !== null && ['failure', 'cancelled', 'timed_out', 'action_required'].includes(conclusion);

/** A run that is over, and that the caller can run again. Its row is locked. */
async function findOver({ tx, now }: WriteScope, id: Run, { by }: RerunOptions): Promise<{ run: RunRow; called: Workflow }> {
  const run = orNotFound(await findRunForUpdate(tx, id));
  if (run.status !== 'completed') throw forbidden('This workflow run is already running');
  if (run.conclusion === 'action_required') throw forbidden('This workflow run needs to be approved');
  const called = await loadWorkflow(tx, run);
  if (!called || run.conclusion === 'startup_failure')
    throw forbidden('This workflow run cannot be retried, since it could not start');
  const workflow = (await loadWorkflows(tx, [run.workflow_id])).get(run.workflow_id);
  if (workflow && !isRunnable(workflow)) throw forbidden('Unable to retry this workflow run, since its workflow is disabled');
  const user = (await findAskerBehind(tx, by)) ?? by.account.id;
  const spent = await spentBudgetOf(tx, jobsOf(run.repository_id, run.owner_id, user), now);
  if (spent !== undefined) throw forbidden(spent);
  return { run, called };
}

async function beginAttempt(
  scope: WriteScope,
  run: RunRow,
  { by, debugs }: RerunOptions,
  jobs: readonly JobOfAttempt[],
): Promise<RunRow> {
  const { tx, now } = scope;
  await insertAttempt(tx, {
    run_id: run.id,
    attempt: run.attempt,
    conclusion: run.conclusion ?? 'cancelled',
    triggering_actor_id: run.triggering_actor_id,
    on_behalf_of_id: run.on_behalf_of_id,
    started_at: run.started_at,
    updated_at: run.updated_at,
  });
  const begun = await transitionRun(scope, run, 'rerun', {
    attempt: run.attempt + 1,
    triggering_actor_id: by.account.id,
    on_behalf_of_id: (await findAskerBehind(tx, by)) ?? null,
    debugs,
  });
  await createJobs(
    scope,
    begun,
    jobs.map((job) => newJobOf(begun, job, now)),
  );
  return beginAgain(scope, begun);
}

/** A job that exists from the start of an attempt: carried over with its result, or to be run again. */
type JobOfAttempt = { readonly job: JobRow; readonly isCarried: boolean };

/**
 * The jobs that exist from the start of an attempt. Jobs that need one of the rerun jobs, and jobs that no runner ever had, are
 * excluded: they are planned anew.
 */
function jobsOfAttempt(called: Workflow, jobs: readonly JobRow[], again: readonly JobRow[]): JobOfAttempt[] {
  const keys = new Set(again.map(({ key }) => key));
  const isBehind = keysBehind(called, keys);
  const isNew = new Set(again.filter(({ queued_at }) => queued_at === null).map(({ key }) => key));
  return jobs.filter(({ key }) => !isBehind(key) && !isNew.has(key)).map((job) => ({ job, isCarried: !again.includes(job) }));
}

function newJobOf(run: RunRow, { job, isCarried }: JobOfAttempt, now: Date): NewJob {
  const { id: _, carried_from, status: __, conclusion, ...row } = job;
  const common = { ...row, plan: JSON.stringify(row.plan), attempt: run.attempt, token_id: null };
  if (isCarried)
    return {
      ...common,
      transition: 'carry',
      ended: conclusion ?? undefined,
      outputs: JSON.stringify(row.outputs),
      carried_from: carried_from ?? job.id,
    };
  const plan = planOf(job);
  return {
    ...common,
    // Jobs of calls in concurrency groups start when it is the call's turn.
    transition: waitsForCall(plan.calls) ? 'make_held' : creationOf(plan),
    outputs: '{}',
    problem: null,
    problem_line: null,
    runner_id: null,
    runner_name: null,
    runner_os: null,
    runner_group_id: null,
    runner_group_name: null,
    check_run_id: null,
    environment_id: null,
    deployment_id: null,
    asked_at: null,
    cancelled_at: null,
    heard_at: null,
    log_rows: 0,
    log_bytes: 0,
    log_key: null,
    log_digest: null,
    created_at: now,
    queued_at: null,
    started_at: null,
    completed_at: null,
  };
}
