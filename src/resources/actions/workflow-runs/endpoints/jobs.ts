// Jobs of runs.
import { Type } from 'typebox';
import { readsActions, writesActions } from '#access/policies.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import { repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { runAttempt, workflowJob, workflowRun } from '../path-resources.ts';
import { presentJob, presentJobs } from '../present.ts';
import { rerunJob } from '../runs/rerun.ts';
import { JobFilter, JobRerun, WorkflowJob } from '../schemas.ts';
import { listJobs } from '../store.ts';

export const getWorkflowJob = endpoint({
  id: 'actions/get-job-for-workflow-run',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/jobs/{job_id}',
  resources: [workflowJob],
  summary: 'Get a job for a workflow run',
  access: readsActions,
  replies: { 200: WorkflowJob },
  async handle({ scope, at, links }) {
    return presentJob(scope, repositoryUrlsOf(links, at.repo), at.job);
  },
});

export const listJobsOfRun = endpoint({
  id: 'actions/list-jobs-for-workflow-run',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}/jobs',
  resources: [workflowRun],
  summary: 'List jobs for a workflow run',
  access: readsActions,
  query: JobFilter,
  paging: pages(),
  replies: { 200: enveloped('jobs', WorkflowJob) },
  async handle({ scope, db, at: { repo, workflowRun: run }, query, page, links }) {
    const found = await listJobs(db, run.id, query.filter === 'latest' ? run.attempt : undefined, page);
    return mapRows(found, (rows) => presentJobs(scope, repositoryUrlsOf(links, repo), rows));
  },
});

export const listJobsOfRunAttempt = endpoint({
  id: 'actions/list-jobs-for-workflow-run-attempt',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/jobs',
  resources: [runAttempt],
  summary: 'List jobs for a workflow run attempt',
  access: readsActions,
  paging: pages(),
  replies: { 200: enveloped('jobs', WorkflowJob) },
  async handle({ scope, db, at: { repo, attempt }, page, links }) {
    const found = await listJobs(db, attempt.id, attempt.attempt, page);
    return mapRows(found, (rows) => presentJobs(scope, repositoryUrlsOf(links, repo), rows));
  },
});

export const rerunWorkflowJob = endpoint({
  id: 'actions/re-run-job-for-workflow-run',
  method: 'POST',
  path: '/repos/{owner}/{repo}/actions/jobs/{job_id}/rerun',
  resources: [workflowJob],
  summary: 'Re-run a job from a workflow run',
  access: writesActions,
  body: JobRerun,
  example: { enable_debug_logging: false },
  replies: { 201: Type.Object({}) },
  async handle({ change, at, body, viewer }) {
    const options = { by: viewer, debugs: body.enable_debug_logging };
    await change((scope) => rerunJob(scope, at.job, options));
    return {};
  },
});
