import type { Selectable } from 'kysely';
import type { Static } from 'typebox';
import type { Account, Viewer } from '#access/viewer.ts';
import type { DB } from '#database/tables.ts';
import { type Links, path, perObject } from '#endpoint/links.ts';
import { nodeId } from '#lib/id.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import type { EmailRow } from './email-store.ts';
import type { Email, OrganizationSimple, PrivateUser, PublicKey, PublicUser, User } from './schemas.ts';
import type { AccountCounts } from './store.ts';

const types = { user: 'User', organization: 'Organization', bot: 'Bot', deleted: 'Organization' } as const;

/** The user object that replies embed for an account. */
export const presentUser = perObject((links: Links, account: Account): Readonly<User> => {
  const url = path(`${links.api}/users`, account.login);
  return {
    login: account.login,
    id: account.id,
    node_id: nodeId(types[account.kind], account.id),
    avatar_url: `${links.html}/avatars/u/${account.id}`,
    gravatar_id: '',
    url,
    html_url: path(links.html, account.login),
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: types[account.kind],
    user_view_type: 'public',
    site_admin: account.site_admin,
  };
});

export const presentUserOrNull = (links: Links, account: Account | undefined): Readonly<User> | null =>
  account ? presentUser(links, account) : null;

const presentPublicUser = (links: Links, account: Account, counts: AccountCounts): Static<typeof PublicUser> => ({
  ...presentUser(links, account),
  name: account.name,
  company: account.company,
  blog: account.blog,
  location: account.location,
  email: account.email,
  hireable: account.hireable,
  bio: account.bio,
  twitter_username: account.twitter_username,
  public_repos: counts.public_repos,
  public_gists: 0,
  followers: 0,
  following: 0,
  created_at: timestamp(account.created_at),
  updated_at: timestamp(account.updated_at),
});

/** The profile of an account. As in the public API, its e-mail address is shown to signed-in viewers. */
export function presentProfile(
  { links, viewer }: { links: Links; viewer: Viewer },
  account: Account,
  counts: AccountCounts,
): Static<typeof PublicUser> {
  const user = presentPublicUser(links, account, counts);
  return viewer.grant.kind === 'none' ? { ...user, email: null } : user;
}

export const presentPrivateUser = (links: Links, account: Account, counts: AccountCounts): Static<typeof PrivateUser> => ({
  ...presentPublicUser(links, account, counts),
  user_view_type: 'private',
  private_gists: 0,
  total_private_repos: counts.private_repos,
  owned_private_repos: counts.private_repos,
  disk_usage: counts.disk_kb,
  collaborators: counts.collaborators,
  two_factor_authentication: false,
});

export const presentKey = (links: Links, key: Selectable<DB['public_keys']>): Static<typeof PublicKey> => ({
  id: key.id,
  key: key.key,
  title: key.title,
  url: `${links.api}/user/keys/${key.id}`,
  verified: true,
  read_only: false,
  created_at: timestamp(key.created_at),
  last_used: timestampOrNull(key.last_used_at),
});

/** An address of an account. It is visible to others if the profile shows it. */
export const presentEmail = ({ email, is_primary, verified_at }: EmailRow, account: Account): Email => ({
  email,
  primary: is_primary,
  verified: verified_at !== null,
  visibility: account.email === email ? 'public' : is_primary ? 'private' : null,
});

/** An organization in lists and inside other objects. */
export function presentOrganization(links: Links, account: Account, description: string | null): OrganizationSimple {
  const url = path(`${links.api}/orgs`, account.login);
  return {
    login: account.login,
    id: account.id,
    node_id: nodeId('Organization', account.id),
    url,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    hooks_url: `${url}/hooks`,
    issues_url: `${url}/issues`,
    members_url: `${url}/members{/member}`,
    public_members_url: `${url}/public_members{/member}`,
    avatar_url: `${links.html}/avatars/u/${account.id}`,
    description,
  };
}
