import sodium from 'libsodium-wrappers';
import type { Account } from '#access/viewer.ts';
import type { Client } from '#test/support/client.ts';
import { fresh, type World } from '#test/support/world.ts';

/** An organization with its owner, one member and somebody else. */
export async function setting(w: World) {
  const owner = await w.user(fresh('owner'));
  const member = await w.user(fresh('member'));
  const stranger = await w.user(fresh('stranger'));
  const org = await w.org(owner);
  await w.member(org, member);
  return { owner, member, stranger, org, path: `/orgs/${org.login}/private-registries` };
}

/** Encrypts as the public documentation shows it. */
export async function sealed(client: Client, org: Account, secret: string): Promise<{ key_id: string; encrypted_value: string }> {
  await sodium.ready;
  const { body } = await client.get(`/orgs/${org.login}/private-registries/public-key`);
  const key = sodium.from_base64(body.key, sodium.base64_variants.ORIGINAL);
  const box = sodium.crypto_box_seal(sodium.from_string(secret), key);
  return { key_id: body.key_id, encrypted_value: sodium.to_base64(box, sodium.base64_variants.ORIGINAL) };
}

/** A registry whose fields are right, without a secret. */
export const cloudA = {
  registry_type: 'maven_repository',
  url: 'https://maven.example/repository/',
  visibility: 'all',
  auth_type: 'oidc_cloud_a',
  tenant_id: 'tenant',
  client_id: 'client',
};

export const tables = ['private_registries', 'encryption_keys', 'events'];
