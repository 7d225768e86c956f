// Groups of runners of an organization.
import { Type } from 'typebox';
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { changeGroup, createGroup, deleteGroup } from '../group-rules.ts';
import { listGroups } from '../group-store.ts';
import { runnerGroup } from '../path-resources.ts';
import { presentGroup } from '../present.ts';
import { NewRunnerGroup, RunnerGroup, RunnerGroupChange } from '../schemas.ts';
import { readsOrgRunners, writesOrgRunners } from './access.ts';

export const listRunnerGroups = endpoint({
  id: 'actions/list-self-hosted-runner-groups-for-org',
  method: 'GET',
  path: '/orgs/{org}/actions/runner-groups',
  summary: 'List self-hosted runner groups for an organization',
  access: readsOrgRunners,
  query: Type.Object({
    visible_to_repository: Type.Optional(
      Type.String({ maxLength: 100, description: 'The name of a repository of the organization: only groups that are for it' }),
    ),
  }),
  paging: pages(),
  replies: { 200: enveloped('runner_groups', RunnerGroup) },
  async handle({ db, at, query, page, links }) {
    const found = await listGroups(db, at.org.id, { repository: query.visible_to_repository, page });
    return mapEach(found, (row) => presentGroup(links, at.org, row));
  },
});

export const createRunnerGroup = endpoint({
  id: 'actions/create-self-hosted-runner-group-for-org',
  method: 'POST',
  path: '/orgs/{org}/actions/runner-groups',
  summary: 'Create a self-hosted runner group for an organization',
  access: writesOrgRunners,
  body: NewRunnerGroup,
  example: { name: 'Deployment', visibility: 'selected', selected_repository_ids: [32, 91], runners: [9, 2] },
  replies: { 201: RunnerGroup },
  async handle({ change, at, body, action, links }) {
    return presentGroup(links, at.org, await change((scope) => createGroup(scope, action, body)));
  },
});

export const getRunnerGroup = endpoint({
  id: 'actions/get-self-hosted-runner-group-for-org',
  method: 'GET',
  path: '/orgs/{org}/actions/runner-groups/{runner_group_id}',
  resources: [runnerGroup],
  summary: 'Get a self-hosted runner group for an organization',
  access: readsOrgRunners,
  replies: { 200: RunnerGroup },
  handle: async ({ at, links }) => presentGroup(links, at.org, at.runnerGroup),
});

export const updateRunnerGroup = endpoint({
  id: 'actions/update-self-hosted-runner-group-for-org',
  method: 'PATCH',
  path: '/orgs/{org}/actions/runner-groups/{runner_group_id}',
  resources: [runnerGroup],
  summary: 'Update a self-hosted runner group for an organization',
  access: writesOrgRunners,
  body: RunnerGroupChange,
  example: { name: 'Deployment', visibility: 'selected' },
  replies: { 200: RunnerGroup },
  async handle({ change, at, body, action, links }) {
    return presentGroup(links, at.org, await change((scope, { runnerGroup }) => changeGroup(scope, action, runnerGroup, body)));
  },
});

export const deleteRunnerGroup = endpoint({
  id: 'actions/delete-self-hosted-runner-group-from-org',
  method: 'DELETE',
  path: '/orgs/{org}/actions/runner-groups/{runner_group_id}',
  resources: [runnerGroup],
  summary: 'Delete a self-hosted runner group from an organization',
  access: writesOrgRunners,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { runnerGroup }) => deleteGroup(scope, action, runnerGroup));
  },
});
