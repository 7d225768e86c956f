import type { PermissionSet } from '#access/permissions.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record, recordEach } from '#events/record.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { notFound, unprocessable } from '#lib/refusal.ts';
import { snapshotOf } from '#lib/snapshot.ts';
import {
  denyTokens,
  type FullTokenRequest,
  grantRequested,
  insertTokenRequest,
  loadGrantedForUpdate,
  loadRequestsOfTokens,
  loadTokenRequestsForUpdate,
  loadTokensForForUpdate,
  removeTokenRequests,
  revokeTokens,
} from './request-store.ts';
import type { TokenRow } from './store.ts';

type Wish = {
  token: TokenRow;
  permissions: PermissionSet;
  selection: 'all' | 'selected' | 'public';
  repositories: readonly Id<'repositories'>[];
  reason: string | null;
  now: Date;
};

/** Requests an organization's approval of a token's access. */
export async function askForApproval(
  scope: WriteScope,
  { token, permissions, selection, repositories, reason, now }: Wish,
): Promise<void> {
  if (token.owner_id === null) throw new Error('A fine-grained token has no owner');
  await insertTokenRequest(
    scope.tx,
    {
      token_id: token.id,
      organization_id: token.owner_id,
      permissions,
      repository_selection: selection,
      reason,
      created_at: now,
    },
    repositories,
  );
  await recordRequests(scope, await loadRequestsOfTokens(scope.tx, [token.id]), {
    what: 'created',
    by: token.account_id,
    at: now,
  });
}

type Acted = { what: 'created' | 'approved' | 'denied' | 'cancelled'; by: Id<'accounts'> | undefined; at: Date };

const recordRequests = (scope: WriteScope, requests: readonly FullTokenRequest[], { what, by, at }: Acted) =>
  recordEach(scope.tx, requests, (request) => ({
    kind: `token_request.${what}` as const,
    owner: request.organization_id,
    actor: by,
    at,
    data: { request: snapshotOf(request) },
  }));

type Reviewer = { org: { id: Id<'accounts'> }; by: Id<'accounts'> | undefined; now: Date };

/** Approves or denies requests of tokens to an organization: all of them, or none if one doesn't exist. */
export async function reviewTokenRequests(
  scope: WriteScope,
  { org, by, now }: Reviewer,
  { ids, action }: { ids: readonly number[] | number; action: 'approve' | 'deny' },
): Promise<void> {
  const requests = await loadTokenRequestsForUpdate(scope.tx, org.id, [ids].flat());
  checkFound(ids, requests, 'pat_request_ids');
  const found = gather(requests, 'id');
  if (action === 'approve') await grantRequested(scope.tx, found, now);
  else await denyTokens(scope.tx, gather(requests, 'token_id'));
  await removeTokenRequests(scope.tx, found);
  await recordRequests(scope, requests, { what: action === 'approve' ? 'approved' : 'denied', by, at: now });
}

/**
 * Revokes an organization's approval of fine-grained tokens: of all of them, or of none if one doesn't exist. Their pending
 * requests are cancelled.
 */
export async function revokeTokenGrants(
  scope: WriteScope,
  { org, by, now }: Reviewer,
  ids: readonly number[] | number,
): Promise<void> {
  const tokens = await loadGrantedForUpdate(scope.tx, org.id, [ids].flat());
  checkFound(ids, tokens, 'pat_ids');
  await endGrants(scope, gather(tokens, 'id'), { org, by, now });
}

/** Revokes an organization's approval of the tokens of a user who has left it. */
export async function revokeTokensOfMember(scope: WriteScope, reviewer: Reviewer, user: Id<'accounts'>): Promise<void> {
  const tokens = await loadTokensForForUpdate(scope.tx, reviewer.org.id, user);
  await endGrants(scope, gather(tokens, 'id'), reviewer);
}

async function endGrants(scope: WriteScope, tokens: readonly Id<'tokens'>[], { org, by, now }: Reviewer): Promise<void> {
  if (tokens.length === 0) return;
  await cancelRequests(scope, { tokens, by, now });
  await revokeTokens(scope.tx, tokens);
  await record(scope.tx, { kind: 'token.revoked', owner: org.id, actor: by, at: now, data: { tokens: [...tokens] } });
}

/** Withdraws the requests of tokens, whose rows are locked. */
export async function cancelRequests(
  scope: WriteScope,
  { tokens, by, now }: { tokens: readonly Id<'tokens'>[]; by: Id<'accounts'> | undefined; now: Date },
): Promise<void> {
  const requests = await loadRequestsOfTokens(scope.tx, tokens);
  if (requests.length === 0) return;
  await removeTokenRequests(scope.tx, gather(requests, 'id'));
  await recordRequests(scope, requests, { what: 'cancelled', by, at: now });
}

/** A single id comes from a path. */
function checkFound(ids: readonly number[] | number, found: readonly { id: number }[], field: string): void {
  if (typeof ids === 'number') {
    if (found.length === 0) throw notFound();
    return;
  }
  const known = new Set(gather(found, 'id'));
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length > 0) throw unprocessable(`${field} names what does not exist: ${missing.join(', ')}`);
}
