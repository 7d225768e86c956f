// Whether jobs may enter their environments. This is decided again whenever something about a run changes (decision 55).

import type { Db } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { enqueue, removeJob } from '#jobs/job.ts';
import { gather, unique } from '#lib/collections.ts';
import { Refusal } from '#lib/refusal.ts';
import { createAppDeployment } from '#resources/actions/deployments/index.ts';
import {
  type Approval,
  type EnvironmentRow,
  ensureEnvironment,
  findBranchProtection,
  loadEnvironments,
  loadProtections,
  type Waiting,
  waitsFor,
} from '#resources/actions/environments/index.ts';
import { loadReviewers } from '#resources/collaboration/reviews/index.ts';
import { inRun, planOf } from '../planning/kept-plan.ts';
import { deploymentAction, noteDeployment } from '../states/deployments.ts';
import { type JobRow, type RunRow, updateJob } from '../store.ts';
import { askerOf } from './behind-job.ts';
import { type JobReview, listJobReviews } from './store.ts';

/** The decision about a job that waits to enter its environment. */
type Admission = { readonly job: JobRow } & (
  | { readonly state: 'ready' | 'waiting' }
  | { readonly state: 'refused'; readonly problem: string }
);

/**
 * Decides about jobs that wait to enter their environments. For new jobs, deployments are created, and reviewers and apps are
 * notified.
 */
export async function admitJobs(scope: WriteScope, run: RunRow, jobs: readonly JobRow[]): Promise<Admission[]> {
  const { tx, now } = scope;
  if (jobs.length === 0) return [];
  const environmentOf = await findEnvironments(scope, run, jobs);
  const known = [...new Map(jobs.flatMap((job) => environmentOf(job).found ?? []).map((row) => [row.id, row])).values()];
  const [protectionOf, protectedBranches, reviews] = await Promise.all([
    loadProtections(tx, known),
    findBranchProtection(tx, run.repository_id, run.ref ?? undefined),
    listJobReviews(tx, gather(jobs, 'id')),
  ]);
  const approvals = await approvalsIn(tx, run, reviews);
  const admissions: Admission[] = [];
  for (const job of jobs) {
    const { found: environment, problem = '' } = environmentOf(job);
    if (!environment) {
      admissions.push({ job, state: 'refused', problem });
      continue;
    }
    const own = reviews.filter(({ job_id }) => job_id === job.id);
    const attempt = {
      ref: run.ref ?? undefined,
      protectedBranches,
      actor: askerOf(run),
      at: job.asked_at ?? now,
      approvals: approvals(own),
      passed: own.flatMap(({ app_id, state }) => (state === 'approved' ? (app_id ?? []) : [])),
    };
    const needed = waitsFor(protectionOf(environment), attempt, now);
    if (needed.state === 'refused') {
      admissions.push({
        job,
        state: 'refused',
        problem: `The environment ${environment.name} does not take ${run.ref ?? 'a commit without a branch or tag'}`,
      });
      continue;
    }
    const state = own.some(({ is_bypass }) => is_bypass) ? 'ready' : needed.state;
    const asked = job.asked_at === null ? await ask(scope, run, job, environment) : job;
    if (needed.state === 'waiting' && state === 'waiting')
      await wait(scope, run, asked, { needed, isNew: job.asked_at === null });
    admissions.push({ job: asked, state });
  }
  return admissions;
}

/**
 * The environments of jobs: the ones that they already wait for, or else those that they name, which are created if they don't
 * exist.
 */
async function findEnvironments(
  { tx, now }: WriteScope,
  run: RunRow,
  jobs: readonly JobRow[],
): Promise<(job: JobRow) => { found?: EnvironmentRow; problem?: string }> {
  const asked = await loadEnvironments(tx, unique(gather(jobs, 'environment_id')));
  const nameOf = (job: JobRow): string => planOf(job).environment?.name ?? '';
  const names = unique(jobs.filter(({ asked_at }) => asked_at === null).map(nameOf));
  const by = askerOf(run);
  const action = {
    repo: { id: run.repository_id, owner_id: run.owner_id },
    by: by === undefined ? {} : { account: { id: by } },
    now,
  };
  const named = new Map<string, { found: EnvironmentRow } | { problem: string }>();
  for (const name of names)
    try {
      named.set(name, { found: await ensureEnvironment(tx, action, name) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      named.set(name, { problem: error.errors[0]?.message ?? error.message });
    }
  return (job) => {
    if (job.asked_at === null) return named.get(nameOf(job)) ?? {};
    const found = job.environment_id === null ? undefined : asked.get(job.environment_id);
    return found ? { found } : { problem: `The environment ${nameOf(job)} was deleted` };
  };
}

/** The approvals by people who still have a role in the repository, with their current teams. */
async function approvalsIn(
  db: Db,
  run: RunRow,
  reviews: readonly JobReview[],
): Promise<(of: readonly JobReview[]) => Approval[]> {
  const people = unique(gather(reviews, 'user_id'));
  const known = await loadReviewers(db, { id: run.repository_id, owner_id: run.owner_id }, people);
  return (of) =>
    of.flatMap(({ user_id, state }) => {
      const reviewer = user_id === null || state !== 'approved' ? undefined : known.get(user_id);
      return reviewer && reviewer.level > 0 ? [{ by: reviewer.account, teams: reviewer.teams }] : [];
    });
}

/** Creates the deployment of a job that wants to enter its environment. */
async function ask({ tx, now }: WriteScope, run: RunRow, job: JobRow, { id, name }: EnvironmentRow): Promise<JobRow> {
  const action = await deploymentAction(tx, run, now);
  const ref = run.ref?.replace(/^refs\/(heads|tags|pull)\//, '') ?? run.sha;
  const deployment = await createAppDeployment(tx, action, { sha: run.sha, ref, full_ref: run.ref, environment: name });
  return updateJob(tx, job.id, { environment_id: id, deployment_id: deployment.id, asked_at: now });
}

/** Schedules another check for when the wait timer of a job's environment ends. */
async function wait(
  scope: WriteScope,
  run: RunRow,
  job: JobRow,
  { needed, isNew }: { needed: Extract<Waiting, { state: 'waiting' }>; isNew: boolean },
): Promise<void> {
  const { tx, now } = scope;
  const key = `${endOfWait.name} ${job.id}`;
  if (needed.until) {
    // The queue has its own clock.
    const runAt = new Date(Date.now() + needed.until.getTime() - now.getTime());
    await enqueue(tx, endOfWait, { run: run.id }, { key, runAt });
  } else if (!isNew) await removeJob(tx, key);
  if (!isNew) return;
  await noteDeployment(scope, run, job, { state: 'pending', description: 'Waiting to enter the environment' });
  const data = { run: run.id, job: job.id };
  await record(tx, { ...inRun(run, now), kind: 'workflow_job.waiting', data });
  if (needed.review) await record(tx, { ...inRun(run, now), kind: 'deployment_review.requested', data });
  for (const app of needed.apps)
    await record(tx, { ...inRun(run, now), kind: 'deployment_protection_rule.requested', data: { ...data, app } });
}

/** The job that continues a run when the wait timer of an environment ends. */
export const endOfWait = { name: 'workflow-runs.end-wait', attempts: 25 } as const;
