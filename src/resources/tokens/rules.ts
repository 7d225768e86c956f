import { isPermissionName, levelsOf, type PermissionSet, permissionScope } from '#access/permissions.ts';
import { canonicalScope, scopes as everyScope, isScope, normalizeScopes, type Scope } from '#access/scopes.ts';
import { tokenPrefixes } from '#access/tokens.ts';
import type { Account } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { invalid } from '#lib/refusal.ts';
import { hashToken, newToken } from '#lib/token.ts';
import { createUser } from '#resources/accounts/index.ts';
import { findMembership } from '#resources/members/index.ts';
import { neutralPermission } from '#vocabulary/headers.ts';
import {
  findSiteAdmin,
  insertToken,
  insertTokenRepositories,
  ownedAmong,
  removeOthersNamed,
  removeTokenByHash,
  type TokenRow,
  tokenExists,
} from './store.ts';

/** A new token: its text, which isn't stored, and its row. */
export type NewToken = { token: string; row: TokenRow };

/** The columns that every kind of token has. */
export const stored = (token: string, now: Date) => ({ hash: hashToken(token), last_eight: token.slice(-8), created_at: now });

/** The scopes of a request, without those that other scopes include. Refuses unknown ones. */
export function checkScopes(given: readonly string[]): Scope[] {
  const unknown = given.find((name) => !isScope(canonicalScope(name)));
  if (unknown !== undefined)
    throw invalid('Token', 'scopes', 'invalid', `'${unknown}' is not a scope; there are ${everyScope.join(', ')}`);
  return normalizeScopes(given);
}

/** A permission set from names, in the words of either vocabulary, and levels. Refuses those that the catalogue doesn't have. */
export function checkPermissions(given: Readonly<Record<string, string>>): PermissionSet {
  const checked: PermissionSet = {};
  for (const [word, level] of Object.entries(given)) {
    const name = neutralPermission(word);
    if (!isPermissionName(name))
      throw invalid('Token', 'permissions', 'invalid', `'${word}' is not a permission; docs/permissions.md lists them`);
    const levels = levelsOf(name);
    const known = levels.find((one) => one === level);
    if (!known) throw invalid('Token', 'permissions', 'invalid', `The level of ${word} must be ${levels.join(' or ')}`);
    checked[name] = known;
  }
  return checked;
}

type Classic = { user: Account; scopes: readonly string[]; name?: string; expiresAt?: Date | undefined; now: Date };

/** Creates a classic personal access token. */
export async function createClassicToken(tx: Tx, { user, scopes, name = '', expiresAt, now }: Classic): Promise<NewToken> {
  const token = newToken(tokenPrefixes.classic_pat);
  const row = await insertToken(tx, {
    kind: 'classic_pat',
    ...stored(token, now),
    account_id: user.id,
    name,
    scopes: checkScopes(scopes),
    expires_at: expiresAt ?? null,
  });
  return { token, row };
}

type FineGrained = {
  user: Account;
  /** The account whose repositories and settings the token is for: the user, or an organization of theirs. */
  owner: Account;
  permissions: Readonly<Record<string, string>>;
  /** `all` are those of the owner, `public` all public ones for reading, or a list of the owner's repositories. */
  repositories: 'all' | 'public' | readonly Id<'repositories'>[];
  name?: string;
  expiresAt?: Date | undefined;
  now: Date;
};

/** Creates a fine-grained personal access token. */
export async function createFineGrainedToken(tx: Tx, wanted: FineGrained): Promise<NewToken> {
  const { user, owner, repositories, name = '', expiresAt, now } = wanted;
  await checkOwner(tx, user, owner);
  const held = checkPermissions(wanted.permissions);
  checkFit(held, owner, repositories);
  const selected = typeof repositories === 'string' ? [] : repositories;
  const owned = await ownedAmong(tx, owner.id, selected);
  if (owned.length < new Set(selected).size)
    throw invalid('Token', 'repositories', 'invalid', `repositories must belong to ${owner.login}`);
  const token = newToken(tokenPrefixes.fine_grained_pat);
  const row = await insertToken(tx, {
    kind: 'fine_grained_pat',
    ...stored(token, now),
    account_id: user.id,
    owner_id: owner.id,
    name,
    permissions: JSON.stringify(held),
    repository_selection: typeof repositories === 'string' ? repositories : 'selected',
    expires_at: expiresAt ?? null,
  });
  await insertTokenRepositories(tx, row.id, owned);
  return { token, row };
}

async function checkOwner(tx: Tx, user: Account, owner: Account): Promise<void> {
  if (owner.id === user.id) return;
  const membership = owner.kind === 'organization' ? await findMembership(tx, owner.id, user.id) : undefined;
  if (membership?.state !== 'active')
    throw invalid(
      'Token',
      'owner',
      'invalid',
      `The owner must be ${user.login} or an organization of which ${user.login} is a member`,
    );
}

/** Refuses permissions that can't apply: an organization's for a user, an account's for an organization. */
function checkFit(held: PermissionSet, owner: Account, repositories: FineGrained['repositories']): void {
  const names = Object.keys(held).filter(isPermissionName);
  const foreign = owner.kind === 'organization' ? 'account' : 'organization';
  const unfit = names.find((name) => permissionScope(name) === foreign);
  if (unfit)
    throw invalid(
      'Token',
      'permissions',
      'invalid',
      `${unfit} does not apply to ${owner.login}, which is ${owner.kind === 'organization' ? 'an organization' : 'a user'}`,
    );
  if (repositories === 'public' && names.some((name) => permissionScope(name) === 'repository' && held[name] !== 'read'))
    throw invalid('Token', 'permissions', 'invalid', 'A token for public repositories can only read');
}

/** Deletes a token with its refresh token, by the text of either; false if there was none. */
export const revokeToken = (tx: Tx, token: string): Promise<boolean> => removeTokenByHash(tx, hashToken(token));

const adminTokenName = 'HEARTH_ADMIN_TOKEN';

/**
 * Stores the operator's token (`HEARTH_ADMIN_TOKEN`) as a token of a site administrator, with all scopes; an earlier one is removed.
 * If there is no site administrator, the user `hearth-admin` is created.
 */
export async function ensureAdminToken(tx: Tx, token: string, now: Date): Promise<void> {
  const admin = (await findSiteAdmin(tx)) ?? (await createUser(tx, { login: 'hearth-admin', siteAdmin: true, now }));
  const { hash, ...rest } = stored(token, now);
  await removeOthersNamed(tx, admin.id, adminTokenName, hash);
  if (await tokenExists(tx, hash)) return;
  await insertToken(tx, {
    kind: 'classic_pat',
    hash,
    ...rest,
    account_id: admin.id,
    name: adminTokenName,
    scopes: [...everyScope],
  });
}
