import type { Selectable } from 'kysely';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { InteractionLimit, LimitInForce } from './interaction-limits.ts';
import type { PermissionSet } from './permissions.ts';
import type { OrgRole, Role } from './roles.ts';
import type { Scope } from './scopes.ts';
import type { AcceptedCredential, TokenKind } from './tokens.ts';

export type Account = Selectable<DB['accounts']>;
export type RepositoryRow = Selectable<DB['repositories']>;

/** The rights of a credential. The roles of its holder are checked separately. */
export type Grant =
  | { kind: 'none' }
  | { kind: 'classic_pat' | 'oauth_app'; tokenId: Id<'tokens'>; appId?: Id<'apps'>; scopes: readonly string[]; expiresAt?: Date }
  | {
      kind: 'fine_grained_pat';
      tokenId: Id<'tokens'>;
      /** The account that the token was made for; undefined if that account refuses the token. */
      ownerId: Id<'accounts'> | undefined;
      /** Why the account that the token was made for refuses it. */
      withheld?: string;
      selection: 'all' | 'selected' | 'public';
      permissions: PermissionSet;
      expiresAt?: Date;
    }
  | { kind: 'app_user'; tokenId: Id<'tokens'>; appId: Id<'apps'>; permissions: PermissionSet; expiresAt?: Date }
  | {
      kind: 'installation';
      /** Undefined for a built-in app, which acts without a token. */
      tokenId?: Id<'tokens'>;
      appId: Id<'apps'>;
      installationId: Id<'installations'>;
      ownerId: Id<'accounts'>;
      /** `token` is the token's own list of repositories, `installation` the installation's list. */
      selection: 'all' | 'installation' | 'token';
      permissions: PermissionSet;
      expiresAt?: Date;
    }
  | { kind: 'app_jwt'; appId: Id<'apps'>; ownerId: Id<'accounts'> }
  /**
   * The session of a browser, which has no token. The person's roles alone decide what it may do, so it has all scopes. It never
   * reaches the API: only pages of this server run endpoints with it.
   */
  | { kind: 'session'; sessionId: Id<'sessions'>; scopes: readonly Scope[]; isRecent: boolean }
  /** A user's SSH key. Only Git's transport accepts it. */
  | { kind: 'ssh_key'; keyId: Id<'public_keys'>; scopes: readonly ['repo'] }
  /** A deploy key, which acts for no account. Its pushes are attributed to `addedBy`, the account that added it. */
  | {
      kind: 'deploy_key';
      keyId: Id<'public_keys'>;
      repositoryId: Id<'repositories'>;
      /** The owner of the repository. */
      ownerId: Id<'accounts'>;
      addedBy: Id<'accounts'> | undefined;
      permissions: PermissionSet;
    }
  | { kind: 'client'; appId: Id<'apps'>; ownerId: Id<'accounts'> };

/**
 * The account and the credential of a request. A viewer may do what both the account and the grant allow (security decision 2).
 */
export type Viewer = { account?: Account; grant: Grant };

/** A viewer with an account: a user, or the bot of an app. */
export type SignedIn = Viewer & { account: Account };

export const anonymous: Viewer = { grant: { kind: 'none' } };

/**
 * The viewer of payloads, which are the same for all receivers of an event. It isn't signed in, but sees the teams that an event
 * is about. The choice of receivers has already decided who may see the event.
 */
export const everybody: Viewer = { grant: { kind: 'none' } };

export const isToken = (grant: Grant): grant is Extract<Grant, { kind: TokenKind }> =>
  grant.kind !== 'none' && grant.kind !== 'app_jwt' && grant.kind !== 'client' && grant.kind !== 'session' && !isSshKey(grant);

/** Whether an endpoint may accept the grant: a token, or the session of a browser. */
export const isAcceptable = (grant: Grant): grant is Extract<Grant, { kind: AcceptedCredential }> =>
  isToken(grant) || grant.kind === 'session';

/** The token of a grant. A built-in app acts without one. */
export const tokenOf = (grant: Grant): Id<'tokens'> | undefined => ('tokenId' in grant ? grant.tokenId : undefined);

/** Whether a grant belongs to an SSH key of a user or a repository. */
export const isSshKey = (grant: Grant): grant is Extract<Grant, { kind: 'ssh_key' | 'deploy_key' }> =>
  grant.kind === 'ssh_key' || grant.kind === 'deploy_key';

/** Whether a grant has scopes (classic and OAuth tokens, users' keys, sessions), and not a set of permissions. */
export const isScoped = (grant: Grant): grant is Extract<Grant, { scopes: readonly string[] }> =>
  grant.kind === 'classic_pat' || grant.kind === 'oauth_app' || grant.kind === 'ssh_key' || grant.kind === 'session';

/** Whether the viewer has no role, so that only the grant allows anything: apps and deploy keys. */
export const hasNoRole = ({ kind }: Grant): boolean => kind === 'installation' || kind === 'deploy_key';

/** A repository with the viewer's access to it. */
export type Repo = RepositoryRow & {
  owner: Account;
  /** The viewer's own role, before the credential narrows it; an installation has none. */
  role: Role | undefined;
  /** Whether the viewer is a security manager of the organization that owns it. Private forks of advisories have none. */
  managesSecurity: boolean;
  /** Whether the credential reaches this repository beyond what is public. */
  reached: boolean;
  /** The credential's permissions in this repository (empty for classic and OAuth tokens). */
  held: PermissionSet;
  /**
   * The limit on interactions in force, if any, and how it applies to the viewer. It is loaded only for endpoints whose policy is
   * an interaction.
   */
  interaction?: { readonly inForce: LimitInForce | undefined; readonly limit?: InteractionLimit };
};

/** An organization with the viewer's access to it. The fields mean the same as in `Repo`. */
export type Org = Account & { role: OrgRole | undefined; managesSecurity: boolean; reached: boolean; held: PermissionSet };
