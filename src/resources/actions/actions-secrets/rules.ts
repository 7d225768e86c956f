import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { fixedValue } from '#lib/limits.ts';
import { invalid } from '#lib/refusal.ts';
import type { Secrets } from '#lib/secrets.ts';
import {
  type ConfigurationAction,
  checkedName,
  environmentOf,
  eventOriginOf,
  holderOf,
  lockHolder,
  setSelection,
} from '#resources/actions/actions-configuration/index.ts';
import { decrypt, type Holder } from '#resources/actions/encryption-keys/index.ts';
import { secretLimits } from './limits.ts';
import type { WantedSecret } from './schemas.ts';
import type { SecretStore } from './secret-store.ts';
import { countSecrets, insertSecret, removeSecret, type SecretRow, updateSecret } from './store.ts';
import { sealValue, secretKey } from './values.ts';

const maxSecrets: Record<Holder['column'], number> = {
  organization_id: fixedValue(secretLimits.inOrganization),
  repository_id: fixedValue(secretLimits.inRepository),
  environment_id: fixedValue(secretLimits.inEnvironment),
};

type SecretAction = ConfigurationAction & { store: SecretStore };
type ValueAction = SecretAction & { secrets: Secrets };

/**
 * Creates a secret, or sets the existing one with this name. Its value is decrypted, and stored under the server's own key.
 * @returns whether the secret is new
 */
export async function setSecret(scope: WriteScope, action: ValueAction, given: string, wanted: WantedSecret): Promise<boolean> {
  const { owner, store, secrets, now } = action;
  const { resource } = store;
  const name = checkedName(resource, 'secret_name', given);
  const holder = holderOf(owner);
  const value = await decryptedValue(scope, action, wanted);
  const sealed = value && sealValue(secrets, { store: store.name, holder, name }, value);
  await lockHolder(scope.tx, holder);
  const { total, same } = await countSecrets(scope.tx, store.name, holder, name);
  if (!same && total >= maxSecrets[holder.column])
    throw invalid(resource, 'secret_name', 'unprocessable', `There can be at most ${maxSecrets[holder.column]} secrets here`);
  if (!same && !sealed) throw invalid(resource, 'encrypted_value', 'missing_field');

  const { visibility = 'private', selected_repository_ids: ids } = wanted;
  const selected = { resource, visibility, ids: ids?.map(Number) };
  const selection_id = await setSelection(scope, action, same?.selection_id ?? null, selected);
  if (same) {
    await updateSecret(scope.tx, same.id, { ...(sealed ? { value: sealed } : {}), updated_at: now });
    await recordChange(scope, action, same);
  } else if (sealed) {
    const times = { created_at: now, updated_at: now };
    const row = { store: store.name, [holder.column]: holder.id, selection_id, name, value: sealed, ...times };
    const { id } = await insertSecret(scope.tx, row);
    await record(scope.tx, { ...eventOriginOf(action), kind: `${store.event}.created`, data: { secret: id } });
  }
  return !same;
}

/** Records that the value of a secret changed, or the repositories that may use it. */
export const recordChange = (scope: WriteScope, action: SecretAction, { id }: Pick<SecretRow, 'id'>): Promise<void> =>
  record(scope.tx, { ...eventOriginOf(action), kind: `${action.store.event}.changed`, data: { secret: id } });

/** The decrypted value of a request; undefined if the request has no value. */
async function decryptedValue(
  scope: WriteScope,
  { store: { name, resource }, owner, secrets }: ValueAction,
  { encrypted_value: value, key_id: keyId }: WantedSecret,
): Promise<Buffer | undefined> {
  const missing = (field: string) => invalid(resource, field, 'missing_field');
  if (value === undefined && keyId === undefined) return undefined;
  if (value === undefined) throw missing('encrypted_value');
  if (keyId === undefined) throw missing('key_id');
  return decrypt(scope, secretKey(name, holderOf(owner)), { secrets, resource, keyId, value });
}

export async function deleteSecret(scope: WriteScope, action: SecretAction, secret: SecretRow): Promise<void> {
  await removeSecret(scope.tx, secret);
  const data = { name: secret.name, environment: environmentOf(action.owner) };
  await record(scope.tx, { ...eventOriginOf(action), kind: `${action.store.event}.deleted`, data });
}
