// Reviews, by people and apps, of jobs that wait to enter their environments.

import type { RepositoryAction } from '#access/action.ts';
import { authorize } from '#access/authorize.ts';
import { administersRepository } from '#access/policies.ts';
import type { Repo, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { gather, grouped, unique } from '#lib/collections.ts';
import { asId, type Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { forbidden, invalid, orNotFound } from '#lib/refusal.ts';
import {
  counts,
  type EnvironmentRow,
  loadEnvironments,
  loadProtections,
  type Protection,
} from '#resources/actions/environments/index.ts';
import { loadReviewers } from '#resources/collaboration/reviews/index.ts';
import { runLimits } from '../limits.ts';
import { advanceRun } from '../planning/advance.ts';
import { inRun } from '../planning/kept-plan.ts';
import type { NewCustomDeploymentReview, NewDeploymentReview } from '../schemas.ts';
import { transitionJob } from '../states/job-states.ts';
import { findRunForUpdate, type JobRow, type RunRow, type RunSummary } from '../store.ts';
import { askerOf } from './behind-job.ts';
import { countReviews, insertJobReviews, insertReview, listWaitingJobs } from './store.ts';

type Run = Id<'workflow_runs'>;

const maxReviews = fixedValue(runLimits.reviews);

/** How a viewer may let jobs into an environment: by a review that counts, or by bypassing its rules. */
type ReviewRight = 'reviewer' | 'bypass' | undefined;

/** How a viewer may let the jobs of a run into their environments, in four statements at most. */
export async function loadReviewRights(
  db: Db,
  { viewer, repo }: { viewer: Viewer; repo: Repo },
  run: RunSummary,
  environments: readonly EnvironmentRow[],
): Promise<{ rightIn(environment: EnvironmentRow): ReviewRight; protectionOf(environment: EnvironmentRow): Protection }> {
  const { account } = viewer;
  const [protectionOf, known] = await Promise.all([
    loadProtections(db, environments),
    loadReviewers(db, repo, account ? [account.id] : []),
  ]);
  const reviewer = account && known.get(account.id);
  // Users who may change environments may also bypass their rules, if the environments allow that.
  const administrates = authorize(administersRepository, viewer, { repo }, { write: true }).allowed;
  return {
    protectionOf,
    rightIn(environment) {
      const { review } = protectionOf(environment);
      const isReviewer =
        review && reviewer && reviewer.level > 0 && counts(review, askerOf(run), { by: reviewer.account, teams: reviewer.teams });
      if (isReviewer) return 'reviewer';
      return administrates && environment.admins_bypass ? 'bypass' : undefined;
    },
  };
}

/**
 * Approves or rejects the jobs of a run that wait for some environments. Approved jobs continue once nothing else blocks them;
 * rejected jobs fail.
 * @returns the jobs
 * @throws Refusal 403 for users who may not review, 422 for an environment that no job of the run waits for
 */
export async function reviewRun(
  scope: WriteScope,
  { by, repo }: RepositoryAction,
  id: Run,
  { environment_ids, state, comment }: NewDeploymentReview,
): Promise<JobRow[]> {
  const { tx, now } = scope;
  const { run, waiting } = await findReviewed(scope, id);
  const jobs = waiting.filter(({ environment_id }) => environment_id !== null && environment_ids.includes(environment_id));
  const environments = await loadEnvironments(tx, unique(gather(jobs, 'environment_id')));
  if (unique(environment_ids).some((wanted) => !environments.has(asId(wanted))))
    throw invalid('WorkflowRun', 'environment_ids', 'invalid', 'The run does not wait for all of these environments');
  const { rightIn } = await loadReviewRights(tx, { viewer: by, repo }, run, [...environments.values()]);
  const rights = new Map([...environments.values()].map((environment) => [environment.id, rightIn(environment)]));
  if ([...rights.values()].includes(undefined))
    throw forbidden('Only its reviewers can let a deployment into an environment, or administrators where it lets them');
  const review = await insertReview(tx, { run_id: run.id, user_id: by.account.id, state, comment, created_at: now });
  await insertJobReviews(
    tx,
    jobs.map(({ id: job_id, environment_id }) => ({
      review_id: review.id,
      job_id,
      environment_id,
      is_bypass: environment_id !== null && rights.get(environment_id) === 'bypass',
    })),
  );
  const kind = state === 'approved' ? 'deployment_review.approved' : 'deployment_review.rejected';
  await record(tx, { ...inRun(run, now), actor: by.account.id, kind, data: { run: run.id, review: review.id } });
  if (state === 'rejected') await rejectJobs(scope, run, jobs, `The deployment was rejected by ${by.account.login}`);
  await advanceRun(scope, run);
  return jobs;
}

/**
 * Stores an app's decision on the jobs of a run that wait for it, or its progress.
 * @throws Refusal 404 if no job of the run waits for the app
 */
export async function reviewAsApp(
  scope: WriteScope,
  { by }: RepositoryAction,
  id: Run,
  { environment_name, state, comment }: NewCustomDeploymentReview,
): Promise<void> {
  const { tx, now } = scope;
  const app = by.grant.kind === 'installation' ? by.grant.appId : undefined;
  const { run, waiting } = await findReviewed(scope, id);
  const environments = await loadEnvironments(tx, unique(gather(waiting, 'environment_id')));
  const environment = [...environments.values()].find(({ name }) => name.toLowerCase() === environment_name.toLowerCase());
  const protectionOf = await loadProtections(tx, environment ? [environment] : []);
  const jobs = waiting.filter(({ environment_id }) => environment_id === environment?.id);
  if (!environment || app === undefined || !protectionOf(environment).apps.includes(app))
    throw invalid('WorkflowRun', 'environment_name', 'invalid', `No job of the run waits for this app at ${environment_name}`);
  const review = await insertReview(tx, { run_id: run.id, app_id: app, state: state ?? null, comment, created_at: now });
  await insertJobReviews(
    tx,
    jobs.map((job) => ({ review_id: review.id, job_id: job.id, environment_id: environment.id, is_bypass: false })),
  );
  if (state === undefined) return;
  if (state === 'rejected') await rejectJobs(scope, run, jobs, `The deployment was rejected by the app ${by.account.login}`);
  await advanceRun(scope, run);
}

/** A run that can still be reviewed, with its waiting jobs. Its row is locked. */
async function findReviewed({ tx }: WriteScope, id: Run): Promise<{ run: RunRow; waiting: JobRow[] }> {
  const run = orNotFound(await findRunForUpdate(tx, id));
  if ((await countReviews(tx, run.id)) >= maxReviews)
    throw invalid('WorkflowRun', 'comment', 'unprocessable', `A run can have at most ${maxReviews} reviews`);
  return { run, waiting: await listWaitingJobs(tx, run.id, run.attempt) };
}

async function rejectJobs(scope: WriteScope, run: RunRow, jobs: readonly JobRow[], problem: string): Promise<void> {
  for (const job of jobs) await transitionJob(scope, run, job, 'reject', { problem });
}

/** The waiting jobs of a run, by the environments that they wait for. */
export async function loadPending(db: Db, run: RunSummary): Promise<{ environment: EnvironmentRow; since: Date | null }[]> {
  const byEnvironment = grouped(await listWaitingJobs(db, run.id, run.attempt), ({ environment_id }) => environment_id);
  const environments = await loadEnvironments(db, unique(byEnvironment.keys()));
  return [...environments.values()].map((environment) => ({
    environment,
    since: byEnvironment.get(environment.id)?.[0]?.asked_at ?? null,
  }));
}
