import type { Account } from '#access/viewer.ts';
import type { Client } from '#test/support/client.ts';
import { sealedFor } from '#test/support/sealed.ts';
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

/** Encrypts a secret for the key of an organization's registries. */
export const sealed = (client: Client, org: Account, secret: string) =>
  sealedFor(client, `/orgs/${org.login}/private-registries/public-key`, secret);

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
