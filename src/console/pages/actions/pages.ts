import type { Page } from '#console/page.ts';
import { activityLogPage, deploymentsPage, environmentPage } from './deployments.ts';
import { artifactPage, jobLogPage, runLogsPage } from './downloads.ts';
import { jobPage } from './job.ts';
import { attemptPage, runPage } from './run.ts';
import { runsPage, workflowPage } from './runs.ts';
import { cachesPage } from './storage.ts';

export const actionsPages: readonly Page[] = [
  runsPage,
  workflowPage,
  runPage,
  attemptPage,
  jobPage,
  artifactPage,
  jobLogPage,
  runLogsPage,
  cachesPage,
  deploymentsPage,
  activityLogPage,
  environmentPage,
];
