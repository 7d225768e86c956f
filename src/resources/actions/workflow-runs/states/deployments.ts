// The deployments of jobs that enter environments. Each job has its own, and its statuses follow the job.

import type { Tx } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { isWebAddress } from '#lib/web-address.ts';
import { type AppAction, createAppStatus } from '#resources/actions/deployments/index.ts';
import { actionsAppOf } from '#resources/repositories/apps/index.ts';
import { environmentUrlOutput } from '#workflow-files/runner-job.ts';
import type { JobRow, RunRow } from '../store.ts';
import { jobPagePath } from './checks.ts';

/** The creator of deployments: the app of workflows, on behalf of the user who triggered the run. */
export async function deploymentAction(tx: Tx, run: RunRow, now: Date): Promise<AppAction> {
  const by = run.triggering_actor_id ?? run.actor_id;
  const { id: app } = await actionsAppOf(tx, now);
  return { repo: { id: run.repository_id, owner_id: run.owner_id }, by: by === null ? {} : { account: { id: by } }, app, now };
}

type Status = {
  readonly state: Parameters<typeof createAppStatus>[3]['state'];
  readonly description: string;
  readonly environmentUrl?: string | undefined;
};

/** Adds a status to the deployment of a job, if it has one. */
export async function noteDeployment({ tx, now }: WriteScope, run: RunRow, job: JobRow, status: Status): Promise<void> {
  if (job.deployment_id === null) return;
  const [action, logUrl] = await Promise.all([deploymentAction(tx, run, now), jobPagePath(tx, run, job)]);
  await createAppStatus(tx, action, job.deployment_id, { ...status, logUrl });
}

/** The maximum length of a stored address (the same as for the deployment endpoints). */
const maxAddress = 2_048;

/** Ends the deployment of a job that has ended. Cancelled jobs leave no active deployment. */
export async function endDeployment(scope: WriteScope, run: RunRow, job: JobRow): Promise<void> {
  const { conclusion } = job;
  const state =
    conclusion === 'success' ? 'success' : conclusion === 'cancelled' || conclusion === 'skipped' ? 'inactive' : 'failure';
  const url = (job.outputs as { [name: string]: string })[environmentUrlOutput];
  const isUsable = url !== undefined && url.length <= maxAddress && isWebAddress(url);
  await noteDeployment(scope, run, job, {
    state,
    description: descriptions[state],
    environmentUrl: isUsable ? url : undefined,
  });
}

const descriptions = {
  success: 'The job has succeeded',
  inactive: 'The job was stopped',
  failure: 'The job has failed',
} as const;
