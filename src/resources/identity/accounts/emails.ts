// The e-mail addresses of users. Hearth sends no mail: an administrator verifies an address, or sets it for a new user.

import type { ActionContext } from '#access/action.ts';
import type { Account } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Change, WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { gather, getOrThrow, keyed } from '#lib/collections.ts';
import { isEmailAddress } from '#lib/email.ts';
import { asId } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { invalid } from '#lib/refusal.ts';
import {
  type EmailRow,
  insertEmails,
  insertVerifiedEmail,
  isEmailVerified,
  listEarlierEmails,
  loadEmails,
  removeEmails,
  updateVerified,
} from './email-store.ts';
import { accountLimits } from './limits.ts';
import type { SomeEmails } from './schemas.ts';
import { getAccountForUpdate, updateAccount } from './store.ts';

const maxEmails = fixedValue(accountLimits.emails);

/** An account with those of its addresses that a change affects. */
export type ChangedEmails = { account: Account; emails: EmailRow[] };

/** The addresses in a body, without duplicates. */
export const namedEmails = (body: SomeEmails): string[] => [...keyed('emails' in body ? body.emails : body, fold).values()];

const fold = (email: string): string => email.toLowerCase();

/**
 * Adds addresses, which aren't verified. An address of another account isn't refused, since that would disclose who has an
 * account; but it can't be verified for a second account.
 */
export async function addEmails(
  scope: WriteScope,
  { by, now }: ActionContext,
  wanted: readonly string[],
): Promise<ChangedEmails> {
  const account = await getAccountForUpdate(scope.tx, by.account.id);
  const known = await loadEmails(scope.tx, account.id);
  const taken = new Set(known.map(({ email }) => fold(email)));
  const twice = wanted.find((email) => taken.has(fold(email)));
  if (twice !== undefined) throw invalid('UserEmail', 'email', 'already_exists', `${twice} is an address of yours already`);
  if (known.length + wanted.length > maxEmails)
    throw invalid('UserEmail', 'email', 'unprocessable', `An account can have at most ${maxEmails} addresses`);
  const rows = wanted.map((email) => ({ account_id: account.id, email, created_at: now }));
  const added = gather(await insertEmails(scope.tx, rows), 'id');
  await record(scope.tx, { kind: 'email.added', owner: account.id, actor: account.id, at: now, data: { emails: added } });
  return { account, emails: (await loadEmails(scope.tx, account.id)).filter(({ id }) => added.includes(id)) };
}

/** Adds unverified addresses of a new user from an external source. Invalid addresses are skipped. */
export async function stateEmails(
  scope: WriteScope,
  id: Account['id'],
  { emails, now }: { emails: readonly string[]; now: Date },
): Promise<void> {
  const stated = [...keyed(emails.filter(isEmailAddress), fold).values()].slice(0, maxEmails);
  if (stated.length === 0) return;
  await insertEmails(
    scope.tx,
    stated.map((email) => ({ account_id: id, email, created_at: now })),
  );
}

/** Removes addresses, all or none. If the profile shows one of them, it no longer does. */
export async function deleteEmails(scope: WriteScope, { by, now }: ActionContext, wanted: readonly string[]): Promise<void> {
  const account = await getAccountForUpdate(scope.tx, by.account.id);
  const known = keyed(await loadEmails(scope.tx, account.id), ({ email }) => fold(email));
  const missing = wanted.find((email) => !known.has(fold(email)));
  if (missing !== undefined) throw invalid('UserEmail', 'email', 'missing', `${missing} is not one of your addresses`);
  const rows = wanted.map((email) => getOrThrow(known, fold(email)));
  const emails = gather(rows, 'id');
  await removeEmails(scope.tx, emails);
  if (rows.some(({ email }) => email === account.email))
    await updateAccount(scope.tx, account.id, { email: null, updated_at: now });
  await record(scope.tx, { kind: 'email.removed', owner: account.id, actor: account.id, at: now, data: { emails } });
}

/** Shows the primary address in the profile, or hides it. Only a verified address can be shown. */
export async function changeEmailVisibility(
  scope: WriteScope,
  { by, now }: ActionContext,
  visibility: 'public' | 'private',
): Promise<ChangedEmails> {
  const account = await getAccountForUpdate(scope.tx, by.account.id);
  const emails = (await loadEmails(scope.tx, account.id)).filter(({ is_primary }) => is_primary);
  const [primary] = emails;
  if (!primary) throw invalid('UserEmail', 'visibility', 'unprocessable', 'There is no address to show');
  if (visibility === 'public') checkVerified(primary);
  const email = visibility === 'public' ? primary.email : null;
  const changed = await updateAccount(scope.tx, account.id, { email, updated_at: now });
  const data = { visibility };
  await record(scope.tx, { kind: 'email.visibility_changed', owner: account.id, actor: account.id, at: now, data });
  return { account: changed, emails };
}

function checkVerified({ verified_at, email }: EmailRow): void {
  if (verified_at === null) throw invalid('UserEmail', 'visibility', 'unprocessable', `${email} isn't verified`);
}

/** The stored form of the address that an account's profile will show. @throws Refusal if it isn't verified */
export async function getVerifiedEmail(scope: WriteScope, account: Account, wanted: string): Promise<string> {
  const found = (await loadEmails(scope.tx, account.id)).find(({ email }) => fold(email) === fold(wanted));
  if (!found?.verified_at) throw invalid('User', 'email', 'invalid', 'email must be an address of yours that was verified');
  return found.email;
}

/**
 * Marks an address as verified, on the caller's responsibility. The address is added if the user doesn't have it yet.
 * @throws Refusal if it is verified for another account
 */
export async function verifyEmail(
  scope: WriteScope,
  { user, email, now }: { user: Pick<Account, 'id'>; email: string; now: Date },
): Promise<void> {
  if (!isEmailAddress(email)) throw invalid('User', 'email', 'invalid', `${email} is no e-mail address`);
  const account = await getAccountForUpdate(scope.tx, user.id);
  const known = (await loadEmails(scope.tx, account.id)).find((row) => fold(row.email) === fold(email));
  if (known?.verified_at) return;
  const added = (await isEmailVerified(scope.tx, email))
    ? undefined
    : known
      ? await updateVerified(scope.tx, known.id, now)
      : await insertVerifiedEmail(scope.tx, { account_id: account.id, email, verified_at: now, created_at: now });
  if (!added) throw invalid('User', 'email', 'already_exists', `${email} is the address of another account`);
  await record(scope.tx, { kind: 'email.verified', owner: account.id, actor: account.id, at: now, data: { email: added.id } });
}

const addressesPerBatch = 500;

type EarlierEmails = {
  /** The users, and the part after the `@`. If omitted, any. */
  domain?: string | undefined;
  /** If omitted, addresses are only counted. */
  verify?: Change;
  now: Date;
};

/**
 * Verifies the addresses that users added before Hearth distinguished verified addresses: until then, all counted for commits.
 * Addresses of several accounts stay unverified. Returns the numbers of both.
 */
export async function verifyEarlierEmails(
  db: Db,
  { domain, verify, now }: EarlierEmails,
): Promise<{ verified: number; ambiguous: number }> {
  let [verified, ambiguous] = [0, 0];
  for (let after = asId<'email_addresses'>(0); ; ) {
    const rows = await listEarlierEmails(db, { after, domain, limit: addressesPerBatch });
    for (const { account_id: id, email, is_shared } of rows) {
      if (is_shared) ambiguous += 1;
      else {
        await verify?.((scope) => verifyEmail(scope, { user: { id }, email, now }));
        verified += 1;
      }
    }
    const last = rows.at(-1);
    if (!last || rows.length < addressesPerBatch) return { verified, ambiguous };
    after = last.id;
  }
}
