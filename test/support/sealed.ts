import sodium from 'libsodium-wrappers';
import type { Client } from './client.ts';

/** Encrypts a secret for the public key at a path, as in the public documentation. */
export async function sealedFor(
  client: Client,
  path: string,
  secret: string,
): Promise<{ key_id: string; encrypted_value: string }> {
  const { body } = await client.get(path);
  return { key_id: body.key_id, encrypted_value: await sealBox(body.key, secret) };
}

/** Encrypts a text for a public key in base64. */
export async function sealBox(key: string, secret: string): Promise<string> {
  await sodium.ready;
  const { ORIGINAL } = sodium.base64_variants;
  return sodium.to_base64(sodium.crypto_box_seal(sodium.from_string(secret), sodium.from_base64(key, ORIGINAL)), ORIGINAL);
}
