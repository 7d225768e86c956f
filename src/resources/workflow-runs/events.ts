import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

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

export const workflowRunEvents = eventKinds({
  'workflow_run.requested': 'no webhook',
  'workflow_run.in_progress': 'no webhook',
  'workflow_run.completed': 'no webhook',
  'workflow_job.waiting': 'no webhook',
  'workflow_job.queued': 'no webhook',
  'workflow_job.in_progress': 'no webhook',
  'workflow_job.completed': 'no webhook',
  'workflow_dispatch.sent': 'no webhook',
});
