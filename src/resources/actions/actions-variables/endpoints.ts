// Variables of workflows (the public API's).

import { Type } from 'typebox';
import type { Policy } from '#access/policy.ts';
import type { Org } from '#access/viewer.ts';
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import { endpointVariants } from '#endpoint/variants.ts';
import { Nothing } from '#lib/shape.ts';
import { holderOf } from '#resources/actions/actions-configuration/index.ts';
import { environment } from '#resources/actions/environments/index.ts';
import { selectableRepository, selectedRepositoryEndpoints } from '#resources/repositories/repository-selections/index.ts';
import { environmentVariable, orgVariable, repoVariable } from './path-resources.ts';
import { presentPlainVariable, presentVariable } from './present.ts';
import { changeVariable, createVariable, deleteVariable, recordChange } from './rules.ts';
import {
  ActionsVariable,
  ActionsVariableChange,
  NewActionsVariable,
  NewOrganizationActionsVariable,
  OrganizationActionsVariable,
  OrganizationActionsVariableChange,
} from './schemas.ts';
import { listOrganizationVariables, listVariables, type VariableRow } from './store.ts';

const ofOrg = { scopes: ['admin:org'], role: 'owner' } as const;
const readsOrg = { ...ofOrg, permission: 'organization_actions_variables:read' } as const satisfies Policy;
const writesOrg = { ...ofOrg, permission: 'organization_actions_variables:write' } as const satisfies Policy;
const ofRepo = { scopes: ['repo'], role: 'write' } as const;
const readsRepo = { ...ofRepo, permission: 'actions_variables:read' } as const satisfies Policy;
const writesRepo = { ...ofRepo, permission: 'actions_variables:write' } as const satisfies Policy;
const readsEnvironment = { ...ofRepo, permission: 'environments:read' } as const satisfies Policy;
const writesEnvironment = { ...ofRepo, permission: 'environments:write' } as const satisfies Policy;

const orgVariables = '/orgs/{org}/actions/variables';
const repoVariables = '/repos/{owner}/{repo}/actions/variables';
const environmentVariables = '/repos/{owner}/{repo}/environments/{environment_name}/variables';
const oneOrgVariable = { path: `${orgVariables}/{name}`, resources: [orgVariable] } as const;
const oneRepoVariable = { path: `${repoVariables}/{name}`, resources: [repoVariable] } as const;
const oneEnvironmentVariable = { path: `${environmentVariables}/{name}`, resources: [environmentVariable] } as const;

export const {
  org: listOrgVariables,
  repo: listRepoVariables,
  environment: listEnvironmentVariables,
} = endpointVariants(
  {
    org: {
      id: 'actions/list-org-variables',
      path: orgVariables,
      summary: 'List organization variables',
      access: readsOrg,
      replies: { 200: enveloped('variables', OrganizationActionsVariable) },
    },
    repo: {
      id: 'actions/list-repo-variables',
      path: repoVariables,
      summary: 'List repository variables',
      access: readsRepo,
      replies: { 200: enveloped('variables', ActionsVariable) },
    },
    environment: {
      id: 'actions/list-environment-variables',
      path: environmentVariables,
      resources: [environment],
      summary: 'List environment variables',
      access: readsEnvironment,
      replies: { 200: enveloped('variables', ActionsVariable) },
    },
  },
  {
    method: 'GET',
    paging: pages({ defaultLimit: 10, maxLimit: 30 }),
    async handle({ db, at, page, links }) {
      return mapEach(await listVariables(db, holderOf(at), page), (row) => presentVariable(links, at, row));
    },
  },
);

export const listRepoOrganizationVariables = endpoint({
  id: 'actions/list-repo-organization-variables',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/organization-variables',
  summary: 'List repository organization variables',
  access: readsRepo,
  paging: pages({ defaultLimit: 10, maxLimit: 30 }),
  replies: { 200: enveloped('variables', ActionsVariable) },
  async handle({ db, at, page }) {
    return mapEach(await listOrganizationVariables(db, at.repo, page), presentPlainVariable);
  },
});

export const {
  org: getOrgVariable,
  repo: getRepoVariable,
  environment: getEnvironmentVariable,
} = endpointVariants(
  {
    org: {
      ...oneOrgVariable,
      id: 'actions/get-org-variable',
      summary: 'Get an organization variable',
      access: readsOrg,
      replies: { 200: OrganizationActionsVariable },
    },
    repo: {
      ...oneRepoVariable,
      id: 'actions/get-repo-variable',
      summary: 'Get a repository variable',
      access: readsRepo,
      replies: { 200: ActionsVariable },
    },
    environment: {
      ...oneEnvironmentVariable,
      id: 'actions/get-environment-variable',
      summary: 'Get an environment variable',
      access: readsEnvironment,
      replies: { 200: ActionsVariable },
    },
  },
  {
    method: 'GET',
    async handle({ at, links }) {
      return presentVariable(links, at, at.variable);
    },
  },
);

const example = { name: 'REGION', value: 'north' };

export const {
  org: createOrgVariable,
  repo: createRepoVariable,
  environment: createEnvironmentVariable,
} = endpointVariants(
  {
    org: {
      id: 'actions/create-org-variable',
      path: orgVariables,
      summary: 'Create an organization variable',
      access: writesOrg,
      body: NewOrganizationActionsVariable,
      example: { ...example, visibility: 'all' },
      refuses: [409],
    },
    repo: {
      id: 'actions/create-repo-variable',
      path: repoVariables,
      summary: 'Create a repository variable',
      access: writesRepo,
      body: NewActionsVariable,
      example,
      refuses: [409],
    },
    environment: {
      id: 'actions/create-environment-variable',
      path: environmentVariables,
      resources: [environment],
      summary: 'Create an environment variable',
      access: writesEnvironment,
      body: NewActionsVariable,
      example,
      refuses: [409],
    },
  },
  {
    method: 'POST',
    replies: { 201: Type.Object({}) },
    async handle({ change, at, body, viewer, now }) {
      await change((scope) => createVariable(scope, { owner: at, by: viewer, now }, body));
      return {};
    },
  },
);

export const {
  org: updateOrgVariable,
  repo: updateRepoVariable,
  environment: updateEnvironmentVariable,
} = endpointVariants(
  {
    org: {
      ...oneOrgVariable,
      id: 'actions/update-org-variable',
      summary: 'Update an organization variable',
      access: writesOrg,
      body: OrganizationActionsVariableChange,
      refuses: [409],
    },
    repo: {
      ...oneRepoVariable,
      id: 'actions/update-repo-variable',
      summary: 'Update a repository variable',
      access: writesRepo,
      body: ActionsVariableChange,
      refuses: [409],
    },
    environment: {
      ...oneEnvironmentVariable,
      id: 'actions/update-environment-variable',
      summary: 'Update an environment variable',
      access: writesEnvironment,
      body: ActionsVariableChange,
      refuses: [409],
    },
  },
  {
    method: 'PATCH',
    example: { value: 'south' },
    replies: { 204: Nothing },
    async handle({ change, body, viewer, now }) {
      await change((scope, at) => changeVariable(scope, { owner: at, by: viewer, now }, at.variable, body));
    },
  },
);

export const {
  org: deleteOrgVariable,
  repo: deleteRepoVariable,
  environment: deleteEnvironmentVariable,
} = endpointVariants(
  {
    org: {
      ...oneOrgVariable,
      id: 'actions/delete-org-variable',
      summary: 'Delete an organization variable',
      access: writesOrg,
    },
    repo: {
      ...oneRepoVariable,
      id: 'actions/delete-repo-variable',
      summary: 'Delete a repository variable',
      access: writesRepo,
    },
    environment: {
      ...oneEnvironmentVariable,
      id: 'actions/delete-environment-variable',
      summary: 'Delete an environment variable',
      access: writesEnvironment,
    },
  },
  {
    method: 'DELETE',
    replies: { 204: Nothing },
    async handle({ change, viewer, now }) {
      await change((scope, at) => deleteVariable(scope, { owner: at, by: viewer, now }, at.variable));
    },
  },
);

const selected = selectedRepositoryEndpoints<{ org: Org; variable: VariableRow }>({
  selectionOf: async (_db, { variable }) => variable.selection_id ?? undefined,
  changed: (scope, { org, by, now }, { variable }) => recordChange(scope, { owner: { org }, by, now }, variable),
});

export const listOrgVariableRepositories = endpoint({
  ...selected.list,
  id: 'actions/list-selected-repos-for-org-variable',
  path: '/orgs/{org}/actions/variables/{name}/repositories',
  resources: [orgVariable],
  summary: 'List selected repositories for an organization variable',
  access: readsOrg,
});

export const setOrgVariableRepositories = endpoint({
  ...selected.set,
  id: 'actions/set-selected-repos-for-org-variable',
  path: '/orgs/{org}/actions/variables/{name}/repositories',
  resources: [orgVariable],
  summary: 'Set selected repositories for an organization variable',
  access: writesOrg,
});

export const addOrgVariableRepository = endpoint({
  ...selected.add,
  id: 'actions/add-selected-repo-to-org-variable',
  path: '/orgs/{org}/actions/variables/{name}/repositories/{repository_id}',
  resources: [orgVariable, selectableRepository],
  summary: 'Add a selected repository to an organization variable',
  access: writesOrg,
});

export const removeOrgVariableRepository = endpoint({
  ...selected.remove,
  id: 'actions/remove-selected-repo-from-org-variable',
  path: '/orgs/{org}/actions/variables/{name}/repositories/{repository_id}',
  resources: [orgVariable, selectableRepository],
  summary: 'Remove a selected repository from an organization variable',
  access: writesOrg,
});
