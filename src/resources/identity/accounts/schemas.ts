import { type Static, Type } from 'typebox';
import { emailPattern } from '#lib/email.ts';
import { each, Nullable, OneOf, Timestamp } from '#lib/shape.ts';

const links = [
  'avatar_url',
  'url',
  'html_url',
  'followers_url',
  'following_url',
  'gists_url',
  'starred_url',
  'subscriptions_url',
  'organizations_url',
  'repos_url',
  'events_url',
  'received_events_url',
] as const;

/** The user object that is embedded everywhere. */
export const User = Type.Object({
  login: Type.String(),
  id: Type.Integer(),
  node_id: Type.String(),
  gravatar_id: Nullable(Type.String()),
  ...each(links, Type.String()),
  type: OneOf(['User', 'Organization', 'Bot']),
  user_view_type: Type.String(),
  site_admin: Type.Boolean(),
});
export type User = Static<typeof User>;

const profile = {
  name: Nullable(Type.String()),
  company: Nullable(Type.String()),
  blog: Nullable(Type.String()),
  location: Nullable(Type.String()),
  email: Nullable(Type.String()),
  hireable: Nullable(Type.Boolean()),
  bio: Nullable(Type.String()),
  twitter_username: Nullable(Type.String()),
};

export const PublicUser = Type.Object({
  ...User.properties,
  ...profile,
  ...each(['public_repos', 'public_gists', 'followers', 'following'], Type.Integer()),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const PrivateUser = Type.Object({
  ...PublicUser.properties,
  ...each(['private_gists', 'total_private_repos', 'owned_private_repos', 'disk_usage', 'collaborators'], Type.Integer()),
  two_factor_authentication: Type.Boolean(),
});

export const ProfileChange = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 255 })),
    email: Type.Optional(Type.String({ maxLength: 255, format: 'email' })),
    blog: Type.Optional(Type.String({ maxLength: 255 })),
    twitter_username: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
    company: Type.Optional(Type.String({ maxLength: 255 })),
    location: Type.Optional(Type.String({ maxLength: 255 })),
    hireable: Type.Optional(Type.Boolean()),
    bio: Type.Optional(Type.String({ maxLength: 1024 })),
  },
  { title: 'User' },
);

export const PublicKey = Type.Object({
  id: Type.Integer(),
  key: Type.String(),
  title: Type.String(),
  url: Type.String(),
  verified: Type.Boolean(),
  read_only: Type.Boolean(),
  created_at: Timestamp,
  last_used: Nullable(Timestamp),
});

export const NewPublicKey = Type.Object(
  { title: Type.Optional(Type.String({ maxLength: 255 })), key: Type.String({ minLength: 1, maxLength: 16_384 }) },
  { title: 'PublicKey' },
);

/** An e-mail address of the authenticated user. */
export const Email = Type.Object({
  email: Type.String(),
  primary: Type.Boolean(),
  verified: Type.Boolean(),
  visibility: Nullable(Type.String()),
});
export type Email = Static<typeof Email>;

const Address = Type.String({ maxLength: 254, pattern: emailPattern });
const Addresses = Type.Array(Address, { minItems: 1, maxItems: 50 });

/** Addresses. Clients also send a bare list. */
export const SomeEmails = Type.Union([Type.Object({ emails: Addresses }), Addresses], { title: 'UserEmail' });
export type SomeEmails = Static<typeof SomeEmails>;

export const EmailVisibility = Type.Object({ visibility: OneOf(['public', 'private']) }, { title: 'UserEmail' });

/** An organization in a list. */
export const OrganizationSimple = Type.Object({
  login: Type.String(),
  id: Type.Integer(),
  node_id: Type.String(),
  ...each(
    ['url', 'repos_url', 'events_url', 'hooks_url', 'issues_url', 'members_url', 'public_members_url', 'avatar_url'],
    Type.String(),
  ),
  description: Nullable(Type.String()),
});
export type OrganizationSimple = Static<typeof OrganizationSimple>;
