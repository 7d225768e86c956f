import type { Account } from '#access/viewer.ts';
import type { Needs, WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import type { Id } from '#lib/id.ts';
import { type KeyRow, type KeyUse, replaceKey } from '#resources/actions/encryption-keys/index.ts';

type Organization = Pick<Account, 'id'>;

/** The key of an organization that callers use to encrypt secrets of registries. */
export const registryKey = ({ id }: Organization): KeyUse => ({ purpose: 'private_registries', column: 'organization_id', id });

type Rotation = { org: Organization; by: Id<'accounts'> | undefined };

/** Replaces that key. New secrets that were encrypted with the old key are refused; stored ones stay readable. */
export async function rotateRegistryKey(scope: WriteScope & Needs<'secrets'>, { org, by }: Rotation): Promise<KeyRow> {
  const key = await replaceKey(scope, registryKey(org));
  await record(scope.tx, {
    kind: 'private_registry.key_rotated',
    owner: org.id,
    actor: by,
    at: scope.now,
    data: { key: key.id },
  });
  return key;
}
