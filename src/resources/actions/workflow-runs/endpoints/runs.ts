// Runs of workflows, and their attempts.
import { Type } from 'typebox';
import { readsActions, writesActions } from '#access/policies.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { approveRun } from '../approval/approve-run.ts';
import { runAttempt, workflowRun } from '../path-resources.ts';
import { presentRun, presentRuns } from '../present.ts';
import { forceStopRun, stopRun } from '../runs/cancel.ts';
import { deleteRun } from '../runs/delete.ts';
import { readRunFilter } from '../runs/filter.ts';
import { rerunFailedJobs, rerunRun } from '../runs/rerun.ts';
import { presentRunUsage } from '../runs/usage.ts';
import { PullRequestsLeftOut, Rerun, WorkflowRun, WorkflowRunFilter, WorkflowRunUsage } from '../schemas.ts';
import { listJobsOfAttempt, listRuns } from '../store.ts';

export const listRepoWorkflowRuns = endpoint({
  id: 'actions/list-workflow-runs-for-repo',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/runs',
  summary: 'List workflow runs for a repository',
  access: readsActions,
  query: WorkflowRunFilter,
  paging: pages(),
  refuses: [422],
  replies: { 200: enveloped('workflow_runs', WorkflowRun) },
  async handle({ scope, db, at, query, page }) {
    const filter = await readRunFilter(db, query, { repository: at.repo.id });
    const found = filter ? await listRuns(db, filter, page) : { rows: [], total: 0 };
    const withPulls = !query.exclude_pull_requests;
    return mapRows(found, (rows) => presentRuns(scope, at.repo, rows, { withPulls }));
  },
});

export const getWorkflowRun = endpoint({
  id: 'actions/get-workflow-run',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}',
  resources: [workflowRun],
  summary: 'Get a workflow run',
  access: readsActions,
  query: PullRequestsLeftOut,
  replies: { 200: WorkflowRun },
  async handle({ scope, at, query }) {
    const withPulls = !query.exclude_pull_requests;
    return presentRun(scope, at.repo, at.workflowRun, { withPulls });
  },
});

export const getWorkflowRunAttempt = endpoint({
  id: 'actions/get-workflow-run-attempt',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}',
  resources: [runAttempt],
  summary: 'Get a workflow run attempt',
  access: readsActions,
  query: PullRequestsLeftOut,
  replies: { 200: WorkflowRun },
  async handle({ scope, at, query }) {
    const withPulls = !query.exclude_pull_requests;
    return presentRun(scope, at.repo, at.attempt, { withPulls });
  },
});

export const deleteWorkflowRun = endpoint({
  id: 'actions/delete-workflow-run',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}',
  resources: [workflowRun],
  summary: 'Delete a workflow run',
  access: writesActions,
  replies: { 204: Nothing },
  async handle({ change, at }) {
    await change((scope) => deleteRun(scope.tx, at.workflowRun.id));
  },
});

export const cancelWorkflowRun = endpoint({
  id: 'actions/cancel-workflow-run',
  method: 'POST',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}/cancel',
  resources: [workflowRun],
  summary: 'Cancel a workflow run',
  access: writesActions,
  refuses: [409],
  replies: { 202: Type.Object({}) },
  async handle({ change, at }) {
    await change((scope) => stopRun(scope, at.workflowRun.id));
    return {};
  },
});

export const forceCancelWorkflowRun = endpoint({
  id: 'actions/force-cancel-workflow-run',
  method: 'POST',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}/force-cancel',
  resources: [workflowRun],
  summary: 'Force cancel a workflow run',
  access: writesActions,
  refuses: [409],
  replies: { 202: Type.Object({}) },
  async handle({ change, at }) {
    await change((scope) => forceStopRun(scope, at.workflowRun.id));
    return {};
  },
});

export const approveWorkflowRun = endpoint({
  id: 'actions/approve-workflow-run',
  method: 'POST',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}/approve',
  resources: [workflowRun],
  summary: 'Approve a workflow run for a fork pull request',
  access: writesActions,
  replies: { 201: Type.Object({}) },
  async handle({ change, at }) {
    await change((scope) => approveRun(scope, at.workflowRun.id));
    return {};
  },
});

export const rerunWorkflow = endpoint({
  id: 'actions/re-run-workflow',
  method: 'POST',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}/rerun',
  resources: [workflowRun],
  summary: 'Re-run a workflow',
  access: writesActions,
  body: Rerun,
  example: { enable_debug_logging: false },
  replies: { 201: Type.Object({}) },
  async handle({ change, at, body, viewer }) {
    const options = { by: viewer, debugs: body.enable_debug_logging };
    await change((scope) => rerunRun(scope, at.workflowRun.id, options));
    return {};
  },
});

export const rerunFailedJobsOfRun = endpoint({
  id: 'actions/re-run-workflow-failed-jobs',
  method: 'POST',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs',
  resources: [workflowRun],
  summary: 'Re-run failed jobs from a workflow run',
  access: writesActions,
  body: Rerun,
  example: { enable_debug_logging: false },
  replies: { 201: Type.Object({}) },
  async handle({ change, at, body, viewer }) {
    const options = { by: viewer, debugs: body.enable_debug_logging };
    await change((scope) => rerunFailedJobs(scope, at.workflowRun.id, options));
    return {};
  },
});

export const getWorkflowRunUsage = endpoint({
  id: 'actions/get-workflow-run-usage',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}/timing',
  resources: [workflowRun],
  summary: 'Get workflow run usage',
  access: readsActions,
  replies: { 200: WorkflowRunUsage },
  async handle({ db, at: { workflowRun: run } }) {
    return presentRunUsage(run, await listJobsOfAttempt(db, run.id, run.attempt));
  },
});
