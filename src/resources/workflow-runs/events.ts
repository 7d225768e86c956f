import type { Id } from '#lib/id.ts';
import { repositoryUrlsOf } from '#resources/commits/index.ts';
import {
  aboutRepository,
  type EventScope,
  eventKinds,
  type PayloadContext,
  type PayloadLoader,
  payloadBuilder,
  type WebhookEvent,
  webhookEventType,
} from '#resources/event-kinds.ts';
import { loadWorkflows, presentWorkflow, type WorkflowRow } from '#resources/workflows/index.ts';
import { presentJobs, presentRunPayload, runOfAttempt } from './present.ts';
import { findAttempt, type JobRow, loadJobs, loadPayloads, loadRuns, type RunSummary } from './store.ts';

type RunEvent = { run: Id<'workflow_runs'>; attempt: number };
type JobEvent = { run: Id<'workflow_runs'>; job: Id<'workflow_jobs'> };

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
  }
}

const ofActions = { permission: 'actions:read', hooks: 'all' } as const;
const runEvent = webhookEventType({ name: 'workflow_run', ...ofActions });
const jobEvent = webhookEventType({ name: 'workflow_job', ...ofActions });
const dispatchEvent = webhookEventType({ name: 'workflow_dispatch', permission: 'contents:read', hooks: 'apps' });

const loadRunsOf: PayloadLoader<RunSummary['id'], RunSummary> = ({ db }, ids) => loadRuns(db, ids);
const loadJobsOf: PayloadLoader<JobRow['id'], JobRow> = ({ db }, ids) => loadJobs(db, ids);
const loadWorkflowsOf: PayloadLoader<WorkflowRow['id'], WorkflowRow> = ({ db }, ids) => loadWorkflows(db, ids);
const loadPayloadsOf: PayloadLoader<RunSummary['id'], string> = ({ db }, ids) => loadPayloads(db, ids);

/** A run has often gone on when its payload is built: these say what it was when it happened. */
const runAt = {
  requested: { status: 'queued', conclusion: null },
  in_progress: { status: 'in_progress', conclusion: null },
  completed: {},
} as const satisfies Record<string, Partial<RunSummary>>;

const runPayload = (
  action: keyof typeof runAt,
  context: PayloadContext,
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

async function atAttempt({ db }: PayloadContext, run: RunSummary, attempt: number): Promise<RunSummary> {
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
  context: PayloadContext,
  event: EventScope & { data: JobEvent },
): Promise<readonly WebhookEvent[]> =>
  aboutRepository(context, event, async (repository) => {
    const row = await context.load(loadJobsOf, event.data.job);
    if (row?.repository_id !== repository.id) return [];
    const urls = repositoryUrlsOf(context.links, repository);
    const [workflow_job] = await presentJobs({ db: context.db, urls }, [{ ...row, ...jobAt[action] }]);
    if (!workflow_job || (action === 'completed' && workflow_job.status !== 'completed')) return [];
    // What it ran is told of at its end.
    const steps = action === 'completed' ? workflow_job.steps : [];
    return [{ type: jobEvent, action, body: { workflow_job: { ...workflow_job, steps } } }];
  });

export const workflowRunEvents = eventKinds({
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
