import { isPermissionName, levelsOf, type PermissionSet } from '#access/permissions.ts';
import { canonicalScope, scopes as everyScope, isScope, normalizeScopes, type Scope } from '#access/scopes.ts';
import { tokenPrefixes } from '#access/tokens.ts';
import type { Account } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { invalid } from '#lib/refusal.ts';
import { hashToken, newToken } from '#lib/token.ts';
import { createUser } from '#resources/identity/accounts/index.ts';
import { neutralPermission } from '#vocabulary/headers.ts';
import { cancelRequests } from './approvals.ts';
import {
  findSiteAdmin,
  findTokenForUpdate,
  insertToken,
  removeOthersNamed,
  removeTokenByHash,
  type TokenRow,
  tokenExists,
} from './store.ts';

/** A new token: its text, which isn't stored, and its row. */
export type NewToken = { token: string; row: TokenRow };

/** The columns that every kind of token has. */
export const stored = (token: string, now: Date) => ({ hash: hashToken(token), last_eight: token.slice(-8), created_at: now });

/** The scopes of a request, without the ones that other scopes include. Refuses unknown scopes. */
function checkScopes(given: readonly string[]): Scope[] {
  const unknown = given.find((name) => !isScope(canonicalScope(name)));
  if (unknown !== undefined)
    throw invalid('Token', 'scopes', 'invalid', `'${unknown}' is not a scope; there are ${everyScope.join(', ')}`);
  return normalizeScopes(given);
}

/** A permission set from names, in either vocabulary, and levels. Refuses permissions outside the catalogue. */
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
export async function createClassicToken(
  scope: WriteScope,
  { user, scopes, name = '', expiresAt, now }: Classic,
): Promise<NewToken> {
  const token = newToken(tokenPrefixes.classic_pat);
  const row = await insertToken(scope.tx, {
    kind: 'classic_pat',
    ...stored(token, now),
    account_id: user.id,
    name,
    scopes: checkScopes(scopes),
    expires_at: expiresAt ?? null,
  });
  return { token, row };
}

/** Deletes a token with its refresh token, by the text of either, and cancels its pending request; false if it doesn't exist. */
export async function revokeToken(scope: WriteScope, token: string, now: Date): Promise<boolean> {
  const hash = hashToken(token);
  const row = await findTokenForUpdate(scope.tx, hash);
  if (row?.kind === 'fine_grained_pat') await cancelRequests(scope, { tokens: [row.id], by: row.account_id, now });
  return removeTokenByHash(scope.tx, hash);
}

const adminTokenName = 'HEARTH_ADMIN_TOKEN';

/**
 * Stores the operator's token (`HEARTH_ADMIN_TOKEN`) as a token of a site administrator, with all scopes; an earlier one is
 * removed. If there is no site administrator, the user `hearth-admin` is created.
 */
export async function ensureAdminToken(scope: WriteScope, token: string, now: Date): Promise<void> {
  const admin = (await findSiteAdmin(scope.tx)) ?? (await createUser(scope, { login: 'hearth-admin', siteAdmin: true, now }));
  const { hash, ...rest } = stored(token, now);
  await removeOthersNamed(scope.tx, admin.id, adminTokenName, hash);
  if (await tokenExists(scope.tx, hash)) return;
  await insertToken(scope.tx, {
    kind: 'classic_pat',
    hash,
    ...rest,
    account_id: admin.id,
    name: adminTokenName,
    scopes: [...everyScope],
  });
}
