// The keys that callers use to encrypt secrets, as libsodium sealed boxes (document 2, Private registries).
import type { Needs, WriteScope } from '#endpoint/scope.ts';
import { invalid } from '#lib/refusal.ts';
import { newBoxKeys, openSealedBox } from '#lib/sealed-box.ts';
import type { Secrets } from '#lib/secrets.ts';
import { findActiveKey, insertKey, type KeyRow, type KeyUse, revokeKey } from './store.ts';

/**
 * Binds a sealed private key to its use. The text names an old table, because existing keys were sealed with it.
 */
const contextOf = ({ purpose, column, id }: KeyUse): string =>
  purpose === 'private_registries' ? `registry_keys.private_key:${id}` : `encryption_keys.private_key:${purpose}:${column}:${id}`;

/** The active key, which the first call creates. */
export async function ensureKey(scope: WriteScope & Needs<'secrets'>, use: KeyUse): Promise<KeyRow> {
  const { now, services } = scope;
  const found = await findActiveKey(scope.tx, use);
  if (found) return found;
  const { publicKey, privateKey } = await newBoxKeys();
  const sealed = services.secrets.seal(privateKey, contextOf(use));
  await insertKey(scope.tx, use, { public_key: publicKey, private_key: sealed, created_at: now });
  const made = await findActiveKey(scope.tx, use);
  if (!made) throw new Error('A key that was just made is gone');
  return made;
}

/**
 * Replaces a key. New secrets that were encrypted with the old key are refused. Stored secrets stay readable, since they are
 * stored under the server's own key.
 */
export async function replaceKey(scope: WriteScope & Needs<'secrets'>, use: KeyUse): Promise<KeyRow> {
  await revokeKey(scope.tx, use, scope.now);
  return ensureKey(scope, use);
}

export const keyIdOf = (key: Pick<KeyRow, 'id'>): string => String(key.id);

/** An encrypted secret of a request. Refusals mention `resource`, the kind of thing that it belongs to. */
type Encrypted = { secrets: Secrets; resource: string; keyId: string; value: string };

/**
 * Decrypts a secret that a caller encrypted with the active key.
 * @throws Refusal 422 for another key, an invalid sealed box, or an empty secret
 */
export async function decrypt(scope: WriteScope, use: KeyUse, { secrets, resource, keyId, value }: Encrypted): Promise<Buffer> {
  const refused = (field: 'key_id' | 'encrypted_value', message: string) =>
    invalid(resource, field, 'invalid', `${field} ${message}`);
  const key = await findActiveKey(scope.tx, use);
  if (!key?.private_key || keyIdOf(key) !== keyId) throw refused('key_id', 'is not the id of the present public key');
  const privateKey = secrets.open(key.private_key, contextOf(use));
  const secret = await openSealedBox(Buffer.from(value, 'base64'), { publicKey: key.public_key, privateKey });
  if (!secret) throw refused('encrypted_value', 'was not encrypted with that public key');
  if (secret.length === 0) throw refused('encrypted_value', 'holds an empty secret');
  return secret;
}
