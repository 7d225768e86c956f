// Workflows: files of a repository that define jobs and the events that start them.
import { readsActions, writesActions } from '#access/policies.ts';
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { followAtRequest } from './follow.ts';
import { workflow } from './path-resources.ts';
import { presentWorkflow } from './present.ts';
import { enableWorkflow } from './rules.ts';
import { Workflow } from './schemas.ts';
import { listWorkflows } from './store.ts';

export const listRepoWorkflows = endpoint({
  id: 'actions/list-repo-workflows',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/workflows',
  summary: 'List repository workflows',
  access: readsActions,
  paging: pages(),
  replies: { 200: enveloped('workflows', Workflow) },
  async handle({ scope, db, at, page, links }) {
    await followAtRequest(scope, at.repo);
    const urls = repositoryUrlsOf(links, at.repo);
    return mapEach(await listWorkflows(db, at.repo.id, page), (row) => presentWorkflow(urls, at.repo.default_branch, row));
  },
});

export const getWorkflow = endpoint({
  id: 'actions/get-workflow',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/workflows/{workflow_id}',
  resources: [workflow],
  summary: 'Get a workflow',
  access: readsActions,
  replies: { 200: Workflow },
  async handle({ at, links }) {
    return presentWorkflow(repositoryUrlsOf(links, at.repo), at.repo.default_branch, at.workflow);
  },
});

export const enableRepoWorkflow = endpoint({
  id: 'actions/enable-workflow',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/actions/workflows/{workflow_id}/enable',
  resources: [workflow],
  summary: 'Enable a workflow',
  access: writesActions,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, now }) {
    await change((scope, { workflow }) => enableWorkflow(scope, workflow, { isEnabled: true, now }));
  },
});

export const disableRepoWorkflow = endpoint({
  id: 'actions/disable-workflow',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/actions/workflows/{workflow_id}/disable',
  resources: [workflow],
  summary: 'Disable a workflow',
  access: writesActions,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, now }) {
    await change((scope, { workflow }) => enableWorkflow(scope, workflow, { isEnabled: false, now }));
  },
});
