// Private package registries of an organization (document 2).
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { EncryptionKey, ensureKey, findActiveKey, presentKey } from '#resources/actions/encryption-keys/index.ts';
import { registryKey } from './keys.ts';
import { registry } from './path-resources.ts';
import { presentRegistry } from './present.ts';
import { changeRegistry, changeWorkflowAccess, createRegistry, deleteRegistry } from './rules.ts';
import {
  NewPrivateRegistry,
  PrivateRegistry,
  PrivateRegistryChange,
  PrivateRegistryList,
  PrivateRegistryWorkflowAccess,
} from './schemas.ts';
import { allowsWorkflows, listRegistries } from './store.ts';

const registries = { scopes: ['admin:org'], role: 'owner' } as const;
const reads = { ...registries, permission: 'organization_private_registries:read' } as const;
const writes = { ...registries, permission: 'organization_private_registries:write' } as const;

export const listPrivateRegistries = endpoint({
  id: 'private-registries/list-org-private-registries',
  method: 'GET',
  path: '/orgs/{org}/private-registries',
  summary: 'List private registries for an organization',
  access: reads,
  malformed: 'refused',
  paging: pages(),
  replies: { 200: PrivateRegistryList },
  async handle({ db, at, page }) {
    return mapEach(await listRegistries(db, at.org.id, page), presentRegistry);
  },
});

export const createPrivateRegistry = endpoint({
  id: 'private-registries/create-org-private-registry',
  method: 'POST',
  path: '/orgs/{org}/private-registries',
  summary: 'Create a private registry for an organization',
  access: writes,
  body: NewPrivateRegistry,
  example: {
    registry_type: 'maven_repository',
    url: 'https://maven.example/',
    visibility: 'private',
    auth_type: 'oidc_cloud_a',
    tenant_id: '6a1f',
    client_id: '09bc',
  },
  replies: { 201: PrivateRegistry },
  async handle({ change, body, action, services: { secrets } }) {
    return presentRegistry(await change((scope) => createRegistry(scope, { ...action, secrets }, body)));
  },
});

export const getRegistryPublicKey = endpoint({
  id: 'private-registries/get-org-public-key',
  method: 'GET',
  path: '/orgs/{org}/private-registries/public-key',
  summary: 'Get the public key that private registry secrets are encrypted with',
  access: reads,
  replies: { 200: EncryptionKey },
  async handle({ db, change, at }) {
    const key = registryKey(at.org);
    return presentKey((await findActiveKey(db, key)) ?? (await change((scope) => ensureKey(scope, key))));
  },
});

export const getRegistryWorkflowAccess = endpoint({
  id: 'private-registries/get-org-workflow-access',
  method: 'GET',
  path: '/orgs/{org}/private-registries/workflow-access',
  summary: 'Get whether workflows may use the private registries of an organization',
  access: reads,
  replies: { 200: PrivateRegistryWorkflowAccess },
  async handle({ db, at }) {
    return { enabled: await allowsWorkflows(db, at.org.id) };
  },
});

export const setRegistryWorkflowAccess = endpoint({
  id: 'private-registries/set-org-workflow-access',
  method: 'PUT',
  path: '/orgs/{org}/private-registries/workflow-access',
  summary: 'Set whether workflows may use the private registries of an organization',
  access: writes,
  body: PrivateRegistryWorkflowAccess,
  example: { enabled: true },
  replies: { 204: Nothing },
  async handle({ change, body, action }) {
    await change((scope) => changeWorkflowAccess(scope, action, body));
  },
});

export const getPrivateRegistry = endpoint({
  id: 'private-registries/get-org-private-registry',
  method: 'GET',
  path: '/orgs/{org}/private-registries/{secret_name}',
  resources: [registry],
  summary: 'Get a private registry for an organization',
  access: reads,
  replies: { 200: PrivateRegistry },
  async handle({ at }) {
    return presentRegistry(at.registry);
  },
});

export const updatePrivateRegistry = endpoint({
  id: 'private-registries/update-org-private-registry',
  method: 'PATCH',
  path: '/orgs/{org}/private-registries/{secret_name}',
  resources: [registry],
  summary: 'Update a private registry for an organization',
  access: writes,
  body: PrivateRegistryChange,
  example: { visibility: 'all' },
  replies: { 204: Nothing },
  async handle({ change, body, action, services: { secrets } }) {
    await change((scope, { registry }) => changeRegistry(scope, { ...action, secrets }, registry, body));
  },
});

export const deletePrivateRegistry = endpoint({
  id: 'private-registries/delete-org-private-registry',
  method: 'DELETE',
  path: '/orgs/{org}/private-registries/{secret_name}',
  resources: [registry],
  summary: 'Delete a private registry for an organization',
  access: writes,
  malformed: 'refused',
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { registry }) => deleteRegistry(scope, action, registry));
  },
});
