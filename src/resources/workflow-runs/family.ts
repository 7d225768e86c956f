import { family } from '#resources/family.ts';
import { workflowRunEvents } from './events.ts';
import { endSilentJobs } from './jobs.ts';
import { storeLog } from './logs.ts';

export const workflowRuns = family({ name: 'workflow-runs', events: workflowRunEvents, jobs: [endSilentJobs, storeLog] });
