import type { PermissionSet } from '#access/permissions.ts';
import type { Account } from '#access/viewer.ts';
import { path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOrThrow } from '#lib/collections.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { loadAccounts, presentUser } from '#resources/identity/accounts/index.ts';
import { byScope, selectionWord, type TokenGrantRow, type TokenRequestRow } from '#resources/identity/tokens/index.ts';
import type { TokenGrant, TokenGrantRequest } from './schemas.ts';

/** Presents a page of requests. The users are loaded once for all of them. */
export async function presentTokenRequests(
  scope: Scope,
  org: Account,
  rows: readonly TokenRequestRow[],
): Promise<TokenGrantRequest[]> {
  const present = await presenter(scope, org, rows, 'personal-access-token-requests');
  return rows.map((row) => ({
    ...present(row, row.token_id),
    reason: row.reason,
    created_at: timestamp(row.created_at),
  }));
}

/** Presents a page of approved tokens. The users are loaded once for all of them. */
export async function presentTokenGrants(scope: Scope, org: Account, rows: readonly TokenGrantRow[]): Promise<TokenGrant[]> {
  const present = await presenter(scope, org, rows, 'personal-access-tokens');
  return rows.map((row) => ({ ...present(row, row.id), access_granted_at: timestamp(row.granted_at ?? scope.now) }));
}

/** The common fields of requests and approved tokens. */
async function presenter(
  { db, links, now }: Scope,
  org: Account,
  rows: readonly (TokenRequestRow | TokenGrantRow)[],
  segment: string,
) {
  const users = await loadAccounts(db, gather(rows, 'user_id'));
  return (row: TokenRequestRow | TokenGrantRow, token: number) => ({
    id: row.id,
    owner: presentUser(links, getOrThrow(users, row.user_id)),
    repository_selection: selectionWord(row.repository_selection),
    repositories_url: `${path(`${links.api}/orgs`, org.login, segment, row.id)}/repositories`,
    permissions: byScope(row.permissions as PermissionSet), // checkPermissions has validated it
    token_id: token,
    token_name: row.token_name,
    token_expired: row.token_expires_at !== null && row.token_expires_at <= now,
    token_expires_at: timestampOrNull(row.token_expires_at),
    token_last_used_at: timestampOrNull(row.token_last_used_at),
  });
}
