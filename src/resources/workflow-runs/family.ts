import { family } from '#resources/family.ts';
import { settleGroup } from './concurrency.ts';
import { workflowRunEvents } from './events.ts';
import { endSilentJobs } from './jobs.ts';
import { storeLog } from './logs.ts';
import { turns } from './progress.ts';

export const workflowRuns = family({
  name: 'workflow-runs',
  events: workflowRunEvents,
  jobs: [endSilentJobs, settleGroup(turns), storeLog],
});
