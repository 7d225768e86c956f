// The lists of repositories: of an organization, of a user, and of the caller.
import { Type } from 'typebox';
import { userCredentials } from '#access/tokens.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages, pagesSince } from '#endpoint/paging.ts';
import { unprocessable } from '#lib/refusal.ts';
import { OneOf, Timestamp, withDefault } from '#lib/shape.ts';
import { presentRepositories } from '../present.ts';
import { ListOrder, MinimalRepository } from '../schemas.ts';
import { type Affiliation, listAffiliated, listContributed, listOwned, listPublic, type Order, type Sort } from '../store.ts';

/** By default, lists by name are ascending and lists by time descending. */
const orderOf = (sort: Sort, direction: 'asc' | 'desc' | undefined): Order => ({
  sort,
  direction: direction ?? (sort === 'full_name' ? 'asc' : 'desc'),
});

export const listPublicRepositories = endpoint({
  id: 'repos/list-public',
  method: 'GET',
  path: '/repositories',
  summary: 'List public repositories',
  access: { permission: { none: 'public' } },
  paging: pagesSince({ defaultLimit: 100 }), // the public API's
  replies: { 200: Type.Array(MinimalRepository) },
  async handle({ scope, db, page }) {
    const { rows, next } = await listPublic(db, page);
    return { rows: await presentRepositories(scope, rows), next };
  },
});

export const listOrgRepositories = endpoint({
  id: 'repos/list-for-org',
  method: 'GET',
  path: '/orgs/{org}/repos',
  summary: 'List organization repositories',
  access: { permission: 'metadata:read', public: true },
  query: Type.Object({
    ...ListOrder,
    type: withDefault(OneOf(['all', 'public', 'private', 'forks', 'sources', 'member', 'internal']), 'all'),
  }),
  paging: pages(),
  replies: { 200: Type.Array(MinimalRepository) },
  async handle({ scope, db, at, query, page, viewer }) {
    const order = orderOf(query.sort ?? 'created', query.direction);
    const found = await listOwned(db, viewer, { owner: at.org.id, kind: query.type, order, page });
    return mapRows(found, (rows) => presentRepositories(scope, rows));
  },
});

export const listUserRepositories = endpoint({
  id: 'repos/list-for-user',
  method: 'GET',
  path: '/users/{username}/repos',
  summary: 'List repositories for a user',
  access: { permission: { none: 'public' } },
  query: Type.Object({ ...ListOrder, type: withDefault(OneOf(['all', 'owner', 'member']), 'owner') }),
  paging: pages(),
  replies: { 200: Type.Array(MinimalRepository) },
  async handle({ scope, db, at, query, page, viewer }) {
    const wanted = { owner: at.user.id, kind: query.type, order: orderOf(query.sort ?? 'full_name', query.direction), page };
    const found = await (query.type === 'member' ? listContributed(db, viewer, wanted) : listOwned(db, viewer, wanted));
    return mapRows(found, (rows) => presentRepositories(scope, rows));
  },
});

const affiliations = ['owner', 'collaborator', 'organization_member'] as const;

export const listOwnRepositories = endpoint({
  id: 'repos/list-for-authenticated-user',
  method: 'GET',
  path: '/user/repos',
  summary: 'List repositories for the authenticated user',
  access: { permission: 'metadata:read', credentials: userCredentials },
  query: Type.Object({
    ...ListOrder,
    visibility: Type.Optional(OneOf(['all', 'public', 'private'])),
    affiliation: Type.Optional(
      Type.String({ pattern: '^(owner|collaborator|organization_member)(,(owner|collaborator|organization_member))*$' }),
    ),
    type: Type.Optional(OneOf(['all', 'owner', 'public', 'private', 'member'])),
    since: Type.Optional(Timestamp),
    before: Type.Optional(Timestamp),
  }),
  paging: pages(),
  replies: { 200: Type.Array(MinimalRepository) },
  async handle({ scope, db, query, page, viewer }) {
    if (query.type && (query.visibility || query.affiliation))
      throw unprocessable('If you specify visibility or affiliation, you cannot specify type.');
    const found = await listAffiliated(db, viewer, {
      affiliations: affiliationsOf(query.affiliation, query.type),
      visibility: query.type === 'public' || query.type === 'private' ? query.type : (query.visibility ?? 'all'),
      since: query.since ? new Date(query.since) : undefined,
      before: query.before ? new Date(query.before) : undefined,
      order: orderOf(query.sort ?? 'full_name', query.direction),
      page,
    });
    return mapRows(found, (rows) => presentRepositories(scope, rows));
  },
});

function affiliationsOf(named: string | undefined, type: string | undefined): Affiliation[] {
  if (named) return affiliations.filter((affiliation) => named.split(',').includes(affiliation));
  if (type === 'owner') return ['owner'];
  if (type === 'member') return ['collaborator', 'organization_member'];
  return [...affiliations];
}
