import { Type } from 'typebox';
import { readsMetadata } from '#access/policies.ts';
import type { Policy } from '#access/policy.ts';
import { userCredentials } from '#access/tokens.ts';
import { mapEach, mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { orNotFound } from '#lib/refusal.ts';
import { Nothing, OneOf, withDefault } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { MinimalRepository } from '#resources/repositories/repositories/index.ts';
import { presentStargazer, presentStarred } from './present.ts';
import { starRepository, unstarRepository } from './rules.ts';
import { Stargazer, StarredRepository } from './schemas.ts';
import { findStar, listStargazers, listStarred } from './store.ts';

/** The caller's own stars. They don't change the repository, which may be archived or locked. */
const ownStar = { credentials: userCredentials, scopes: ['repo'], role: 'read', archived: 'allowed', locked: 'allowed' } as const;
const readsOwnStar = { ...ownStar, permission: 'starring:read' } as const satisfies Policy;
const writesOwnStar = { ...ownStar, permission: 'starring:write' } as const satisfies Policy;

export const checkStar = endpoint({
  id: 'activity/check-repo-is-starred-by-authenticated-user',
  method: 'GET',
  path: '/user/starred/{owner}/{repo}',
  summary: 'Check if a repository is starred by the authenticated user',
  access: readsOwnStar,
  replies: { 204: Nothing },
  async handle({ db, at, viewer }) {
    orNotFound(await findStar(db, at.repo.id, viewer.account.id));
  },
});

export const putStar = endpoint({
  id: 'activity/star-repo-for-authenticated-user',
  method: 'PUT',
  path: '/user/starred/{owner}/{repo}',
  summary: 'Star a repository for the authenticated user',
  access: writesOwnStar,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => starRepository(scope, action));
  },
});

export const deleteStar = endpoint({
  id: 'activity/unstar-repo-for-authenticated-user',
  method: 'DELETE',
  path: '/user/starred/{owner}/{repo}',
  summary: 'Unstar a repository for the authenticated user',
  access: writesOwnStar,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => unstarRepository(scope, action));
  },
});

const order = Type.Object({
  sort: withDefault(OneOf(['created', 'updated']), 'created'),
  direction: withDefault(OneOf(['asc', 'desc']), 'desc'),
});

const StarredRepositories = Type.Array(Type.Union([MinimalRepository, StarredRepository]));

export const listOwnStarred = endpoint({
  id: 'activity/list-repos-starred-by-authenticated-user',
  method: 'GET',
  path: '/user/starred',
  summary: 'List repositories starred by the authenticated user',
  access: { permission: 'starring:read', credentials: userCredentials },
  query: order,
  paging: pages(),
  media: ['star'],
  replies: { 200: StarredRepositories },
  async handle({ scope, db, query, page, media, viewer }) {
    const found = await listStarred(db, viewer, viewer.account.id, query, page);
    return mapRows(found, (rows) => presentStarred(scope, rows, media));
  },
});

export const listUserStarred = endpoint({
  id: 'activity/list-repos-starred-by-user',
  method: 'GET',
  path: '/users/{username}/starred',
  summary: 'List repositories starred by a user',
  access: { permission: { none: 'public' } },
  query: order,
  paging: pages(),
  media: ['star'],
  replies: { 200: StarredRepositories },
  async handle({ scope, db, at, query, page, media, viewer }) {
    const found = await listStarred(db, viewer, at.user.id, query, page);
    return mapRows(found, (rows) => presentStarred(scope, rows, media));
  },
});

export const listRepoStargazers = endpoint({
  id: 'activity/list-stargazers-for-repo',
  method: 'GET',
  path: '/repos/{owner}/{repo}/stargazers',
  summary: 'List stargazers',
  access: readsMetadata,
  paging: pages(),
  media: ['star'],
  replies: { 200: Type.Array(Type.Union([User, Stargazer])) },
  async handle({ db, at, page, media, links }) {
    return mapEach(await listStargazers(db, at.repo, page), (row) => presentStargazer(links, row, media));
  },
});
