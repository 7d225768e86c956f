import type { Static } from 'typebox';
import type { ActionContext } from '#access/action.ts';
import type { Account } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { defined } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { invalid } from '#lib/refusal.ts';
import { parseSshKey } from '#lib/ssh-key.ts';
import { getVerifiedEmail, verifyEmail } from './emails.ts';
import { isActionsOwner, isReservedLogin } from './reserved-logins.ts';
import type { NewPublicKey, ProfileChange } from './schemas.ts';
import { getAccountForUpdate, insertAccount, insertKey, isLoginTaken, type KeyRow, removeKey, updateAccount } from './store.ts';

/**
 * The public API's rule for logins: letters and digits with single hyphens between them, 39 characters at most. First segments of
 * the site's own paths are reserved.
 */
const loginPattern = /^[a-z\d](?:[a-z\d]|-(?=[a-z\d])){0,38}$/i;

type NewAccount = {
  login: string;
  name?: string | undefined;
  email?: string | undefined;
  siteAdmin?: boolean;
  passwordHash?: string;
  now: Date;
};

/** Refuses a login that is invalid, reserved or taken. `isForActions` allows the login whose repositories serve actions. */
export async function checkLogin(scope: WriteScope, login: string, { isForActions = false } = {}): Promise<void> {
  const isReserved = isReservedLogin(login) && !(isForActions && isActionsOwner(login));
  if (!loginPattern.test(login) || isReserved) {
    throw invalid(
      'User',
      'login',
      'invalid',
      'login may contain letters, digits and single hyphens, and must not be a reserved word',
    );
  }
  if (await isLoginTaken(scope.tx, login)) throw invalid('User', 'login', 'already_exists', 'login has already been taken');
}

/** Creates a user's account. A given address counts as verified, and the profile shows it. */
export async function createUser(
  scope: WriteScope,
  { login, name, email, siteAdmin, passwordHash, now }: NewAccount,
): Promise<Account> {
  await checkLogin(scope, login);
  const account = await insertAccount(scope.tx, {
    kind: 'user',
    login,
    name: name ?? null,
    email: email ?? null,
    site_admin: siteAdmin ?? false,
    password_hash: passwordHash ?? null,
    created_at: now,
    updated_at: now,
  });
  if (email !== undefined) await verifyEmail(scope, { user: account, email, now });
  return account;
}

/** Changes the profile of an account. Its public address must be one of the account's verified addresses. */
export async function changeProfile(
  scope: WriteScope,
  { by, now }: ActionContext,
  { email, ...wanted }: Static<typeof ProfileChange>,
): Promise<Account> {
  const account = await getAccountForUpdate(scope.tx, by.account.id);
  const shown = email === undefined ? {} : { email: await getVerifiedEmail(scope, account, email) };
  return updateAccount(scope.tx, account.id, { ...defined(wanted), ...shown, updated_at: now });
}

/** A key, and its holder: an account, or a repository for a deploy key. */
type NewKey = { key: string; title?: string | undefined; now: Date } & (
  | { user_id: Id<'accounts'> }
  | { repository_id: Id<'repositories'>; read_only: boolean; added_by: Id<'accounts'> }
);

/** Stores an SSH key. It belongs to only one account or repository, since it identifies the holder. */
export async function storeKey(scope: WriteScope, { key, title, now, ...holder }: NewKey): Promise<KeyRow> {
  const parsed = parseSshKey(key);
  if (!parsed) throw invalid('PublicKey', 'key', 'invalid', 'key is invalid. You must supply a key in OpenSSH public key format');
  const row = await insertKey(scope.tx, { ...holder, title: title ?? '', ...parsed, created_at: now });
  if (!row) throw invalid('PublicKey', 'key', 'already_exists', 'key is already in use');
  return row;
}

/** Adds an SSH key of an account. */
export async function addKey(
  scope: WriteScope,
  { by: { account }, now }: ActionContext,
  wanted: Static<typeof NewPublicKey>,
): Promise<KeyRow> {
  const row = await storeKey(scope, { ...wanted, user_id: account.id, now });
  await record(scope.tx, { kind: 'public_key.created', owner: account.id, actor: account.id, at: now, data: { key: row.id } });
  return row;
}

export async function deleteKey(scope: WriteScope, { by: { account }, now }: ActionContext, key: KeyRow): Promise<void> {
  await removeKey(scope.tx, key.id);
  await record(scope.tx, { kind: 'public_key.deleted', owner: account.id, actor: account.id, at: now, data: { key: key.id } });
}
