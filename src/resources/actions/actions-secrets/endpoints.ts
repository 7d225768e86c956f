// Secrets of workflows (the public API's).

import { Type } from 'typebox';
import type { Policy } from '#access/policy.ts';
import type { Org } from '#access/viewer.ts';
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import { endpointVariants } from '#endpoint/variants.ts';
import { Nothing } from '#lib/shape.ts';
import { holderOf, lockHolder } from '#resources/actions/actions-configuration/index.ts';
import { EncryptionKey, ensureKey, findActiveKey, presentKey } from '#resources/actions/encryption-keys/index.ts';
import { environment } from '#resources/actions/environments/index.ts';
import { selectableRepository, selectedRepositoryEndpoints } from '#resources/repositories/repository-selections/index.ts';
import { environmentSecret, orgSecret, repoSecret } from './path-resources.ts';
import { presentPlainSecret, presentSecret } from './present.ts';
import { deleteSecret, recordChange, setSecret } from './rules.ts';
import { ActionsSecret, ActionsSecretValue, OrganizationActionsSecret, OrganizationActionsSecretValue } from './schemas.ts';
import { listOrganizationSecrets, listSecrets, type SecretRow } from './store.ts';
import { secretKey } from './values.ts';

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
  {
    method: 'GET',
    paging: pages(),
    async handle({ db, at, page, links }) {
      return mapEach(await listSecrets(db, holderOf(at), page), (row) => presentSecret(links, at, row));
    },
  },
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
    return mapEach(await listOrganizationSecrets(db, at.repo, page), presentPlainSecret);
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
  {
    method: 'GET',
    replies: { 200: EncryptionKey },
    async handle({ db, change, at }) {
      const holder = holderOf(at);
      const key = secretKey(holder);
      const make = () =>
        change(async (scope) => {
          await lockHolder(scope.tx, holder);
          return ensureKey(scope, key);
        });
      return presentKey((await findActiveKey(db, key)) ?? (await make()));
    },
  },
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
  {
    method: 'GET',
    async handle({ at, links }) {
      return presentSecret(links, at, at.secret);
    },
  },
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
  {
    method: 'PUT',
    replies: { 201: Type.Object({}), 204: Nothing },
    async handle({ change, at, body, viewer, now, reply, services: { secrets } }) {
      const action = { owner: at, by: viewer, now, secrets };
      const isNew = await change((scope) => setSecret(scope, action, at.secret_name, body));
      return isNew ? reply(201, {}) : reply(204);
    },
  },
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
  {
    method: 'DELETE',
    replies: { 204: Nothing },
    async handle({ change, viewer, now }) {
      await change((scope, at) => deleteSecret(scope, { owner: at, by: viewer, now }, at.secret));
    },
  },
);

const selected = selectedRepositoryEndpoints<{ org: Org; secret: SecretRow }>({
  selectionOf: async (_db, { secret }) => secret.selection_id ?? undefined,
  changed: (scope, { org, by, now }, { secret }) => recordChange(scope, { owner: { org }, by, now }, secret),
});

export const listOrgSecretRepositories = endpoint({
  ...selected.list,
  id: 'actions/list-selected-repos-for-org-secret',
  path: '/orgs/{org}/actions/secrets/{secret_name}/repositories',
  resources: [orgSecret],
  summary: 'List selected repositories for an organization secret',
  access: readsOrg,
});

export const setOrgSecretRepositories = endpoint({
  ...selected.set,
  id: 'actions/set-selected-repos-for-org-secret',
  path: '/orgs/{org}/actions/secrets/{secret_name}/repositories',
  resources: [orgSecret],
  summary: 'Set selected repositories for an organization secret',
  access: writesOrg,
});

export const addOrgSecretRepository = endpoint({
  ...selected.add,
  id: 'actions/add-selected-repo-to-org-secret',
  path: '/orgs/{org}/actions/secrets/{secret_name}/repositories/{repository_id}',
  resources: [orgSecret, selectableRepository],
  summary: 'Add a selected repository to an organization secret',
  access: writesOrg,
});

export const removeOrgSecretRepository = endpoint({
  ...selected.remove,
  id: 'actions/remove-selected-repo-from-org-secret',
  path: '/orgs/{org}/actions/secrets/{secret_name}/repositories/{repository_id}',
  resources: [orgSecret, selectableRepository],
  summary: 'Remove a selected repository from an organization secret',
  access: writesOrg,
});
