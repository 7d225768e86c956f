import type { Loader } from '#endpoint/loaders.ts';
import { gather, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { timestamp } from '#lib/time.ts';
import { type DeploymentRow, loadDeployments, presentDeployment } from '#resources/actions/deployments/index.ts';
import { presentReviewers } from '#resources/actions/environments/index.ts';
import { loadWorkflows, presentWorkflow, type WorkflowRow } from '#resources/actions/workflows/index.ts';
import { type RepositoryUrls, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import {
  aboutRepository,
  type EventScope,
  eventKinds,
  type OwnedRepository,
  type PayloadScope,
  payloadBuilder,
  type WebhookEvent,
  webhookEventType,
} from '#resources/event-kinds.ts';
import { findAccountById, presentUser, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import { loadReviewsWithJobs, type ReviewRow } from './approval/store.ts';
import { planOf } from './planning/kept-plan.ts';
import { jobPage, presentJobs, presentRunPayload, runOfAttempt, runUrl } from './present.ts';
import { findAttempt, type JobRow, loadJobs, loadPayloads, loadRuns, type RunSummary } from './store.ts';

/** `dynamic`: the server wrote its file. */
type RunEvent = { run: Id<'workflow_runs'>; attempt: number; dynamic?: true };
type JobEvent = { run: Id<'workflow_runs'>; job: Id<'workflow_jobs'> };
type ReviewEvent = { run: Id<'workflow_runs'>; review: Id<'workflow_run_reviews'> };

declare module '#events/kinds.ts' {
  interface EventData {
    'workflow_run.requested': RunEvent;
    'workflow_run.in_progress': RunEvent;
    'workflow_run.completed': RunEvent;
    'workflow_job.waiting': JobEvent;
    'workflow_job.queued': JobEvent;
    'workflow_job.in_progress': JobEvent;
    'workflow_job.completed': JobEvent;
    'workflow_dispatch.sent': { run: Id<'workflow_runs'> };
    'deployment_review.requested': JobEvent;
    'deployment_review.approved': ReviewEvent;
    'deployment_review.rejected': ReviewEvent;
    'deployment_protection_rule.requested': JobEvent & { app: Id<'apps'> };
  }
}

const ofActions = { permission: 'actions:read', hooks: 'all' } as const;
const runEvent = webhookEventType({ name: 'workflow_run', ...ofActions });
const jobEvent = webhookEventType({ name: 'workflow_job', ...ofActions });
const reviewEvent = webhookEventType({ name: 'deployment_review', permission: 'deployments:read', hooks: 'all' });
const ruleEvent = webhookEventType({ name: 'deployment_protection_rule', permission: 'deployments:read', hooks: 'apps' });
const dispatchEvent = webhookEventType({ name: 'workflow_dispatch', permission: 'contents:read', hooks: 'apps' });

const loadRunsOf: Loader<RunSummary['id'], RunSummary> = ({ db }, ids) => loadRuns(db, ids);
const loadJobsOf: Loader<JobRow['id'], JobRow> = ({ db }, ids) => loadJobs(db, ids);
const loadWorkflowsOf: Loader<WorkflowRow['id'], WorkflowRow> = ({ db }, ids) => loadWorkflows(db, ids);
const loadPayloadsOf: Loader<RunSummary['id'], string> = ({ db }, ids) => loadPayloads(db, ids);

/** A run may have continued by the time its payload is built; these fields keep its state at the time of the event. */
const runAt = {
  requested: { status: 'queued', conclusion: null },
  in_progress: { status: 'in_progress', conclusion: null },
  completed: {},
} as const satisfies Record<string, Partial<RunSummary>>;

const runPayload = (
  action: keyof typeof runAt,
  context: PayloadScope,
  event: EventScope & { data: RunEvent },
): Promise<readonly WebhookEvent[]> =>
  aboutRepository(context, event, async (repository) => {
    const row = await context.load(loadRunsOf, event.data.run);
    if (row?.repository_id !== repository.id) return [];
    const workflow = await context.load(loadWorkflowsOf, row.workflow_id);
    const run = { ...(await atAttempt(context, row, event.data.attempt)), ...runAt[action] };
    if (!workflow || (action === 'completed' && run.status !== 'completed')) return [];
    const urls = repositoryUrlsOf(context.links, repository);
    const body = {
      workflow: presentWorkflow(urls, repository.default_branch, workflow),
      workflow_run: await presentRunPayload(context, repository, run),
    };
    return [{ type: runEvent, action, body }];
  });

async function atAttempt({ db }: PayloadScope, run: RunSummary, attempt: number): Promise<RunSummary> {
  const ended = attempt === run.attempt ? undefined : await findAttempt(db, run.id, attempt);
  return ended ? runOfAttempt(run, ended) : run;
}

const open = { conclusion: null, completed_at: null } as const;
const unbegun = {
  ...open,
  started_at: null,
  runner_id: null,
  runner_name: null,
  runner_group_id: null,
  runner_group_name: null,
} as const;
const jobAt = {
  waiting: { status: 'waiting', ...unbegun },
  queued: { status: 'queued', ...unbegun },
  in_progress: { status: 'in_progress', ...open },
  completed: {},
} as const satisfies Record<string, Partial<JobRow>>;

const jobPayload = (
  action: keyof typeof jobAt,
  context: PayloadScope,
  event: EventScope & { data: JobEvent },
): Promise<readonly WebhookEvent[]> =>
  aboutRepository(context, event, async (repository) => {
    const row = await context.load(loadJobsOf, event.data.job);
    if (row?.repository_id !== repository.id) return [];
    const urls = repositoryUrlsOf(context.links, repository);
    const [workflow_job] = await presentJobs(context, urls, [{ ...row, ...jobAt[action] }]);
    if (!workflow_job || (action === 'completed' && workflow_job.status !== 'completed')) return [];
    // The payload includes the steps only after the job has ended.
    const steps = action === 'completed' ? workflow_job.steps : [];
    return [{ type: jobEvent, action, body: { workflow_job: { ...workflow_job, steps } } }];
  });

const loadReviewsOf: Loader<ReviewRow['id'], ReviewRow & { jobs: JobRow['id'][] }> = ({ db }, ids) =>
  loadReviewsWithJobs(db, ids);
const loadDeploymentsOf: Loader<DeploymentRow['id'], DeploymentRow> = ({ db }, ids) => loadDeployments(db, ids);

/** A job in payloads of reviews. */
const presentReviewedJob = (urls: RepositoryUrls, job: JobRow) => ({
  id: job.id,
  name: null,
  status: 'waiting',
  conclusion: null,
  html_url: jobPage(urls, job),
  created_at: timestamp(job.created_at),
  updated_at: timestamp(job.asked_at ?? job.created_at),
  environment: planOf(job).environment?.name ?? '',
});

/** The run and the job of an event about a waiting job; undefined if one was deleted. */
async function findWaiting(context: PayloadScope, repository: OwnedRepository, { run, job }: JobEvent) {
  const [runRow, jobRow] = await Promise.all([context.load(loadRunsOf, run), context.load(loadJobsOf, job)]);
  return runRow?.repository_id === repository.id && jobRow ? { run: runRow, job: jobRow } : undefined;
}

const reviewerLists = async (scope: PayloadScope, jobs: readonly JobRow[]) => {
  const ids = unique(gather(jobs, 'environment_id'));
  const reviewersOf = await presentReviewers(scope, ids);
  return ids.flatMap(reviewersOf);
};

const reviewPayload = (
  action: 'approved' | 'rejected',
  context: PayloadScope,
  event: EventScope & { data: ReviewEvent },
): Promise<readonly WebhookEvent[]> =>
  aboutRepository(context, event, async (repository) => {
    const [run, review] = await Promise.all([
      context.load(loadRunsOf, event.data.run),
      context.load(loadReviewsOf, event.data.review),
    ]);
    if (run?.repository_id !== repository.id || !review) return [];
    const jobs = [...(await loadJobs(context.db, review.jobs)).values()];
    const [first] = jobs;
    const approver = review.user_id === null ? undefined : await findAccountById(context.db, review.user_id);
    if (!first || !approver) return [];
    const urls = repositoryUrlsOf(context.links, repository);
    const shown = jobs.map((job) => presentReviewedJob(urls, job));
    const reviewers = await reviewerLists(context, jobs);
    const body = {
      approver: presentUser(context.links, approver),
      comment: review.comment,
      // As documented by the public API: only people.
      reviewers: reviewers.filter(({ type }) => type === 'User'),
      since: timestamp(first.asked_at ?? first.created_at),
      workflow_job_run: shown[0],
      workflow_job_runs: shown,
      workflow_run: await presentRunPayload(context, repository, run),
    };
    return [{ type: reviewEvent, action, body }];
  });

export const workflowRunEvents = eventKinds({
  'deployment_review.requested': payloadBuilder([reviewEvent], (event, context) =>
    aboutRepository(context, event, async (repository) => {
      const found = await findWaiting(context, repository, event.data);
      const requestor = event.actor === undefined ? undefined : await findAccountById(context.db, event.actor);
      if (!found) return [];
      const { run, job } = found;
      const body = {
        environment: planOf(job).environment?.name ?? '',
        requestor: presentUserOrNull(context.links, requestor),
        reviewers: await reviewerLists(context, [job]),
        since: timestamp(job.asked_at ?? job.created_at),
        workflow_job_run: presentReviewedJob(repositoryUrlsOf(context.links, repository), job),
        workflow_run: await presentRunPayload(context, repository, run),
      };
      return [{ type: reviewEvent, action: 'requested', body }];
    }),
  ),
  'deployment_review.approved': payloadBuilder([reviewEvent], (event, context) => reviewPayload('approved', context, event)),
  'deployment_review.rejected': payloadBuilder([reviewEvent], (event, context) => reviewPayload('rejected', context, event)),
  'deployment_protection_rule.requested': payloadBuilder(
    [ruleEvent],
    (event, context) =>
      aboutRepository(context, event, async (repository) => {
        const found = await findWaiting(context, repository, event.data);
        if (!found || found.job.deployment_id === null) return [];
        const deployment = await context.load(loadDeploymentsOf, found.job.deployment_id);
        if (!deployment) return [];
        const urls = repositoryUrlsOf(context.links, repository);
        const body = {
          environment: deployment.environment,
          event: found.run.event,
          deployment_callback_url: `${runUrl(urls, found.run.id)}/deployment_protection_rule`,
          deployment: await presentDeployment(context, urls, deployment),
        };
        return [{ type: ruleEvent, action: 'requested', body }];
      }),
    { onlyFor: ({ data }) => data.app },
  ),
  'workflow_run.requested': payloadBuilder([runEvent], (event, context) => runPayload('requested', context, event)),
  'workflow_run.in_progress': payloadBuilder([runEvent], (event, context) => runPayload('in_progress', context, event)),
  'workflow_run.completed': payloadBuilder([runEvent], (event, context) => runPayload('completed', context, event)),
  'workflow_job.waiting': payloadBuilder([jobEvent], (event, context) => jobPayload('waiting', context, event)),
  'workflow_job.queued': payloadBuilder([jobEvent], (event, context) => jobPayload('queued', context, event)),
  'workflow_job.in_progress': payloadBuilder([jobEvent], (event, context) => jobPayload('in_progress', context, event)),
  'workflow_job.completed': payloadBuilder([jobEvent], (event, context) => jobPayload('completed', context, event)),
  'workflow_dispatch.sent': payloadBuilder([dispatchEvent], (event, context) =>
    aboutRepository(context, event, async () => {
      const payload = await context.load(loadPayloadsOf, event.data.run);
      if (payload === undefined) return [];
      const { inputs, ref, workflow } = JSON.parse(payload);
      return [{ type: dispatchEvent, action: null, body: { inputs, ref, workflow } }];
    }),
  ),
});
