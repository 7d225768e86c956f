import type { Permission } from './permissions.ts';
import type { OrgRole, Role, SecurityManager } from './roles.ts';
import type { Scope } from './scopes.ts';
import type { AcceptedCredential } from './tokens.ts';

/**
 * Why an endpoint needs no permission of document 3:
 * - own_account: it concerns the signed-in account itself, and shows no more than that account may see;
 * - signed_in: any token is accepted, and the reply holds only what the token reaches;
 * - public: anybody may call it, signed in or not;
 * - app_jwt: an app authenticates as itself with its JSON web token;
 * - client_secret: an app authenticates with client id and secret (Basic);
 * - scoped_token: only tokens with scopes are accepted, which have no permissions;
 * - token_exchange: the request holds a secret code, which the endpoint checks;
 * - site_admin: the administrator of the installation, with a classic token of the scope `site_admin`, or a session that was
 *   begun or confirmed lately.
 */
const noPermissionReasons = [
  'own_account',
  'signed_in',
  'public',
  'app_jwt',
  'client_secret',
  'scoped_token',
  'token_exchange',
  'site_admin',
] as const;
export type NoPermissionReason = (typeof noPermissionReasons)[number];

type PermissionRule =
  | Permission
  | { readonly anyOf: readonly Permission[] }
  | { readonly allOf: readonly Permission[] }
  | { readonly none: NoPermissionReason };

/** What an endpoint requires of its caller. The decision between 401, 403 and 404 follows from this alone. */
export type Policy = {
  /** The permissions that a fine-grained token, an installation or an app's user token must have. */
  readonly permission: PermissionRule;
  /**
   * A classic or OAuth token needs one of these; for a public repository, `public_repo` counts as `repo`. Omitted: none is
   * needed.
   */
  readonly scopes?: readonly Scope[];
  /** A classic or OAuth token needs all of these too. */
  readonly alsoScopes?: readonly Scope[];
  /** The kinds of tokens that are accepted, and whether sessions of browsers are. Omitted: every kind. */
  readonly credentials?: readonly AcceptedCredential[];
  /** The role that the caller needs in the repository of the path. If the path names none, the role in its organization. */
  readonly role?: Role | OrgRole;
  /**
   * A role that is enough in place of `role`. It is held in the organization of the path, or in the one that owns the repository
   * of the path.
   */
  readonly orRole?: SecurityManager;
  /** Set if anybody, signed in or not, may read a public resource. */
  readonly public?: true;
  /** Set if the change is also allowed in an archived repository, such as deleting or unarchiving it. */
  readonly archived?: 'allowed';
  /** Set if the change is an interaction: the limits of the repository and its owner apply. */
  readonly interaction?: true;
  /**
   * Set if the endpoint is also open to people whom an open pull request allows to modify its branch in a fork
   * (`maintainer_can_modify`). The rule checks which branch they move.
   */
  readonly heads?: 'modifiable';
  /**
   * Set if the change is also possible in a repository that is locked for a migration: it ends the lock, or doesn't change the
   * repository.
   */
  readonly locked?: 'allowed';
};

/** A rule as a list of alternatives: the caller needs all permissions of at least one of them. */
export function alternatives(rule: PermissionRule): readonly (readonly Permission[])[] {
  if (typeof rule === 'string') return [[rule]];
  if ('anyOf' in rule) return rule.anyOf.map((permission) => [permission]);
  if ('allOf' in rule) return [rule.allOf];
  return [];
}

/** The required role as text, for example `admin or security_manager`; empty if none is required. */
export const acceptedRoles = ({ role, orRole }: Policy): string => [role, orRole].filter((one) => one !== undefined).join(' or ');

/** The value of `X-Accepted-OAuth-Scopes`. */
export const acceptedScopes = ({ scopes = [], alsoScopes = [] }: Policy): string => [...scopes, ...alsoScopes].join(', ');

/** The value of `X-Accepted-Service-Permissions`: alternatives are separated by `; `, permissions needed together by `, `. */
export const acceptedPermissions = (rule: PermissionRule, word: (name: string) => string = (name) => name): string =>
  alternatives(rule)
    .map((all) => all.map((permission) => permission.replace(/^(.*):/, (_, name: string) => `${word(name)}=`)).join(', '))
    .join('; ');
