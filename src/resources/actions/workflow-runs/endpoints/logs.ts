// Logs: of a job as text, of a run as an archive. The reply redirects readers to an address that is valid for a minute.

import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { writesActions } from '#access/policies.ts';
import { raw, redirect } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { orNotFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { keyOfLog, keyOfLogArchive } from '../logs/address.ts';
import { openLogArchive } from '../logs/archive.ts';
import { readLog } from '../logs/logs.ts';
import { handedOutLog, handedOutLogArchive, runAttempt, workflowJob, workflowRun } from '../path-resources.ts';
import { readsLogs } from '../policies.ts';
import { deleteLogs } from '../runs/delete.ts';
import { noLogs } from '../runs/retention.ts';
import { hasLogs, loadRuns } from '../store.ts';

export const getJobLog = endpoint({
  id: 'actions/download-job-logs-for-workflow-run',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/jobs/{job_id}/logs',
  resources: [workflowJob],
  summary: 'Download job logs for a workflow run',
  access: readsLogs,
  refuses: [410],
  replies: { 302: Nothing },
  async handle({ db, at: { job }, links, now, services: { secrets } }) {
    if (job.log_rows === 0) throw noLogs((await loadRuns(db, [job.run_id])).get(job.run_id));
    return redirect(`${links.api}/workflow-logs/${keyOfLog({ secrets, now }, job.id)}`);
  },
});

export const getRunLogs = endpoint({
  id: 'actions/download-workflow-run-logs',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}/logs',
  resources: [workflowRun],
  summary: 'Download workflow run logs',
  access: readsLogs,
  refuses: [410],
  replies: { 302: Nothing },
  async handle({ db, at: { workflowRun: run }, links, now, services: { secrets } }) {
    if (!(await hasLogs(db, run.id, run.attempt))) throw noLogs(run);
    return redirect(`${links.api}/workflow-log-archives/${keyOfLogArchive({ secrets, now }, run)}`);
  },
});

export const getAttemptLogs = endpoint({
  id: 'actions/download-workflow-run-attempt-logs',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/logs',
  resources: [runAttempt],
  summary: 'Download workflow run attempt logs',
  access: readsLogs,
  refuses: [410],
  replies: { 302: Nothing },
  async handle({ db, at: { attempt: run }, links, now, services: { secrets } }) {
    if (!(await hasLogs(db, run.id, run.attempt))) throw noLogs(run);
    return redirect(`${links.api}/workflow-log-archives/${keyOfLogArchive({ secrets, now }, run)}`);
  },
});

const handedOut = { 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' } as const;

export const downloadLog = endpoint({
  id: 'actions/download-job-log',
  method: 'GET',
  path: '/workflow-logs/{log_key}',
  resources: [handedOutLog],
  summary: 'Download the log of a job from the address that was handed out for it',
  access: { permission: { none: 'token_exchange' } },
  replies: { 200: Type.String({ contentMediaType: 'text/plain' }) },
  async handle({ scope, at }) {
    return raw('text/plain; charset=utf-8', Readable.from(readLog(scope, at.log), { objectMode: false }), handedOut);
  },
});

export const downloadLogArchive = endpoint({
  id: 'actions/download-log-archive',
  method: 'GET',
  path: '/workflow-log-archives/{log_archive_key}',
  resources: [handedOutLogArchive],
  summary: 'Download the logs of a run from the address that was handed out for them',
  access: { permission: { none: 'token_exchange' } },
  replies: { 200: Type.String({ contentMediaType: 'application/zip' }) },
  async handle({ scope, at: { logs } }) {
    const archive = orNotFound(await openLogArchive(scope, logs.run, logs.attempt));
    const disposition = `attachment; filename=logs_${logs.run.id}_${logs.attempt}.zip`;
    return raw('application/zip', archive, { ...handedOut, 'content-disposition': disposition });
  },
});

export const deleteRunLogs = endpoint({
  id: 'actions/delete-workflow-run-logs',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}/logs',
  resources: [workflowRun],
  summary: 'Delete workflow run logs',
  access: writesActions,
  replies: { 204: Nothing },
  async handle({ change, at }) {
    await change((scope) => deleteLogs(scope.tx, at.workflowRun.id));
  },
});
