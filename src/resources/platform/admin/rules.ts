import type { ActionContext } from '#access/action.ts';
import type { Account } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { forbidden } from '#lib/refusal.ts';
import { updateAccount } from '#resources/identity/accounts/index.ts';
import { createClassicToken, type NewToken, removeTokensNamed } from '#resources/identity/tokens/index.ts';

type UserAction = ActionContext & { user: Account };

/** The name of the tokens with which administrators act for users. */
const impersonation = 'impersonation';

/** Creates a token with which an administrator acts for a user. A user has at most one; an earlier one is revoked. */
export async function impersonate(
  scope: WriteScope,
  { user, by, now }: UserAction,
  scopes: readonly string[],
): Promise<NewToken> {
  if (user.kind !== 'user') throw forbidden('Only users can be impersonated');
  await removeTokensNamed(scope.tx, user.id, impersonation);
  const created = await createClassicToken(scope, { user, scopes, name: impersonation, now });
  await record(scope.tx, { kind: 'user.impersonated', owner: user.id, actor: by.account.id, at: now, data: {} });
  return created;
}

/** Revokes the token with which administrators act for a user. */
export const endImpersonation = (scope: WriteScope, { user }: Pick<UserAction, 'user'>) =>
  removeTokensNamed(scope.tx, user.id, impersonation);

/**
 * Suspends a user: all their credentials are refused until the suspension ends. Organizations have no credentials, and apps are
 * suspended by installation. The event keeps the reason for the operator; the last one counts.
 */
export async function suspendUser(scope: WriteScope, { user, by, now }: UserAction, reason: string | undefined): Promise<void> {
  if (user.kind !== 'user') throw forbidden('Only users can be suspended');
  if (user.id === by.account.id) throw forbidden('You cannot suspend yourself');
  if (user.suspended_at && reason === undefined) return;
  if (!user.suspended_at) await updateAccount(scope.tx, user.id, { suspended_at: now, updated_at: now });
  const data = reason === undefined ? {} : { reason };
  await record(scope.tx, { kind: 'user.suspended', owner: user.id, actor: by.account.id, at: now, data });
}

export async function unsuspendUser(scope: WriteScope, { user, by, now }: UserAction): Promise<void> {
  if (!user.suspended_at) return;
  await updateAccount(scope.tx, user.id, { suspended_at: null, updated_at: now });
  await record(scope.tx, { kind: 'user.unsuspended', owner: user.id, actor: by.account.id, at: now, data: {} });
}

/** Makes a user a site administrator, or no longer one. Administrators can't demote themselves, so that one always remains. */
export async function setSiteAdmin(
  scope: WriteScope,
  { user, by, now, siteAdmin }: UserAction & { siteAdmin: boolean },
): Promise<void> {
  if (user.kind !== 'user') throw forbidden('Only users can be site administrators');
  if (!siteAdmin && user.id === by.account.id) throw forbidden('You cannot demote yourself');
  if (user.site_admin !== siteAdmin) await updateAccount(scope.tx, user.id, { site_admin: siteAdmin, updated_at: now });
}
