// Accounts: the authenticated user, profiles, and SSH keys.
import { Type } from 'typebox';
import { userTokens } from '#access/tokens.ts';
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages, pagesSince } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { accountById, ownCounts, ownKey } from './path-resources.ts';
import { presentKey, presentPrivateUser, presentPublicUser, presentUser } from './present.ts';
import { addKey, changeProfile, deleteKey } from './rules.ts';
import { NewPublicKey, PrivateUser, ProfileChange, PublicKey, PublicUser, User } from './schemas.ts';
import { countRepositories, listAccounts, listKeys } from './store.ts';

export const getAuthenticatedUser = endpoint({
  id: 'users/get-authenticated',
  method: 'GET',
  path: '/user',
  summary: 'Get the authenticated user',
  resources: [ownCounts],
  access: { permission: { none: 'own_account' }, tokens: userTokens },
  replies: { 200: PrivateUser },
  async handle({ at, viewer, links }) {
    return presentPrivateUser(links, viewer.account, at.counts);
  },
});

export const updateAuthenticatedUser = endpoint({
  id: 'users/update-authenticated',
  method: 'PATCH',
  path: '/user',
  summary: 'Update the authenticated user',
  access: { permission: 'profile:write', scopes: ['user'], tokens: userTokens },
  body: ProfileChange,
  example: { bio: 'Works on engines' },
  replies: { 200: PrivateUser },
  async handle({ db, change, body, action, links }) {
    const account = await change((tx) => changeProfile(tx, action, body));
    return presentPrivateUser(links, account, await countRepositories(db, account.id));
  },
});

export const listUsers = endpoint({
  id: 'users/list',
  method: 'GET',
  path: '/users',
  summary: 'List users',
  access: { permission: { none: 'public' } },
  paging: pagesSince(),
  replies: { 200: Type.Array(User) },
  async handle({ db, page, links }) {
    const { rows, next } = await listAccounts(db, page);
    return { rows: rows.map((row) => presentUser(links, row)), next };
  },
});

export const getUser = endpoint({
  id: 'users/get-by-username',
  method: 'GET',
  path: '/users/{username}',
  summary: 'Get a user',
  access: { permission: { none: 'public' } },
  replies: { 200: PublicUser },
  async handle({ db, at, links }) {
    return presentPublicUser(links, at.user, await countRepositories(db, at.user.id));
  },
});

export const getUserById = endpoint({
  id: 'users/get-by-id',
  method: 'GET',
  path: '/user/{account_id}',
  resources: [accountById],
  summary: 'Get a user using their ID',
  access: { permission: { none: 'public' } },
  replies: { 200: PublicUser },
  async handle({ db, at, links }) {
    return presentPublicUser(links, at.account, await countRepositories(db, at.account.id));
  },
});

const keys = { scopes: ['read:public_key'], tokens: userTokens } as const;

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
    return presentKey(links, await change((tx) => addKey(tx, action, body)));
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
    await change((tx, { key }) => deleteKey(tx, action, key));
  },
});
