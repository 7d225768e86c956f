// What pages show of runs and jobs, and REST doesn't: the order of jobs, annotations of all jobs, rows of logs, and why a job
// waits.
import { Type } from 'typebox';
import { readsActions, writesActions } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { orNotFound } from '#lib/refusal.ts';
import { withDefault } from '#lib/shape.ts';
import { repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { explainJob } from '../jobs/explain.ts';
import { findLogRows, mostRows, readLogRows } from '../logs/rows.ts';
import { runAttempt, workflowJob, workflowRun } from '../path-resources.ts';
import { readsLogs } from '../policies.ts';
import { presentJobDetails, presentRunDetails } from '../runs/details.ts';
import { JobDetails, JobExplanation, LogMatches, LogRows, RunDetails, RunExplanation } from '../schemas.ts';
import { listJobsOfAttempt } from '../store.ts';

export const getRunDetails = endpoint({
  id: 'actions/get-run-details',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/details',
  resources: [runAttempt],
  summary: 'Get the jobs of a run in their order, with their annotations',
  access: readsActions,
  replies: { 200: RunDetails },
  async handle({ scope, at }) {
    return presentRunDetails(scope, at.attempt);
  },
});

export const getJobDetails = endpoint({
  id: 'actions/get-job-details',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/jobs/{job_id}/details',
  resources: [workflowJob],
  summary: 'Get a job with the rows of its steps, and the other jobs of its run',
  access: readsActions,
  replies: { 200: JobDetails },
  async handle({ scope, at, links }) {
    return presentJobDetails(scope, repositoryUrlsOf(links, at.repo), at.job);
  },
});

const row = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const listLogRows = endpoint({
  id: 'actions/list-log-rows',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/jobs/{job_id}/log-rows',
  resources: [workflowJob],
  summary: 'List rows of the log of a job',
  access: readsLogs,
  query: Type.Object({
    from: withDefault(row, 0),
    count: withDefault(Type.Integer({ minimum: 1, maximum: mostRows }), mostRows),
  }),
  replies: { 200: LogRows },
  async handle({ scope, at, query }) {
    return { total: at.job.log_rows, rows: await readLogRows(scope, at.job, query) };
  },
});

export const searchLog = endpoint({
  id: 'actions/search-log',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/jobs/{job_id}/log-matches',
  resources: [workflowJob],
  summary: 'List rows of the log of a job that have a text',
  access: readsLogs,
  query: Type.Object({ text: Type.String({ minLength: 1, maxLength: 200 }), from: withDefault(row, 0) }),
  replies: { 200: LogMatches },
  async handle({ scope, at, query }) {
    const { rows, next = null } = await findLogRows(scope, at.job, query);
    return { rows, next };
  },
});

export const explainWaitingJob = endpoint({
  id: 'actions/explain-waiting-job',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/jobs/{job_id}/explanation',
  resources: [workflowJob],
  summary: 'Explain why a job waits',
  // It names the runners of the organization.
  access: writesActions,
  replies: { 200: JobExplanation },
  async handle({ db, at: { repo, job }, now, services: { secrets, runners } }) {
    const which = { owner: repo.owner.login, name: repo.name, job: job.id };
    const { name, steps, waits, message } = await explainJob(db, which, { now, runsHosted: runners.provider.runsJobs, secrets });
    orNotFound(name);
    return { steps: [...steps], waits, message };
  },
});

export const explainWaitingRun = endpoint({
  id: 'actions/explain-waiting-run',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}/explanation',
  resources: [workflowRun],
  summary: 'Explain why the first waiting job of a run waits',
  access: writesActions,
  replies: { 200: RunExplanation },
  async handle({ db, at: { repo, workflowRun: run }, now, services: { secrets, runners } }) {
    const jobs = run.status === 'completed' ? [] : await listJobsOfAttempt(db, run.id, run.attempt);
    const job = jobs.find(({ status }) => status !== 'completed' && status !== 'in_progress');
    if (!job) return { job: null };
    const which = { owner: repo.owner.login, name: repo.name, job: job.id };
    const { message } = await explainJob(db, which, { now, runsHosted: runners.provider.runsJobs, secrets });
    return { job: { id: job.id, name: job.name, message } };
  },
});
