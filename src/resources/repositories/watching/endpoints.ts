import { Type } from 'typebox';
import { readsMetadata } from '#access/policies.ts';
import { userCredentials } from '#access/tokens.ts';
import { mapEach, mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { orNotFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { presentUser, User } from '#resources/identity/accounts/index.ts';
import { MinimalRepository, presentRepositories } from '#resources/repositories/repositories/index.ts';
import { presentWatch } from './present.ts';
import { changeWatch, stopWatching } from './rules.ts';
import { RepositorySubscription, WantedSubscription } from './schemas.ts';
import { findWatch, listWatched, listWatchers } from './store.ts';

/**
 * The caller's own subscriptions. The documents name no permission for them, so they require tokens with scopes. They don't
 * change the repository, which may be archived.
 */
const ownWatch = {
  permission: { none: 'own_account' },
  credentials: ['classic_pat', 'oauth_app', 'session'],
  scopes: ['notifications', 'repo'],
  role: 'read',
  archived: 'allowed',
} as const;

export const getRepoSubscription = endpoint({
  id: 'activity/get-repo-subscription',
  method: 'GET',
  path: '/repos/{owner}/{repo}/subscription',
  summary: 'Get a repository subscription',
  access: ownWatch,
  replies: { 200: RepositorySubscription },
  async handle({ db, at, viewer, links, now }) {
    const watch = orNotFound(await findWatch(db, at.repo.id, viewer.account.id));
    return presentWatch(links, at.repo, watch, now);
  },
});

export const setRepoSubscription = endpoint({
  id: 'activity/set-repo-subscription',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/subscription',
  summary: 'Set a repository subscription',
  access: ownWatch,
  body: WantedSubscription,
  example: { subscribed: true },
  replies: { 200: RepositorySubscription },
  async handle({ change, at, body, action, links, now }) {
    const watch = await change((scope) => changeWatch(scope, action, body));
    return presentWatch(links, at.repo, watch, now);
  },
});

export const deleteRepoSubscription = endpoint({
  id: 'activity/delete-repo-subscription',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/subscription',
  summary: 'Delete a repository subscription',
  access: ownWatch,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => stopWatching(scope, action));
  },
});

export const listRepoSubscribers = endpoint({
  id: 'activity/list-watchers-for-repo',
  method: 'GET',
  path: '/repos/{owner}/{repo}/subscribers',
  summary: 'List watchers',
  access: readsMetadata,
  paging: pages(),
  replies: { 200: Type.Array(User) },
  async handle({ db, at, viewer, page, links }) {
    return mapEach(await listWatchers(db, viewer, at.repo, page), (account) => presentUser(links, account));
  },
});

export const listOwnSubscriptions = endpoint({
  id: 'activity/list-watched-repos-for-authenticated-user',
  method: 'GET',
  path: '/user/subscriptions',
  summary: 'List repositories watched by the authenticated user',
  access: { permission: 'metadata:read', credentials: userCredentials },
  paging: pages(),
  replies: { 200: Type.Array(MinimalRepository) },
  async handle({ scope, db, page, viewer }) {
    const found = await listWatched(db, viewer, viewer.account.id, page);
    return mapRows(found, (rows) => presentRepositories(scope, rows));
  },
});

export const listUserSubscriptions = endpoint({
  id: 'activity/list-repos-watched-by-user',
  method: 'GET',
  path: '/users/{username}/subscriptions',
  summary: 'List repositories watched by a user',
  access: { permission: { none: 'public' } },
  paging: pages(),
  replies: { 200: Type.Array(MinimalRepository) },
  async handle({ scope, db, at, page, viewer }) {
    const found = await listWatched(db, viewer, at.user.id, page);
    return mapRows(found, (rows) => presentRepositories(scope, rows));
  },
});
