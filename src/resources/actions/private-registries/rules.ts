import type { OrganizationAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import { defined } from '#lib/collections.ts';
import { invalid, orNotFound } from '#lib/refusal.ts';
import type { Secrets } from '#lib/secrets.ts';
import { decrypt } from '#resources/actions/encryption-keys/index.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { changeSelection, createSelection } from '#resources/repositories/repository-selections/index.ts';
import {
  type AuthType,
  defaultAuthType,
  domainFields,
  forbiddenFields,
  identityFields,
  needsSecret,
  type RegistryType,
} from './auth-types.ts';
import { registryKey } from './keys.ts';
import type { NewPrivateRegistry, PrivateRegistryChange } from './schemas.ts';
import {
  findRegistry,
  type Identity,
  insertRegistry,
  listNames,
  type RegistryRow,
  removeRegistry,
  setAllowsWorkflows,
  updateRegistry,
} from './store.ts';

const resource = 'PrivateRegistry';
const missing = (field: string) => invalid(resource, field, 'missing_field');
const wrong = (field: string, message: string) => invalid(resource, field, 'invalid', `${field} ${message}`);

/** The context in which a registry's secret is sealed. The name of a registry never changes. */
const contextOf = (organization: number, name: string): string => `private_registries.secret:${organization}:${name}`;

/** The name of a new registry: its type, with a number after the first of that type. */
function nameFor(type: RegistryType, taken: ReadonlySet<string>): string {
  const stem = `${type.toUpperCase()}_SECRET`;
  if (!taken.has(stem)) return stem;
  let number = 2;
  while (taken.has(`${stem}_${number}`)) number++;
  return `${stem}_${number}`;
}

/** Refuses a URL that contains a password, since URLs are shown. */
function checkUrl(url: string | undefined): void {
  if (url === undefined) return;
  const parsed = URL.parse(url);
  if (!parsed) throw wrong('url', 'is not a URL');
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') throw wrong('url', 'must be an http or https URL');
  if (parsed.username !== '' || parsed.password !== '') throw wrong('url', 'must not hold a user or a password');
}

type Settled = {
  auth_type: AuthType;
  registry_type: RegistryType;
  username?: string | null | undefined;
  identity: Identity;
};

/** Checks fields that are required depending on other fields, which the schema can't express. */
function checkSettled({ auth_type, registry_type, username, identity }: Settled): void {
  if (auth_type === 'username_password' && !username) throw missing('username');
  const absent = domainFields(auth_type, registry_type).find((field) => identity[field] === undefined);
  if (absent) throw missing(absent);
}

const identityOf = (wanted: PrivateRegistryChange): Identity =>
  defined(Object.fromEntries(identityFields.map((field) => [field, wanted[field]])));

type SecretAction = OrganizationAction & { secrets: Secrets };

/** Creates a registry. Its secret is decrypted, and stored under the server's own key. */
export async function createRegistry(scope: WriteScope, action: SecretAction, wanted: NewPrivateRegistry): Promise<RegistryRow> {
  const { org, now, secrets } = action;
  const { registry_type, auth_type = defaultAuthType, url, username, replaces_base = false, visibility } = wanted;
  const identity = identityOf(wanted);
  checkUrl(url);
  checkSettled({ auth_type, registry_type, username, identity });
  const { encrypted_value: value, key_id: keyId } = wanted;
  const secret = value && keyId ? await decrypt(scope, registryKey(org), { secrets, resource, keyId, value }) : undefined;
  // The lock keeps concurrent requests from taking the same name.
  await lockOrganization(scope.tx, org.id);
  const selection = await createSelection(scope, action, { resource, mode: visibility, ids: wanted.selected_repository_ids });
  const name = nameFor(registry_type, new Set(await listNames(scope.tx, org.id)));
  const id = await insertRegistry(scope.tx, {
    organization_id: org.id,
    name,
    registry_type,
    auth_type,
    url,
    replaces_base,
    selection_id: selection.id,
    ...defined({ username }),
    identity: JSON.stringify(identity),
    secret: secret ? secrets.seal(secret, contextOf(org.id, name)) : null,
    created_at: now,
    updated_at: now,
  });
  await record(scope.tx, { ...inOrganization(action), kind: 'private_registry.created', data: { registry: id } });
  return orNotFound(await findRegistry(scope.tx, org.id, name));
}

/** Changes the named fields of a registry. The secret stays unless a new one is sent; `auth_type` can't change. */
export async function changeRegistry(
  scope: WriteScope,
  action: SecretAction,
  registry: RegistryRow,
  wanted: PrivateRegistryChange,
): Promise<void> {
  const { auth_type } = registry;
  if (wanted.auth_type !== undefined && wanted.auth_type !== auth_type)
    throw wrong('auth_type', `cannot change; it is ${auth_type}`);
  const stray = forbiddenFields(auth_type).find((field) => wanted[field] !== undefined);
  if (stray) throw wrong(stray, `does not belong to the auth_type ${auth_type}`);
  checkUrl(wanted.url);

  const { registry_type = registry.registry_type, username = registry.username, visibility = registry.visibility } = wanted;
  const identity = { ...registry.identity, ...identityOf(wanted) };
  checkSettled({ auth_type, registry_type, username, identity });
  const secret = await changedSecret(scope, registry, action, wanted);
  await changeSelection(scope, action, registry.selection_id, {
    resource,
    mode: visibility,
    ids: wanted.selected_repository_ids,
  });
  await updateRegistry(scope.tx, registry.id, {
    ...defined({ url: wanted.url, replaces_base: wanted.replaces_base, secret }),
    registry_type,
    username,
    identity: JSON.stringify(identity),
    updated_at: action.now,
  });
  await record(scope.tx, { ...inOrganization(action), kind: 'private_registry.changed', data: { registry: registry.id } });
}

async function changedSecret(
  scope: WriteScope,
  registry: RegistryRow,
  { org, secrets }: SecretAction,
  wanted: PrivateRegistryChange,
): Promise<Buffer | undefined> {
  const { encrypted_value: value, key_id: keyId } = wanted;
  if (!needsSecret(registry.auth_type) || (value === undefined && keyId === undefined)) return undefined;
  if (value === undefined) throw missing('encrypted_value');
  if (keyId === undefined) throw missing('key_id');
  return secrets.seal(
    await decrypt(scope, registryKey(org), { secrets, resource, keyId, value }),
    contextOf(org.id, registry.name),
  );
}

/** Deletes a registry with its secret. */
export async function deleteRegistry(scope: WriteScope, action: OrganizationAction, registry: RegistryRow): Promise<void> {
  await removeRegistry(scope.tx, registry);
  await record(scope.tx, { ...inOrganization(action), kind: 'private_registry.deleted', data: { name: registry.name } });
}

/** Sets whether workflows may use the registries of an organization. */
export async function changeWorkflowAccess(
  scope: WriteScope,
  action: OrganizationAction,
  { enabled }: { readonly enabled: boolean },
): Promise<void> {
  await setAllowsWorkflows(scope.tx, action.org.id, enabled);
  const data = { enabled };
  await record(scope.tx, { ...inOrganization(action), kind: 'private_registry.workflow_access_changed', data });
}

/** Decrypts the stored secret of a registry. */
export const openSecret = (
  secrets: Secrets,
  { organization_id, name, secret }: Pick<RegistryRow, 'organization_id' | 'name' | 'secret'>,
) => (secret ? secrets.openText(secret, contextOf(organization_id, name)) : undefined);
