// The key of an organization that callers encrypt registry secrets with (document 2: libsodium sealed boxes).
import type { Account } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import { record } from '#events/record.ts';
import type { Id } from '#lib/id.ts';
import { invalid } from '#lib/refusal.ts';
import { newBoxKeys, openSealedBox } from '#lib/sealed-box.ts';
import type { Secrets } from '#lib/secrets.ts';
import { findActiveKey, insertKey, type KeyRow, revokeKey } from './key-store.ts';

type KeyContext = { org: Pick<Account, 'id'>; secrets: Secrets; now: Date };

const contextOf = (organization: number): string => `registry_keys.private_key:${organization}`;

/** The active key. The first call makes it. */
export async function ensureKey(tx: Tx, { org, secrets, now }: KeyContext): Promise<KeyRow> {
  const found = await findActiveKey(tx, org.id);
  if (found) return found;
  const { publicKey, privateKey } = await newBoxKeys();
  const sealed = secrets.seal(privateKey, contextOf(org.id));
  await insertKey(tx, { organization_id: org.id, public_key: publicKey, private_key: sealed, created_at: now });
  const made = await findActiveKey(tx, org.id);
  if (!made) throw new Error('A key that was just made is gone');
  return made;
}

/**
 * Replaces the key of an organization. Secrets that were encrypted with the old key and arrive later are refused. Stored secrets
 * stay readable, since they are stored under the server's own key.
 */
export async function rotateRegistryKey(
  tx: Tx,
  { by, ...place }: KeyContext & { by: Id<'accounts'> | undefined },
): Promise<KeyRow> {
  const { org, now } = place;
  await revokeKey(tx, org.id, now);
  const key = await ensureKey(tx, place);
  await record(tx, { kind: 'private_registry.key_rotated', owner: org.id, actor: by, at: now, data: { key: key.id } });
  return key;
}

export const keyIdOf = (key: Pick<KeyRow, 'id'>): string => String(key.id);

const refused = (field: 'key_id' | 'encrypted_value', message: string) =>
  invalid('PrivateRegistry', field, 'invalid', `${field} ${message}`);

type Encrypted = Omit<KeyContext, 'now'> & { keyId: string; value: string };

/** Decrypts a secret that a caller encrypted with the active key. */
export async function decrypt(tx: Tx, { org, secrets, keyId, value }: Encrypted): Promise<Buffer> {
  const key = await findActiveKey(tx, org.id);
  if (!key?.private_key || keyIdOf(key) !== keyId) throw refused('key_id', 'is not the id of the present public key');
  const privateKey = secrets.open(key.private_key, contextOf(org.id));
  const secret = await openSealedBox(Buffer.from(value, 'base64'), { publicKey: key.public_key, privateKey });
  if (!secret) throw refused('encrypted_value', 'was not encrypted with that public key');
  if (secret.length === 0) throw refused('encrypted_value', 'holds an empty secret');
  return secret;
}
