// Secrets of the dependency bot (the public API's).

import type { Policy } from '#access/policy.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped } from '#endpoint/paging.ts';
import { endpointVariants } from '#endpoint/variants.ts';
import { secretEndpoints } from '#resources/actions/actions-secrets/index.ts';
import { selectableRepository } from '#resources/repositories/repository-selections/index.ts';
import { orgBotSecret, repoBotSecret } from './path-resources.ts';
import {
  DependencyBotSecret,
  DependencyBotSecretValue,
  OrganizationDependencyBotSecret,
  OrganizationDependencyBotSecretValue,
} from './schemas.ts';
import { botStore } from './secret-store.ts';

const shared = secretEndpoints(botStore);

const ofOrg = { scopes: ['admin:org'], role: 'owner' } as const;
const readsOrg = { ...ofOrg, permission: 'organization_dependency_bot_secrets:read' } as const satisfies Policy;
const writesOrg = { ...ofOrg, permission: 'organization_dependency_bot_secrets:write' } as const satisfies Policy;
const ofRepo = { scopes: ['repo'], role: 'write' } as const;
const readsRepo = { ...ofRepo, permission: 'dependency_bot_secrets:read' } as const satisfies Policy;
const writesRepo = { ...ofRepo, permission: 'dependency_bot_secrets:write' } as const satisfies Policy;

const orgSecrets = '/orgs/{org}/dependency-bot/secrets';
const repoSecrets = '/repos/{owner}/{repo}/dependency-bot/secrets';
const oneOrgSecret = { path: `${orgSecrets}/{secret_name}`, resources: [orgBotSecret] } as const;
const oneRepoSecret = { path: `${repoSecrets}/{secret_name}`, resources: [repoBotSecret] } as const;

export const { org: listOrgBotSecrets, repo: listRepoBotSecrets } = endpointVariants(
  {
    org: {
      id: 'dependabot/list-org-secrets',
      path: orgSecrets,
      summary: 'List secrets of the dependency bot for an organization',
      access: readsOrg,
      replies: { 200: enveloped('secrets', OrganizationDependencyBotSecret) },
    },
    repo: {
      id: 'dependabot/list-repo-secrets',
      path: repoSecrets,
      summary: 'List secrets of the dependency bot for a repository',
      access: readsRepo,
      replies: { 200: enveloped('secrets', DependencyBotSecret) },
    },
  },
  shared.list,
);

export const { org: getOrgBotSecretsKey, repo: getRepoBotSecretsKey } = endpointVariants(
  {
    org: {
      id: 'dependabot/get-org-public-key',
      path: `${orgSecrets}/public-key`,
      summary: 'Get the public key for secrets of the dependency bot of an organization',
      access: readsOrg,
    },
    repo: {
      id: 'dependabot/get-repo-public-key',
      path: `${repoSecrets}/public-key`,
      summary: 'Get the public key for secrets of the dependency bot of a repository',
      access: readsRepo,
    },
  },
  shared.getKey,
);

export const { org: getOrgBotSecret, repo: getRepoBotSecret } = endpointVariants(
  {
    org: {
      ...oneOrgSecret,
      id: 'dependabot/get-org-secret',
      summary: 'Get a secret of the dependency bot of an organization',
      access: readsOrg,
      replies: { 200: OrganizationDependencyBotSecret },
    },
    repo: {
      ...oneRepoSecret,
      id: 'dependabot/get-repo-secret',
      summary: 'Get a secret of the dependency bot of a repository',
      access: readsRepo,
      replies: { 200: DependencyBotSecret },
    },
  },
  shared.get,
);

const example = { encrypted_value: 'c2VjcmV0', key_id: '1' };

export const { org: setOrgBotSecret, repo: setRepoBotSecret } = endpointVariants(
  {
    org: {
      id: 'dependabot/create-or-update-org-secret',
      path: `${orgSecrets}/{secret_name}`,
      summary: 'Create or update a secret of the dependency bot of an organization',
      access: writesOrg,
      body: OrganizationDependencyBotSecretValue,
      example: { ...example, visibility: 'all' },
    },
    repo: {
      id: 'dependabot/create-or-update-repo-secret',
      path: `${repoSecrets}/{secret_name}`,
      summary: 'Create or update a secret of the dependency bot of a repository',
      access: writesRepo,
      body: DependencyBotSecretValue,
      example,
    },
  },
  shared.set,
);

export const { org: deleteOrgBotSecret, repo: deleteRepoBotSecret } = endpointVariants(
  {
    org: {
      ...oneOrgSecret,
      id: 'dependabot/delete-org-secret',
      summary: 'Delete a secret of the dependency bot of an organization',
      access: writesOrg,
    },
    repo: {
      ...oneRepoSecret,
      id: 'dependabot/delete-repo-secret',
      summary: 'Delete a secret of the dependency bot of a repository',
      access: writesRepo,
    },
  },
  shared.delete,
);

export const listOrgBotSecretRepositories = endpoint({
  ...shared.selected.list,
  id: 'dependabot/list-selected-repos-for-org-secret',
  path: '/orgs/{org}/dependency-bot/secrets/{secret_name}/repositories',
  resources: [orgBotSecret],
  summary: 'List selected repositories for a secret of the dependency bot',
  access: readsOrg,
});

export const setOrgBotSecretRepositories = endpoint({
  ...shared.selected.set,
  id: 'dependabot/set-selected-repos-for-org-secret',
  path: '/orgs/{org}/dependency-bot/secrets/{secret_name}/repositories',
  resources: [orgBotSecret],
  summary: 'Set selected repositories for a secret of the dependency bot',
  access: writesOrg,
});

export const addOrgBotSecretRepository = endpoint({
  ...shared.selected.add,
  id: 'dependabot/add-selected-repo-to-org-secret',
  path: '/orgs/{org}/dependency-bot/secrets/{secret_name}/repositories/{repository_id}',
  resources: [orgBotSecret, selectableRepository],
  summary: 'Add a selected repository to a secret of the dependency bot',
  access: writesOrg,
});

export const removeOrgBotSecretRepository = endpoint({
  ...shared.selected.remove,
  id: 'dependabot/remove-selected-repo-from-org-secret',
  path: '/orgs/{org}/dependency-bot/secrets/{secret_name}/repositories/{repository_id}',
  resources: [orgBotSecret, selectableRepository],
  summary: 'Remove a selected repository from a secret of the dependency bot',
  access: writesOrg,
});
