// Fine-grained tokens of an organization: requests for its approval, and approved tokens. As in the public API, only apps may
// use these endpoints.
import { Type } from 'typebox';
import type { OrganizationAction } from '#access/action.ts';
import { isPermissionName, levelsOf, type Permission } from '#access/permissions.ts';
import type { Policy } from '#access/policy.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { asId } from '#lib/id.ts';
import { invalid } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import {
  type TokenFilter as Filter,
  listGrantedRepositories,
  listRequestedRepositories,
  listTokenGrants,
  listTokenRequests,
  reviewTokenRequests,
  revokeTokenGrants,
} from '#resources/identity/tokens/index.ts';
import { MinimalRepository, presentRepositories } from '#resources/repositories/repositories/index.ts';
import { neutralPermission } from '#vocabulary/headers.ts';
import { tokenGrant, tokenRequest } from './path-resources.ts';
import { presentTokenGrants, presentTokenRequests } from './present.ts';
import {
  TokenFilter,
  TokenGrant,
  TokenGrantRequest,
  TokenReview,
  TokenReviews,
  TokenRevocation,
  TokenRevocations,
} from './schemas.ts';

const reviewerOf = ({ org, by, now }: OrganizationAction) => ({ org, by: by.account.id, now });

const byApps = { credentials: ['app_user', 'installation', 'session'], role: 'owner' } as const;
const readsRequests = { ...byApps, permission: 'organization_personal_access_token_requests:read' } as const satisfies Policy;
const writesRequests = { ...byApps, permission: 'organization_personal_access_token_requests:write' } as const satisfies Policy;
const readsGrants = { ...byApps, permission: 'organization_personal_access_tokens:read' } as const satisfies Policy;
const writesGrants = { ...byApps, permission: 'organization_personal_access_tokens:write' } as const satisfies Policy;

function filterOf({ owner, repository, permission, last_used_before, last_used_after, token_id }: TokenFilter): Filter {
  return {
    owners: owner && itemsOf('owner', owner, 10),
    repository,
    permission: permission === undefined ? undefined : permissionNamed(permission),
    usedBefore: last_used_before === undefined ? undefined : new Date(last_used_before),
    usedAfter: last_used_after === undefined ? undefined : new Date(last_used_after),
    tokens: token_id && itemsOf('token_id', token_id, 50).map(tokenIdOf),
  };
}

/** The items of a list, which clients repeat or separate by commas. */
function itemsOf(field: string, texts: readonly string[], max: number): string[] {
  const items = texts.flatMap((text) => text.split(','));
  if (items.length > max) throw invalid('PersonalAccessToken', field, 'invalid', `${field} can have at most ${max} items`);
  return items;
}

function tokenIdOf(text: string) {
  if (!/^\d{1,15}$/.test(text)) throw invalid('PersonalAccessToken', 'token_id', 'invalid', `'${text}' is not the id of a token`);
  return asId<'tokens'>(Number(text));
}

/** A permission with its level, in the public API's form: `issues_read`. */
function permissionNamed(text: string): Permission {
  const [, word = '', level] = /^(.+)_([a-z]+)$/.exec(text) ?? [];
  const name = neutralPermission(word);
  const known = isPermissionName(name) ? levelsOf(name).find((one) => one === level) : undefined;
  if (!known)
    throw invalid('PersonalAccessToken', 'permission', 'invalid', `'${text}' is not a permission with its level, as issues_read`);
  return `${name}:${known}` as Permission; // the level is one of the permission's
}

export const listRequests = endpoint({
  id: 'orgs/list-pat-grant-requests',
  method: 'GET',
  path: '/orgs/{org}/personal-access-token-requests',
  summary: 'List requests to access organization resources with fine-grained personal access tokens',
  access: readsRequests,
  query: TokenFilter,
  paging: pages(),
  replies: { 200: Type.Array(TokenGrantRequest) },
  async handle({ scope, db, at: { org }, query, page }) {
    const found = await listTokenRequests(db, org.id, { filter: filterOf(query), direction: query.direction, page });
    return mapRows(found, (rows) => presentTokenRequests(scope, org, rows));
  },
});

export const reviewRequests = endpoint({
  id: 'orgs/review-pat-grant-requests-in-bulk',
  method: 'POST',
  path: '/orgs/{org}/personal-access-token-requests',
  summary: 'Review requests to access organization resources with fine-grained personal access tokens',
  access: writesRequests,
  body: TokenReviews,
  example: { pat_request_ids: [42], action: 'approve' },
  replies: { 202: Type.Object({}) },
  async handle({ change, body: { pat_request_ids, action: verdict }, action }) {
    if (pat_request_ids === undefined) throw invalid('PersonalAccessTokenRequest', 'pat_request_ids', 'missing_field');
    await change((scope) => reviewTokenRequests(scope, reviewerOf(action), { ids: pat_request_ids, action: verdict }));
    return {};
  },
});

export const reviewRequest = endpoint({
  id: 'orgs/review-pat-grant-request',
  method: 'POST',
  path: '/orgs/{org}/personal-access-token-requests/{pat_request_id}',
  resources: [tokenRequest],
  summary: 'Review a request to access organization resources with a fine-grained personal access token',
  access: writesRequests,
  body: TokenReview,
  example: { action: 'deny', reason: 'Ask for reading alone' },
  replies: { 204: Nothing },
  async handle({ change, at, body, action }) {
    await change((scope) => reviewTokenRequests(scope, reviewerOf(action), { ids: at.tokenRequest.id, action: body.action }));
  },
});

export const listRequestRepositories = endpoint({
  id: 'orgs/list-pat-grant-request-repositories',
  method: 'GET',
  path: '/orgs/{org}/personal-access-token-requests/{pat_request_id}/repositories',
  resources: [tokenRequest],
  summary: 'List repositories requested to be accessed by a fine-grained personal access token',
  access: readsRequests,
  paging: pages(),
  replies: { 200: Type.Array(MinimalRepository) },
  async handle({ scope, db, at, page }) {
    const found = await listRequestedRepositories(db, at.org.id, at.tokenRequest, page);
    return mapRows(found, (rows) => presentRepositories(scope, rows));
  },
});

export const listGrants = endpoint({
  id: 'orgs/list-pat-grants',
  method: 'GET',
  path: '/orgs/{org}/personal-access-tokens',
  summary: 'List fine-grained personal access tokens with access to organization resources',
  access: readsGrants,
  query: TokenFilter,
  paging: pages(),
  replies: { 200: Type.Array(TokenGrant) },
  async handle({ scope, db, at: { org }, query, page }) {
    const found = await listTokenGrants(db, org.id, { filter: filterOf(query), direction: query.direction, page });
    return mapRows(found, (rows) => presentTokenGrants(scope, org, rows));
  },
});

export const revokeGrants = endpoint({
  id: 'orgs/update-pat-accesses',
  method: 'POST',
  path: '/orgs/{org}/personal-access-tokens',
  summary: 'Update the access to organization resources via fine-grained personal access tokens',
  access: writesGrants,
  body: TokenRevocations,
  example: { action: 'revoke', pat_ids: [42] },
  replies: { 202: Type.Object({}) },
  async handle({ change, body, action }) {
    await change((scope) => revokeTokenGrants(scope, reviewerOf(action), body.pat_ids));
    return {};
  },
});

export const revokeGrant = endpoint({
  id: 'orgs/update-pat-access',
  method: 'POST',
  path: '/orgs/{org}/personal-access-tokens/{pat_id}',
  resources: [tokenGrant],
  summary: 'Update the access a fine-grained personal access token has to organization resources',
  access: writesGrants,
  body: TokenRevocation,
  example: { action: 'revoke' },
  replies: { 204: Nothing },
  async handle({ change, at, action }) {
    await change((scope) => revokeTokenGrants(scope, reviewerOf(action), at.tokenGrant.id));
  },
});

export const listGrantRepositories = endpoint({
  id: 'orgs/list-pat-grant-repositories',
  method: 'GET',
  path: '/orgs/{org}/personal-access-tokens/{pat_id}/repositories',
  resources: [tokenGrant],
  summary: 'List repositories a fine-grained personal access token has access to',
  access: readsGrants,
  paging: pages(),
  replies: { 200: Type.Array(MinimalRepository) },
  async handle({ scope, db, at, page }) {
    const found = await listGrantedRepositories(db, at.org.id, at.tokenGrant, page);
    return mapRows(found, (rows) => presentRepositories(scope, rows));
  },
});
