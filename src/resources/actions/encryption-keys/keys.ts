// The keys that callers encrypt secrets with, as libsodium sealed boxes (document 2, Private registries).
import type { Needs, WriteScope } from '#endpoint/scope.ts';
import { invalid } from '#lib/refusal.ts';
import { newBoxKeys, openSealedBox } from '#lib/sealed-box.ts';
import type { Secrets } from '#lib/secrets.ts';
import { findActiveKey, insertKey, type KeyRow, type KeyUse, revokeKey } from './store.ts';

/**
 * The context in which a private half is sealed. Keys of registries were the first ones, and keep the one of their table then.
 */
const contextOf = ({ purpose, column, id }: KeyUse): string =>
  purpose === 'private_registries' ? `registry_keys.private_key:${id}` : `encryption_keys.private_key:${purpose}:${column}:${id}`;

/** The active key. The first call makes it. */
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
 * Replaces a key. Secrets that were encrypted with the old one and arrive later are refused. Stored secrets stay readable, since
 * they are stored under the server's own key.
 */
export async function replaceKey(scope: WriteScope & Needs<'secrets'>, use: KeyUse): Promise<KeyRow> {
  await revokeKey(scope.tx, use, scope.now);
  return ensureKey(scope, use);
}

export const keyIdOf = (key: Pick<KeyRow, 'id'>): string => String(key.id);

/** What a caller has encrypted. `resource` is the name of what it belongs to in a refusal. */
type Encrypted = { secrets: Secrets; resource: string; keyId: string; value: string };

/**
 * Decrypts a secret that a caller encrypted with the active key.
 * @throws Refusal 422 for another key, for what isn't a sealed box for this key, and for an empty secret
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
