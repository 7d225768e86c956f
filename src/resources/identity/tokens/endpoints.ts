// One's own tokens, for pages: no credential of the API may list them.
import { type Static, Type } from 'typebox';
import type { PermissionSet } from '#access/permissions.ts';
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { listOwnTokens as list, type OwnTokenRow } from './own-store.ts';
import { Permissions } from './schemas.ts';

/** A personal access token without its value. */
const OwnToken = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  type: OneOf(['classic', 'fine-grained']),
  scopes: Type.Array(Type.String()),
  permissions: Permissions,
  /** The login of the owner that a fine-grained token is for. */
  owner: Nullable(Type.String()),
  repository_selection: Nullable(OneOf(['all', 'selected', 'public'])),
  access: Nullable(OneOf(['granted', 'pending', 'denied', 'revoked'])),
  created_at: Timestamp,
  expires_at: Nullable(Timestamp),
  last_used_at: Nullable(Timestamp),
});

const presentOwnToken = ({ kind, permissions, ...token }: OwnTokenRow): Static<typeof OwnToken> => ({
  ...token,
  type: kind === 'classic_pat' ? 'classic' : 'fine-grained',
  permissions: permissions as PermissionSet, // checkPermissions has validated it
  created_at: timestamp(token.created_at),
  expires_at: timestampOrNull(token.expires_at),
  last_used_at: timestampOrNull(token.last_used_at),
});

export const listOwnTokens = endpoint({
  id: 'tokens/list-own',
  method: 'GET',
  path: '/user/tokens',
  summary: 'List the personal access tokens of the authenticated user',
  access: { permission: { none: 'own_account' }, credentials: ['session'] },
  paging: pages(),
  replies: { 200: Type.Array(OwnToken) },
  async handle({ db, viewer, page }) {
    return mapEach(await list(db, viewer.account.id, page), presentOwnToken);
  },
});
