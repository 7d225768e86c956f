// Starting the runs of a workflow, and listing them.
import { readsActions, writesActions } from '#access/policies.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { workflow } from '#resources/actions/workflows/index.ts';
import { repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { presentRuns, runPage, runUrl } from '../present.ts';
import { dispatchRun, readDispatch } from '../runs/dispatch.ts';
import { readRunFilter } from '../runs/filter.ts';
import { beginningOfMonth, presentUsage } from '../runs/usage.ts';
import { DispatchedRun, NewDispatch, WorkflowRun, WorkflowRunFilter, WorkflowUsage } from '../schemas.ts';
import { listRuns, sumTimes } from '../store.ts';

export const dispatchWorkflow = endpoint({
  id: 'actions/create-workflow-dispatch',
  method: 'POST',
  path: '/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches',
  resources: [workflow],
  summary: 'Create a workflow dispatch event',
  access: writesActions,
  body: NewDispatch,
  example: { ref: 'main', inputs: {}, return_run_details: false },
  refuses: [409, 422],
  replies: { 200: DispatchedRun, 204: Nothing },
  async handle({ scope, change, at, body, action, links, reply }) {
    const dispatch = await readDispatch(scope, action, at.workflow, body);
    const { id } = await change((scope) => dispatchRun(scope, action, dispatch));
    if (!body.return_run_details) return reply(204);
    const urls = repositoryUrlsOf(links, at.repo);
    return reply(200, { workflow_run_id: id, run_url: runUrl(urls, id), html_url: runPage(urls, id) });
  },
});

export const listWorkflowRuns = endpoint({
  id: 'actions/list-workflow-runs',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs',
  resources: [workflow],
  summary: 'List workflow runs for a workflow',
  access: readsActions,
  query: WorkflowRunFilter,
  paging: pages(),
  refuses: [422],
  replies: { 200: enveloped('workflow_runs', WorkflowRun) },
  async handle({ scope, db, at, query, page }) {
    const filter = await readRunFilter(db, query, { repository: at.repo.id, workflow: at.workflow.id });
    const found = filter ? await listRuns(db, filter, page) : { rows: [], total: 0 };
    const withPulls = !query.exclude_pull_requests;
    return mapRows(found, (rows) => presentRuns(scope, at.repo, rows, { withPulls }));
  },
});

export const getWorkflowUsage = endpoint({
  id: 'actions/get-workflow-usage',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/workflows/{workflow_id}/timing',
  resources: [workflow],
  summary: 'Get workflow usage',
  access: readsActions,
  replies: { 200: WorkflowUsage },
  async handle({ db, at, now }) {
    return presentUsage(await sumTimes(db, at.workflow.id, beginningOfMonth(now)));
  },
});
