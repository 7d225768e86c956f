// OpenPGP keys of users.
import { Type } from 'typebox';
import { userCredentials } from '#access/tokens.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { ownGpgKey } from '../path-resources.ts';
import { presentGpgKeys } from '../present.ts';
import { createGpgKey, deleteGpgKey } from '../rules.ts';
import { GpgKey, NewGpgKey } from '../schemas.ts';
import { listGpgKeys } from '../store.ts';

const reads = { permission: 'gpg_keys:read', scopes: ['read:gpg_key'], credentials: userCredentials } as const;

export const listOwnGpgKeys = endpoint({
  id: 'users/list-gpg-keys-for-authenticated-user',
  method: 'GET',
  path: '/user/gpg_keys',
  summary: 'List GPG keys for the authenticated user',
  access: reads,
  paging: pages(),
  replies: { 200: Type.Array(GpgKey) },
  async handle({ db, viewer, page }) {
    return mapRows(await listGpgKeys(db, viewer.account.id, page), (rows) => presentGpgKeys(db, rows));
  },
});

const exampleKey = [
  '-----BEGIN PGP PUBLIC KEY BLOCK-----',
  '',
  'mDMEZ3SFgBYJKwYBBAHaRw8BAQdAqEVbXTwOfTTGxDogwzqUuobKT2rlLrwoP3F2',
  'HnXAz0e0FUFkYSA8YWRhQGV4YW1wbGUuY29tPoiQBBMWCAA4FiEEcVqmknLMlCoz',
  'ROQfAzzHvIsNDFsFAmd0hYACGwMFCwkIBwIGFQoJCAsCBBYCAwECHgECF4AACgkQ',
  'AzzHvIsNDFtkVAD/VWbYyk+kuiFHlChCbj7vvmwx4x2UldWNP9WLcNIK4MQA/18+',
  'zGyOoCtieadizMfbNiLWzfpgMBJ3JjJBCnWnuIkL',
  '=Kowf',
  '-----END PGP PUBLIC KEY BLOCK-----',
].join('\n');

export const createOwnGpgKey = endpoint({
  id: 'users/create-gpg-key-for-authenticated-user',
  method: 'POST',
  path: '/user/gpg_keys',
  summary: 'Create a GPG key for the authenticated user',
  access: { ...reads, permission: 'gpg_keys:write', scopes: ['write:gpg_key'] },
  body: NewGpgKey,
  example: { name: 'laptop', armored_public_key: exampleKey },
  replies: { 201: GpgKey },
  async handle({ db, change, body, action }) {
    const row = await change((scope) => createGpgKey(scope, action, body));
    return firstOrNotFound(await presentGpgKeys(db, [row]));
  },
});

export const getOwnGpgKey = endpoint({
  id: 'users/get-gpg-key-for-authenticated-user',
  method: 'GET',
  path: '/user/gpg_keys/{gpg_key_id}',
  resources: [ownGpgKey],
  summary: 'Get a GPG key for the authenticated user',
  access: reads,
  replies: { 200: GpgKey },
  async handle({ db, at }) {
    return firstOrNotFound(await presentGpgKeys(db, [at.gpgKey]));
  },
});

export const deleteOwnGpgKey = endpoint({
  id: 'users/delete-gpg-key-for-authenticated-user',
  method: 'DELETE',
  path: '/user/gpg_keys/{gpg_key_id}',
  resources: [ownGpgKey],
  summary: 'Delete a GPG key for the authenticated user',
  access: { ...reads, permission: 'gpg_keys:write', scopes: ['admin:gpg_key'] },
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { gpgKey }) => deleteGpgKey(scope, action, gpgKey));
  },
});

export const listGpgKeysOfUser = endpoint({
  id: 'users/list-gpg-keys-for-user',
  method: 'GET',
  path: '/users/{username}/gpg_keys',
  summary: 'List GPG keys for a user',
  access: { permission: { none: 'public' } },
  paging: pages(),
  replies: { 200: Type.Array(GpgKey) },
  async handle({ db, at, page }) {
    return mapRows(await listGpgKeys(db, at.user.id, page), (rows) => presentGpgKeys(db, rows));
  },
});
