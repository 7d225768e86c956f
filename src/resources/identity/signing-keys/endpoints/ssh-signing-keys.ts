// SSH keys with which users sign commits.
import { Type } from 'typebox';
import { userCredentials } from '#access/tokens.ts';
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { ownSshSigningKey } from '../path-resources.ts';
import { presentSshSigningKey } from '../present.ts';
import { createSshSigningKey, deleteSshSigningKey } from '../rules.ts';
import { NewSshSigningKey, SshSigningKey } from '../schemas.ts';
import { listSshSigningKeys } from '../store.ts';

const reads = {
  permission: 'git_signing_ssh_public_keys:read',
  scopes: ['read:ssh_signing_key'],
  credentials: userCredentials,
} as const;
const writes = { ...reads, permission: 'git_signing_ssh_public_keys:write' } as const;

export const listOwnSshSigningKeys = endpoint({
  id: 'users/list-ssh-signing-keys-for-authenticated-user',
  method: 'GET',
  path: '/user/ssh_signing_keys',
  summary: 'List SSH signing keys for the authenticated user',
  access: reads,
  paging: pages(),
  replies: { 200: Type.Array(SshSigningKey) },
  async handle({ db, viewer, page }) {
    return mapEach(await listSshSigningKeys(db, viewer.account.id, page), presentSshSigningKey);
  },
});

export const createOwnSshSigningKey = endpoint({
  id: 'users/create-ssh-signing-key-for-authenticated-user',
  method: 'POST',
  path: '/user/ssh_signing_keys',
  summary: 'Create a SSH signing key for the authenticated user',
  access: { ...writes, scopes: ['write:ssh_signing_key'] },
  body: NewSshSigningKey,
  example: { title: 'laptop', key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3lq7Kk5o3q4f1gXnVbq1c0Yk4f8u0M6u9d1c2b3a4z' },
  replies: { 201: SshSigningKey },
  async handle({ change, body, action }) {
    return presentSshSigningKey(await change((scope) => createSshSigningKey(scope, action, body)));
  },
});

export const getOwnSshSigningKey = endpoint({
  id: 'users/get-ssh-signing-key-for-authenticated-user',
  method: 'GET',
  path: '/user/ssh_signing_keys/{ssh_signing_key_id}',
  resources: [ownSshSigningKey],
  summary: 'Get an SSH signing key for the authenticated user',
  access: reads,
  replies: { 200: SshSigningKey },
  async handle({ at }) {
    return presentSshSigningKey(at.sshSigningKey);
  },
});

export const deleteOwnSshSigningKey = endpoint({
  id: 'users/delete-ssh-signing-key-for-authenticated-user',
  method: 'DELETE',
  path: '/user/ssh_signing_keys/{ssh_signing_key_id}',
  resources: [ownSshSigningKey],
  summary: 'Delete an SSH signing key for the authenticated user',
  access: { ...writes, scopes: ['admin:ssh_signing_key'] },
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { sshSigningKey }) => deleteSshSigningKey(scope, action, sshSigningKey));
  },
});

export const listSshSigningKeysOfUser = endpoint({
  id: 'users/list-ssh-signing-keys-for-user',
  method: 'GET',
  path: '/users/{username}/ssh_signing_keys',
  summary: 'List SSH signing keys for a user',
  access: { permission: { none: 'public' } },
  paging: pages(),
  replies: { 200: Type.Array(SshSigningKey) },
  async handle({ db, at, page }) {
    return mapEach(await listSshSigningKeys(db, at.user.id, page), presentSshSigningKey);
  },
});
