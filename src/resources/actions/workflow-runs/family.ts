import { Type } from 'typebox';
import { EnvironmentReviewer } from '#resources/actions/environments/index.ts';
import { Workflow } from '#resources/actions/workflows/index.ts';
import { family } from '#resources/family.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { endWait, followEnvironments } from './approval/jobs.ts';
import { settleGroup } from './concurrency/groups.ts';
import { turns } from './concurrency/turns.ts';
import * as concurrency from './endpoints/concurrency.ts';
import * as environments from './endpoints/environments.ts';
import * as jobs from './endpoints/jobs.ts';
import * as logs from './endpoints/logs.ts';
import * as ofPages from './endpoints/of-pages.ts';
import * as runs from './endpoints/runs.ts';
import * as workflows from './endpoints/workflows.ts';
import { workflowRunEvents } from './events.ts';
import { interpreters } from './interpreters.ts';
import { endLongWaits, endOverdueJobs, endSilentJobs } from './jobs/deadlines.ts';
import * as limits from './limits.ts';
import { loadKnownLogs, removeStoredArtifacts, removeStoredLogs, storeLog } from './logs/logs.ts';
import { notifyOfReviewRequests, notifyOfRuns } from './runs/notifications.ts';
import { expireRuns } from './runs/retention.ts';
import * as schemas from './schemas.ts';

export const workflowRuns = family({
  name: 'workflow-runs',
  effect: 'Jobs are started, stopped, rerun or approved; runs and their logs are deleted.',
  page: 'actions.md#runs',
  limits,
  interpreters,
  schemas,
  endpoints: [workflows, runs, environments, concurrency, jobs, logs],
  pageEndpoints: [ofPages],
  events: workflowRunEvents,
  payloadParts: {
    workflow: Workflow,
    workflow_run: schemas.WorkflowRunInPayload,
    workflow_job: schemas.WorkflowJob,
    approver: User,
    requestor: User,
    reviewers: Type.Array(EnvironmentReviewer),
  },
  subscriptions: [followEnvironments, notifyOfRuns, notifyOfReviewRequests],
  jobs: [
    endSilentJobs,
    endOverdueJobs,
    endWait,
    endLongWaits,
    expireRuns,
    settleGroup(turns),
    storeLog,
    removeStoredLogs,
    removeStoredArtifacts,
  ],
  loadKnownObjects: loadKnownLogs,
});
