// The runners of a group, and the repositories that may use it.
import type { Org } from '#access/viewer.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { HostedRunner, listHostedRunners, presentHostedRunners } from '#resources/actions/hosted-runners/index.ts';
import { selectableRepository, selectedRepositoryEndpoints } from '#resources/repositories/repository-selections/index.ts';
import { addToGroup, setGroupRunners, takeFromGroup } from '../group-rules.ts';
import type { GroupRow } from '../group-store.ts';
import { groupRunner, orgRunner, runnerGroup } from '../path-resources.ts';
import { presentRunners } from '../present.ts';
import { GroupRunners, Runner } from '../schemas.ts';
import { listRunners, notifyQueued } from '../store.ts';
import { readsOrgRunners, writesOrgRunners } from './access.ts';

const selected = selectedRepositoryEndpoints<{ org: Org; runnerGroup: GroupRow }>({
  selectionOf: async (_db, { runnerGroup }) => runnerGroup.selection_id ?? undefined,
  changed: async (scope) => notifyQueued(scope.tx),
  unset: 'all',
});

export const listGroupRepositories = endpoint({
  ...selected.list,
  id: 'actions/list-repo-access-to-self-hosted-runner-group-in-org',
  path: '/orgs/{org}/actions/runner-groups/{runner_group_id}/repositories',
  resources: [runnerGroup],
  summary: 'List repository access to a self-hosted runner group in an organization',
  access: readsOrgRunners,
});

export const setGroupRepositories = endpoint({
  ...selected.set,
  id: 'actions/set-repo-access-to-self-hosted-runner-group-in-org',
  path: '/orgs/{org}/actions/runner-groups/{runner_group_id}/repositories',
  resources: [runnerGroup],
  summary: 'Set repository access for a self-hosted runner group in an organization',
  access: writesOrgRunners,
});

export const addGroupRepository = endpoint({
  ...selected.add,
  id: 'actions/add-repo-access-to-self-hosted-runner-group-in-org',
  path: '/orgs/{org}/actions/runner-groups/{runner_group_id}/repositories/{repository_id}',
  resources: [runnerGroup, selectableRepository],
  summary: 'Add repository access to a self-hosted runner group in an organization',
  access: writesOrgRunners,
});

export const removeGroupRepository = endpoint({
  ...selected.remove,
  id: 'actions/remove-repo-access-to-self-hosted-runner-group-in-org',
  path: '/orgs/{org}/actions/runner-groups/{runner_group_id}/repositories/{repository_id}',
  resources: [runnerGroup, selectableRepository],
  summary: 'Remove repository access to a self-hosted runner group in an organization',
  access: writesOrgRunners,
});

export const listGroupRunners = endpoint({
  id: 'actions/list-self-hosted-runners-in-group-for-org',
  method: 'GET',
  path: '/orgs/{org}/actions/runner-groups/{runner_group_id}/runners',
  resources: [runnerGroup],
  summary: 'List self-hosted runners in a group for an organization',
  access: readsOrgRunners,
  paging: pages(),
  replies: { 200: enveloped('runners', Runner) },
  async handle({ scope, db, at, page }) {
    const found = await listRunners(db, { organization: at.org.id }, { group: at.runnerGroup.id, page });
    return mapRows(found, (rows) => presentRunners(scope, rows));
  },
});

export const setGroupRunnersOfOrg = endpoint({
  id: 'actions/set-self-hosted-runners-in-group-for-org',
  method: 'PUT',
  path: '/orgs/{org}/actions/runner-groups/{runner_group_id}/runners',
  resources: [runnerGroup],
  summary: 'Set self-hosted runners in a group for an organization',
  access: writesOrgRunners,
  body: GroupRunners,
  example: { runners: [9, 2] },
  replies: { 204: Nothing },
  async handle({ change, body, action }) {
    await change((scope, { runnerGroup }) => setGroupRunners(scope, action, runnerGroup, body.runners));
  },
});

export const addRunnerToGroup = endpoint({
  id: 'actions/add-self-hosted-runner-to-group-for-org',
  method: 'PUT',
  path: '/orgs/{org}/actions/runner-groups/{runner_group_id}/runners/{runner_id}',
  resources: [runnerGroup, orgRunner],
  summary: 'Add a self-hosted runner to a group for an organization',
  access: writesOrgRunners,
  replies: { 204: Nothing },
  async handle({ change }) {
    await change((scope, { runnerGroup, selfHostedRunner }) => addToGroup(scope, runnerGroup, selfHostedRunner));
  },
});

export const removeRunnerFromGroup = endpoint({
  id: 'actions/remove-self-hosted-runner-from-group-for-org',
  method: 'DELETE',
  path: '/orgs/{org}/actions/runner-groups/{runner_group_id}/runners/{runner_id}',
  resources: [runnerGroup, groupRunner],
  summary: 'Remove a self-hosted runner from a group for an organization',
  access: writesOrgRunners,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { selfHostedRunner }) => takeFromGroup(scope, action, selfHostedRunner));
  },
});

export const listGroupHostedRunners = endpoint({
  id: 'actions/list-github-hosted-runners-in-group-for-org',
  method: 'GET',
  path: '/orgs/{org}/actions/runner-groups/{runner_group_id}/hosted-runners',
  resources: [runnerGroup],
  summary: 'List hosted runners in a group for an organization',
  access: readsOrgRunners,
  paging: pages(),
  replies: { 200: enveloped('runners', HostedRunner) },
  async handle({ scope, db, at, page }) {
    const found = await listHostedRunners(db, at.org.id, { group: at.runnerGroup.id, page });
    return mapRows(found, (rows) => presentHostedRunners(scope, rows));
  },
});
