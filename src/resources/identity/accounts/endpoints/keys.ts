// SSH keys of the authenticated user.
import { Type } from 'typebox';
import { userCredentials } from '#access/tokens.ts';
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { ownKey } from '../path-resources.ts';
import { presentKey } from '../present.ts';
import { addKey, deleteKey } from '../rules.ts';
import { NewPublicKey, PublicKey } from '../schemas.ts';
import { listKeys } from '../store.ts';

const keys = { scopes: ['read:public_key'], credentials: userCredentials } as const;

export const listPublicKeys = endpoint({
  id: 'users/list-public-ssh-keys-for-authenticated-user',
  method: 'GET',
  path: '/user/keys',
  summary: 'List public SSH keys for the authenticated user',
  access: { ...keys, permission: 'git_ssh_keys:read' },
  paging: pages(),
  replies: { 200: Type.Array(PublicKey) },
  async handle({ db, viewer, page, links }) {
    return mapEach(await listKeys(db, viewer.account.id, page), (row) => presentKey(links, row));
  },
});

export const createPublicKey = endpoint({
  id: 'users/create-public-ssh-key-for-authenticated-user',
  method: 'POST',
  path: '/user/keys',
  summary: 'Create a public SSH key for the authenticated user',
  access: { ...keys, scopes: ['write:public_key'], permission: 'git_ssh_keys:write' },
  body: NewPublicKey,
  example: { title: 'laptop', key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3lq7Kk5o3q4f1gXnVbq1c0Yk4f8u0M6u9d1c2b3a4z' },
  replies: { 201: PublicKey },
  async handle({ change, body, action, links }) {
    return presentKey(links, await change((scope) => addKey(scope, action, body)));
  },
});

export const getPublicKey = endpoint({
  id: 'users/get-public-ssh-key-for-authenticated-user',
  method: 'GET',
  path: '/user/keys/{key_id}',
  resources: [ownKey],
  summary: 'Get a public SSH key for the authenticated user',
  access: { ...keys, permission: 'git_ssh_keys:read' },
  replies: { 200: PublicKey },
  async handle({ at, links }) {
    return presentKey(links, at.key);
  },
});

export const deletePublicKey = endpoint({
  id: 'users/delete-public-ssh-key-for-authenticated-user',
  method: 'DELETE',
  path: '/user/keys/{key_id}',
  resources: [ownKey],
  summary: 'Delete a public SSH key for the authenticated user',
  access: { ...keys, scopes: ['admin:public_key'], permission: 'git_ssh_keys:write' },
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { key }) => deleteKey(scope, action, key));
  },
});
