import { type Static, Type } from 'typebox';
import { maxId } from '#lib/id.ts';
import { Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { Permissions } from '#resources/identity/tokens/index.ts';
import { MinimalRepository } from '#resources/repositories/repositories/index.ts';

export const App = Type.Object({
  id: Type.Integer(),
  slug: Type.String(),
  node_id: Type.String(),
  client_id: Type.String(),
  owner: User,
  name: Type.String(),
  description: Nullable(Type.String()),
  external_url: Type.String(),
  html_url: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  permissions: Permissions,
  events: Type.Array(Type.String()),
  installations_count: Type.Optional(Type.Integer()),
});
export type App = Static<typeof App>;

/** An app that was just created from a manifest. Its secrets are never shown again. */
export const ConvertedApp = Type.Object({
  ...App.properties,
  client_secret: Type.String(),
  webhook_secret: Nullable(Type.String()),
  pem: Type.String(),
});

export const Installation = Type.Object({
  id: Type.Integer(),
  account: Nullable(User),
  repository_selection: OneOf(['all', 'selected']),
  access_tokens_url: Type.String(),
  repositories_url: Type.String(),
  html_url: Type.String(),
  app_id: Type.Integer(),
  client_id: Type.String(),
  app_slug: Type.String(),
  target_id: Type.Integer(),
  target_type: OneOf(['User', 'Organization']),
  permissions: Permissions,
  events: Type.Array(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
  single_file_name: Type.Null(),
  has_multiple_single_files: Type.Boolean(),
  single_file_paths: Type.Array(Type.String()),
  suspended_by: Nullable(User),
  suspended_at: Nullable(Timestamp),
});
export type Installation = Static<typeof Installation>;

export const InstallationToken = Type.Object({
  token: Type.String(),
  expires_at: Timestamp,
  permissions: Permissions,
  repository_selection: OneOf(['all', 'selected']),
  repositories: Type.Optional(Type.Array(MinimalRepository)),
});

/** The repositories and permissions that an installation token may be limited to. */
export const TokenRequest = Type.Object(
  {
    repositories: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 500 })),
    repository_ids: Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: maxId }), { maxItems: 500 })),
    permissions: Type.Optional(Permissions),
  },
  { title: 'Installation' },
);
export type TokenRequest = Static<typeof TokenRequest>;

export const TokenBody = Type.Object({ access_token: Type.String({ minLength: 1, maxLength: 255 }) }, { title: 'OauthAccess' });

/** A user's token, in replies to the app that it was issued to. */
export const Authorization = Type.Object({
  id: Type.Integer(),
  url: Type.String(),
  scopes: Nullable(Type.Array(Type.String())),
  token: Type.String(),
  token_last_eight: Nullable(Type.String()),
  hashed_token: Nullable(Type.String()),
  app: Type.Object({ client_id: Type.String(), name: Type.String(), url: Type.String() }),
  note: Nullable(Type.String()),
  note_url: Nullable(Type.String()),
  updated_at: Timestamp,
  created_at: Timestamp,
  fingerprint: Nullable(Type.String()),
  expires_at: Nullable(Timestamp),
  user: Nullable(User),
});
export type Authorization = Static<typeof Authorization>;
