// The authenticated user, and profiles.
import { Type } from 'typebox';
import { userCredentials } from '#access/tokens.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pagesSince } from '#endpoint/paging.ts';
import { accountById, ownCounts } from '../path-resources.ts';
import { presentPrivateUser, presentProfile, presentUser } from '../present.ts';
import { changeProfile } from '../rules.ts';
import { PrivateUser, ProfileChange, PublicUser, User } from '../schemas.ts';
import { countRepositories, listAccounts } from '../store.ts';

export const getAuthenticatedUser = endpoint({
  id: 'users/get-authenticated',
  method: 'GET',
  path: '/user',
  summary: 'Get the authenticated user',
  resources: [ownCounts],
  access: { permission: { none: 'own_account' }, credentials: userCredentials },
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
  access: { permission: 'profile:write', scopes: ['user'], credentials: userCredentials },
  body: ProfileChange,
  example: { bio: 'Works on engines' },
  replies: { 200: PrivateUser },
  async handle({ db, change, body, action, links }) {
    const account = await change((scope) => changeProfile(scope, action, body));
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
  async handle({ db, at, viewer, links }) {
    return presentProfile({ links, viewer }, at.user, await countRepositories(db, at.user.id));
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
  async handle({ db, at, viewer, links }) {
    return presentProfile({ links, viewer }, at.account, await countRepositories(db, at.account.id));
  },
});
