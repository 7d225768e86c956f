// Secrets of workflows (the public API's).

import type { Policy } from '#access/policy.ts';
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import { endpointVariants } from '#endpoint/variants.ts';
import { environment } from '#resources/actions/environments/index.ts';
import { selectableRepository } from '#resources/repositories/repository-selections/index.ts';
import { environmentSecret, orgSecret, repoSecret } from './path-resources.ts';
import { presentPlainSecret } from './present.ts';
import { ActionsSecret, ActionsSecretValue, OrganizationActionsSecret, OrganizationActionsSecretValue } from './schemas.ts';
import { secretEndpoints } from './secret-endpoints.ts';
import { actionsStore } from './secret-store.ts';
import { secretReads } from './store.ts';

const shared = secretEndpoints(actionsStore);

const ofOrg = { scopes: ['admin:org'], role: 'owner' } as const;
const readsOrg = { ...ofOrg, permission: 'organization_secrets:read' } as const satisfies Policy;
const writesOrg = { ...ofOrg, permission: 'organization_secrets:write' } as const satisfies Policy;
const ofRepo = { scopes: ['repo'], role: 'write' } as const;
const readsRepo = { ...ofRepo, permission: 'secrets:read' } as const satisfies Policy;
const writesRepo = { ...ofRepo, permission: 'secrets:write' } as const satisfies Policy;
const readsEnvironment = { ...ofRepo, permission: 'environments:read' } as const satisfies Policy;
const writesEnvironment = { ...ofRepo, permission: 'environments:write' } as const satisfies Policy;

const orgSecrets = '/orgs/{org}/actions/secrets';
const repoSecrets = '/repos/{owner}/{repo}/actions/secrets';
const environmentSecrets = '/repos/{owner}/{repo}/environments/{environment_name}/secrets';
const oneOrgSecret = { path: `${orgSecrets}/{secret_name}`, resources: [orgSecret] } as const;
const oneRepoSecret = { path: `${repoSecrets}/{secret_name}`, resources: [repoSecret] } as const;
const oneEnvironmentSecret = { path: `${environmentSecrets}/{secret_name}`, resources: [environmentSecret] } as const;

export const {
  org: listOrgSecrets,
  repo: listRepoSecrets,
  environment: listEnvironmentSecrets,
} = endpointVariants(
  {
    org: {
      id: 'actions/list-org-secrets',
      path: orgSecrets,
      summary: 'List organization secrets',
      access: readsOrg,
      replies: { 200: enveloped('secrets', OrganizationActionsSecret) },
    },
    repo: {
      id: 'actions/list-repo-secrets',
      path: repoSecrets,
      summary: 'List repository secrets',
      access: readsRepo,
      replies: { 200: enveloped('secrets', ActionsSecret) },
    },
    environment: {
      id: 'actions/list-environment-secrets',
      path: environmentSecrets,
      resources: [environment],
      summary: 'List environment secrets',
      access: readsEnvironment,
      replies: { 200: enveloped('secrets', ActionsSecret) },
    },
  },
  shared.list,
);

export const listRepoOrganizationSecrets = endpoint({
  id: 'actions/list-repo-organization-secrets',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/organization-secrets',
  summary: 'List repository organization secrets',
  access: readsRepo,
  paging: pages(),
  replies: { 200: enveloped('secrets', ActionsSecret) },
  async handle({ db, at, page }) {
    return mapEach(await secretReads(actionsStore.name).listUsable(db, at.repo, page), presentPlainSecret);
  },
});

export const {
  org: getOrgSecretsKey,
  repo: getRepoSecretsKey,
  environment: getEnvironmentSecretsKey,
} = endpointVariants(
  {
    org: {
      id: 'actions/get-org-public-key',
      path: `${orgSecrets}/public-key`,
      summary: 'Get an organization public key',
      access: readsOrg,
    },
    repo: {
      id: 'actions/get-repo-public-key',
      path: `${repoSecrets}/public-key`,
      summary: 'Get a repository public key',
      access: readsRepo,
    },
    environment: {
      id: 'actions/get-environment-public-key',
      path: `${environmentSecrets}/public-key`,
      resources: [environment],
      summary: 'Get an environment public key',
      access: readsEnvironment,
    },
  },
  shared.getKey,
);

export const {
  org: getOrgSecret,
  repo: getRepoSecret,
  environment: getEnvironmentSecret,
} = endpointVariants(
  {
    org: {
      ...oneOrgSecret,
      id: 'actions/get-org-secret',
      summary: 'Get an organization secret',
      access: readsOrg,
      replies: { 200: OrganizationActionsSecret },
    },
    repo: {
      ...oneRepoSecret,
      id: 'actions/get-repo-secret',
      summary: 'Get a repository secret',
      access: readsRepo,
      replies: { 200: ActionsSecret },
    },
    environment: {
      ...oneEnvironmentSecret,
      id: 'actions/get-environment-secret',
      summary: 'Get an environment secret',
      access: readsEnvironment,
      replies: { 200: ActionsSecret },
    },
  },
  shared.get,
);

const example = { encrypted_value: 'c2VjcmV0', key_id: '1' };

export const {
  org: setOrgSecret,
  repo: setRepoSecret,
  environment: setEnvironmentSecret,
} = endpointVariants(
  {
    org: {
      id: 'actions/create-or-update-org-secret',
      path: `${orgSecrets}/{secret_name}`,
      summary: 'Create or update an organization secret',
      access: writesOrg,
      body: OrganizationActionsSecretValue,
      example: { ...example, visibility: 'all' },
    },
    repo: {
      id: 'actions/create-or-update-repo-secret',
      path: `${repoSecrets}/{secret_name}`,
      summary: 'Create or update a repository secret',
      access: writesRepo,
      body: ActionsSecretValue,
      example,
    },
    environment: {
      id: 'actions/create-or-update-environment-secret',
      path: `${environmentSecrets}/{secret_name}`,
      resources: [environment],
      summary: 'Create or update an environment secret',
      access: writesEnvironment,
      body: ActionsSecretValue,
      example,
    },
  },
  shared.set,
);

export const {
  org: deleteOrgSecret,
  repo: deleteRepoSecret,
  environment: deleteEnvironmentSecret,
} = endpointVariants(
  {
    org: {
      ...oneOrgSecret,
      id: 'actions/delete-org-secret',
      summary: 'Delete an organization secret',
      access: writesOrg,
    },
    repo: {
      ...oneRepoSecret,
      id: 'actions/delete-repo-secret',
      summary: 'Delete a repository secret',
      access: writesRepo,
    },
    environment: {
      ...oneEnvironmentSecret,
      id: 'actions/delete-environment-secret',
      summary: 'Delete an environment secret',
      access: writesEnvironment,
    },
  },
  shared.delete,
);

export const listOrgSecretRepositories = endpoint({
  ...shared.selected.list,
  id: 'actions/list-selected-repos-for-org-secret',
  path: '/orgs/{org}/actions/secrets/{secret_name}/repositories',
  resources: [orgSecret],
  summary: 'List selected repositories for an organization secret',
  access: readsOrg,
});

export const setOrgSecretRepositories = endpoint({
  ...shared.selected.set,
  id: 'actions/set-selected-repos-for-org-secret',
  path: '/orgs/{org}/actions/secrets/{secret_name}/repositories',
  resources: [orgSecret],
  summary: 'Set selected repositories for an organization secret',
  access: writesOrg,
});

export const addOrgSecretRepository = endpoint({
  ...shared.selected.add,
  id: 'actions/add-selected-repo-to-org-secret',
  path: '/orgs/{org}/actions/secrets/{secret_name}/repositories/{repository_id}',
  resources: [orgSecret, selectableRepository],
  summary: 'Add a selected repository to an organization secret',
  access: writesOrg,
});

export const removeOrgSecretRepository = endpoint({
  ...shared.selected.remove,
  id: 'actions/remove-selected-repo-from-org-secret',
  path: '/orgs/{org}/actions/secrets/{secret_name}/repositories/{repository_id}',
  resources: [orgSecret, selectableRepository],
  summary: 'Remove a selected repository from an organization secret',
  access: writesOrg,
});
