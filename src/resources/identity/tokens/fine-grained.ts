import { endsWithin } from '#access/credentials.ts';
import { includesAll, intersect, isPermissionName, type PermissionSet, permissionScope } from '#access/permissions.ts';
import { tokenPrefixes } from '#access/tokens.ts';
import type { Account } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { getOrThrow } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { forbidden, invalid, unprocessable } from '#lib/refusal.ts';
import { hashToken, newToken } from '#lib/token.ts';
import { loadAccounts } from '#resources/identity/accounts/index.ts';
import { findMembership } from '#resources/identity/members/index.ts';
import { askForApproval, cancelRequests } from './approvals.ts';
import { tokenLimits } from './limits.ts';
import { findTokenDemands, loadRequestsOfTokens, type TokenDemands } from './request-store.ts';
import { checkPermissions, type NewToken, stored } from './rules.ts';
import {
  findTokenForUpdate,
  insertToken,
  insertTokenRepositories,
  loadTokenRepositories,
  ownedAmong,
  type TokenRow,
  updateTokenAccess,
} from './store.ts';

/** `all`: all repositories of the owner; `public`: all public ones, for reading; or a list of the owner's repositories. */
type Repositories = 'all' | 'public' | readonly Id<'repositories'>[];

const maxRepositories = fixedValue(tokenLimits.tokenRepositories);

type FineGrained = {
  user: Account;
  /** The account whose repositories and settings the token is for: the user, or an organization of theirs. */
  owner: Account;
  permissions: Readonly<Record<string, string>>;
  repositories: Repositories;
  name?: string;
  /** The user's reason, for the owners of an organization who approve it. */
  reason?: string | undefined;
  expiresAt?: Date | undefined;
  now: Date;
};

/** The access of a token: its permissions, and the repositories that they apply to. */
type Allowed = { permissions: PermissionSet; repositories: Repositories };

const nothing: Allowed = { permissions: {}, repositories: 'public' };

/**
 * Creates a fine-grained personal access token. If its organization requires approval, and the user isn't an owner, the token has
 * no access there until it is approved.
 */
export async function createFineGrainedToken(scope: WriteScope, wanted: FineGrained): Promise<NewToken> {
  const { user, owner, name = '', reason, expiresAt, now } = wanted;
  const demands = await checkOwner(scope, user, owner);
  const asked = await checkAllowed(scope, owner, {
    permissions: checkPermissions(wanted.permissions),
    repositories: wanted.repositories,
  });
  checkDemands(owner, demands, { createdAt: now, expiresAt: expiresAt ?? null });
  const waits = demands.approval;
  const allowed = waits ? nothing : asked;
  const token = newToken(tokenPrefixes.fine_grained_pat);
  const row = await insertToken(scope.tx, {
    kind: 'fine_grained_pat',
    ...stored(token, now),
    account_id: user.id,
    owner_id: owner.id,
    name,
    permissions: JSON.stringify(allowed.permissions),
    repository_selection: selectionOf(allowed.repositories),
    access: waits ? 'pending' : 'granted',
    granted_at: waits ? null : now,
    expires_at: expiresAt ?? null,
  });
  await insertTokenRepositories(scope.tx, row.id, listed(allowed.repositories));
  if (waits) await ask(scope, row, asked, { reason, now });
  return { token, row };
}

type Change = {
  permissions?: Readonly<Record<string, string>> | undefined;
  repositories?: Repositories | undefined;
  reason?: string | undefined;
  now: Date;
};

/**
 * Changes the access of a fine-grained token, by the token's text. Reductions apply immediately. If its organization requires
 * approval, additions wait for it, as does all access of a token that was denied or revoked. An earlier pending request is
 * replaced.
 * @returns the token, and whether a request is pending; undefined if the token doesn't exist
 */
export async function changeToken(
  scope: WriteScope,
  text: string,
  change: Change,
): Promise<{ row: TokenRow; waits: boolean } | undefined> {
  const { reason, now } = change;
  const token = await findTokenForUpdate(scope.tx, hashToken(text));
  if (!token) return undefined;
  if (token.kind !== 'fine_grained_pat' || token.owner_id === null)
    throw unprocessable('Only a fine-grained token can be changed');
  const accounts = await loadAccounts(scope.tx, [token.account_id, token.owner_id]);
  const [user, owner] = [getOrThrow(accounts, token.account_id), getOrThrow(accounts, token.owner_id)];
  const demands = await checkOwner(scope, user, owner);
  const [request] = await loadRequestsOfTokens(scope.tx, [token.id]);
  const held = await allowedBy(scope.tx, token);
  const before = request
    ? {
        permissions: request.permissions as PermissionSet,
        repositories: selected(request.repository_selection, request.repositories),
      }
    : held;
  const asked = await checkAllowed(scope, owner, {
    permissions: change.permissions ? checkPermissions(change.permissions) : before.permissions,
    repositories: change.repositories ?? before.repositories,
  });
  checkDemands(owner, demands, { createdAt: token.created_at, expiresAt: token.expires_at });
  await cancelRequests(scope, { tokens: [token.id], by: user.id, now });
  const isGranted = token.access === 'granted';
  const waits = demands.approval && !(isGranted && isWithin(held, asked));
  const allowed = waits ? (isGranted ? common(held, asked) : nothing) : asked;
  const row = await updateTokenAccess(scope.tx, token.id, {
    permissions: JSON.stringify(allowed.permissions),
    repository_selection: selectionOf(allowed.repositories),
    repositories: listed(allowed.repositories),
    ...(waits ? (isGranted ? {} : { access: 'pending' }) : { access: 'granted', granted_at: token.granted_at ?? now }),
  });
  if (waits) await ask(scope, row, asked, { reason, now });
  return { row, waits };
}

async function allowedBy(tx: Tx, { id, permissions, repository_selection }: TokenRow): Promise<Allowed> {
  const chosen = repository_selection === 'selected' ? await loadTokenRepositories(tx, id) : [];
  // checkPermissions has validated them
  return { permissions: permissions as PermissionSet, repositories: selected(repository_selection, chosen) };
}

const selected = (selection: TokenRow['repository_selection'], repositories: Id<'repositories'>[]): Repositories =>
  selection === 'selected' ? repositories : (selection ?? 'public');

const selectionOf = (repositories: Repositories) => (typeof repositories === 'string' ? repositories : ('selected' as const));
const listed = (repositories: Repositories) => (typeof repositories === 'string' ? [] : repositories);

/** Whether the requested access is already approved. */
const isWithin = (held: Allowed, asked: Allowed): boolean =>
  includesAll(held.permissions, asked.permissions) &&
  (asked.repositories === 'public' ||
    held.repositories === 'all' ||
    (asked.repositories !== 'all' && listed(asked.repositories).every((id) => listed(held.repositories).includes(id))));

/** The part of the requested access that is already approved. */
function common(held: Allowed, asked: Allowed): Allowed {
  const permissions = intersect(held.permissions, asked.permissions);
  if (held.repositories === 'all') return { permissions, repositories: asked.repositories };
  if (asked.repositories === 'all') return { permissions, repositories: held.repositories };
  if (held.repositories === 'public' || asked.repositories === 'public') return { permissions, repositories: 'public' };
  const kept = new Set(asked.repositories);
  return { permissions, repositories: held.repositories.filter((id) => kept.has(id)) };
}

const ask = (
  scope: WriteScope,
  token: TokenRow,
  { permissions, repositories }: Allowed,
  { reason, now }: { reason?: string | undefined; now: Date },
) =>
  askForApproval(scope, {
    token,
    permissions,
    selection: selectionOf(repositories),
    repositories: listed(repositories),
    reason: reason ?? null,
    now,
  });

/** The requirements of a token's owner, and whether this user's tokens need approval. */
type Demands = Partial<TokenDemands> & { approval: boolean };

async function checkOwner(scope: WriteScope, user: Account, owner: Account): Promise<Demands> {
  if (owner.id === user.id) return { approval: false };
  const membership = owner.kind === 'organization' ? await findMembership(scope.tx, owner.id, user.id) : undefined;
  if (membership?.state !== 'active')
    throw invalid(
      'Token',
      'owner',
      'invalid',
      `The owner must be ${user.login} or an organization that ${user.login} is a member of`,
    );
  const demands = await findTokenDemands(scope.tx, owner.id);
  // Owners would approve their own tokens (the public API's rule).
  return { ...demands, approval: demands?.token_approval_required !== false && membership.role !== 'owner' };
}

function checkDemands(
  owner: Account,
  demands: Demands,
  { createdAt, expiresAt }: { createdAt: Date; expiresAt: Date | null },
): void {
  if (demands.fine_grained_tokens_allowed === false) throw forbidden(`${owner.login} accepts no fine-grained tokens`);
  const { max_token_days = null } = demands;
  if (!endsWithin({ max_token_days }, createdAt, expiresAt))
    throw invalid('Token', 'expires', 'invalid', `Tokens for ${owner.login} must end within ${max_token_days} days`);
}

/** Refuses permissions that can't apply, for example an organization's for a user, and repositories of other owners. */
async function checkAllowed(scope: WriteScope, owner: Account, { permissions, repositories }: Allowed): Promise<Allowed> {
  const names = Object.keys(permissions).filter(isPermissionName);
  const foreign = owner.kind === 'organization' ? 'account' : 'organization';
  const unfit = names.find((name) => permissionScope(name) === foreign);
  if (unfit)
    throw invalid(
      'Token',
      'permissions',
      'invalid',
      `${unfit} does not apply to ${owner.login}, which is ${owner.kind === 'organization' ? 'an organization' : 'a user'}`,
    );
  if (repositories === 'public' && names.some((name) => permissionScope(name) === 'repository' && permissions[name] !== 'read'))
    throw invalid('Token', 'permissions', 'invalid', 'A token for public repositories can only read');
  if (typeof repositories === 'string') return { permissions, repositories };
  if (repositories.length > maxRepositories)
    throw invalid('Token', 'repositories', 'invalid', `A token can be limited to at most ${maxRepositories} repositories`);
  const owned = await ownedAmong(scope.tx, owner.id, repositories);
  if (owned.length < new Set(repositories).size)
    throw invalid('Token', 'repositories', 'invalid', `repositories must belong to ${owner.login}`);
  return { permissions, repositories: owned };
}
