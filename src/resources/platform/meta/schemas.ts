import { type Static, Type } from 'typebox';
import { each } from '#lib/shape.ts';

/** A page, not an address of the API. */
export const pageOfAuthorizations = '/settings/connections/applications{/client_id}';

/** The fields of the root resource, each with its address: a URI template below the API's own address. */
export const rootPaths = {
  current_user_url: '/user',
  current_user_authorizations_html_url: pageOfAuthorizations,
  authorizations_url: '/authorizations',
  code_search_url: '/search/code?q={query}{&page,per_page,sort,order}',
  commit_search_url: '/search/commits?q={query}{&page,per_page,sort,order}',
  emails_url: '/user/emails',
  emojis_url: '/emojis',
  events_url: '/events',
  feeds_url: '/feeds',
  followers_url: '/user/followers',
  following_url: '/user/following{/target}',
  gists_url: '/gists{/gist_id}',
  hub_url: '/hub',
  issue_search_url: '/search/issues?q={query}{&page,per_page,sort,order}',
  issues_url: '/issues',
  keys_url: '/user/keys',
  label_search_url: '/search/labels?q={query}&repository_id={repository_id}{&page,per_page}',
  notifications_url: '/notifications',
  organization_url: '/orgs/{org}',
  organization_repositories_url: '/orgs/{org}/repos{?type,page,per_page,sort}',
  organization_teams_url: '/orgs/{org}/teams',
  public_gists_url: '/gists/public',
  rate_limit_url: '/rate_limit',
  repository_url: '/repos/{owner}/{repo}',
  repository_search_url: '/search/repositories?q={query}{&page,per_page,sort,order}',
  current_user_repositories_url: '/user/repos{?type,page,per_page,sort}',
  starred_url: '/user/starred{/owner}{/repo}',
  starred_gists_url: '/gists/starred',
  topic_search_url: '/search/topics?q={query}{&page,per_page}',
  user_url: '/users/{user}',
  user_organizations_url: '/user/orgs',
  user_repositories_url: '/users/{user}/repos{?type,page,per_page,sort}',
  user_search_url: '/search/users?q={query}{&page,per_page,sort,order}',
} as const;

export type RootField = keyof typeof rootPaths;
export const rootFields = Object.keys(rootPaths) as RootField[]; // the keys of the table above

export const Root = Type.Object(each(rootFields, Type.String()));

export const Meta = Type.Object({
  verifiable_password_authentication: Type.Boolean(),
  installed_version: Type.String(),
  /** The server's SSH host keys, and their fingerprints. Missing if SSH isn't enabled. */
  ssh_keys: Type.Optional(Type.Array(Type.String())),
  ssh_key_fingerprints: Type.Optional(
    Type.Object(each(['SHA256_RSA', 'SHA256_ECDSA', 'SHA256_ED25519'], Type.Optional(Type.String()))),
  ),
});
export type Meta = Static<typeof Meta>;

const Limit = Type.Object(each(['limit', 'remaining', 'reset', 'used'], Type.Integer()));

export const RateLimits = Type.Object({
  resources: Type.Object(each(['core', 'search', 'code_search', 'semantic_search'], Limit)),
  rate: Limit,
});
export type RateLimits = Static<typeof RateLimits>;
