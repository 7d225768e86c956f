import { type Static, Type } from 'typebox';
import { maxId } from '#lib/id.ts';
import { Nullable, OneOf, Timestamp, withDefault } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { PermissionsByScope } from '#resources/identity/tokens/index.ts';

const ofToken = {
  token_id: Type.Integer(),
  token_name: Type.String(),
  token_expired: Type.Boolean(),
  token_expires_at: Nullable(Timestamp),
  token_last_used_at: Nullable(Timestamp),
};

const common = {
  id: Type.Integer(),
  owner: User,
  repository_selection: OneOf(['none', 'all', 'subset']),
  repositories_url: Type.String(),
  permissions: PermissionsByScope,
};

/** A fine-grained token's request for access to an organization. */
export const TokenGrantRequest = Type.Object({
  ...common,
  reason: Nullable(Type.String()),
  created_at: Timestamp,
  ...ofToken,
});
export type TokenGrantRequest = Static<typeof TokenGrantRequest>;

/** The access that an organization granted to a fine-grained token. */
export const TokenGrant = Type.Object({ ...common, access_granted_at: Timestamp, ...ofToken });
export type TokenGrant = Static<typeof TokenGrant>;

/** A request in webhook payloads. */
export const TokenRequestInPayload = Type.Object({
  id: Type.Integer(),
  owner: User,
  permissions_added: PermissionsByScope,
  permissions_upgraded: PermissionsByScope,
  permissions_result: PermissionsByScope,
  repository_selection: OneOf(['none', 'all', 'subset']),
  repository_count: Nullable(Type.Integer()),
  repositories: Nullable(
    Type.Array(
      Type.Object({
        id: Type.Integer(),
        node_id: Type.String(),
        name: Type.String(),
        full_name: Type.String(),
        private: Type.Boolean(),
      }),
    ),
  ),
  created_at: Timestamp,
  ...ofToken,
});

const moment = Type.Optional(Type.String({ format: 'date-time' }));
const id = Type.Integer({ minimum: 1, maximum: maxId });

export const TokenFilter = Type.Object(
  {
    sort: withDefault(OneOf(['created_at']), 'created_at'),
    direction: withDefault(OneOf(['asc', 'desc']), 'desc'),
    owner: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), { maxItems: 10 })),
    repository: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    permission: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    last_used_before: moment,
    last_used_after: moment,
    token_id: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), { maxItems: 50 })),
  },
  { title: 'PersonalAccessToken' },
);
export type TokenFilter = Static<typeof TokenFilter>;

const review = {
  action: OneOf(['approve', 'deny']),
  reason: Type.Optional(Nullable(Type.String({ maxLength: 1024 }))),
};
const ids = Type.Array(id, { minItems: 1, maxItems: 100 });

export const TokenReview = Type.Object(review, { title: 'PersonalAccessTokenRequest' });
export const TokenReviews = Type.Object(
  { ...review, pat_request_ids: Type.Optional(ids) },
  { title: 'PersonalAccessTokenRequest' },
);
export const TokenRevocation = Type.Object({ action: OneOf(['revoke']) }, { title: 'PersonalAccessToken' });
export const TokenRevocations = Type.Object({ action: OneOf(['revoke']), pat_ids: ids }, { title: 'PersonalAccessToken' });
