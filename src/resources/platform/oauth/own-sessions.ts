// What people do with their own password and sessions.
import type { ActionContext } from '#access/action.ts';
import type { Account, SignedIn, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Scope, ServedChangeScope, WriteScope } from '#endpoint/scope.ts';
import type { Services } from '#endpoint/services.ts';
import { withSlot } from '#lib/concurrency-limiter.ts';
import type { Id } from '#lib/id.ts';
import { forbidden, invalid } from '#lib/refusal.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { updateAccount } from '#resources/identity/accounts/index.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { countAttempt } from './sign-in-attempts.ts';
import { listSessions, removeOtherSessions, removeSessionById, renewSession, type SessionRow } from './store.ts';

type PasswordServices = 'resourceLimits' | 'passwordLimiter';

/** A password that somebody enters, and the address of their browser. */
type Entered = { readonly password: string; readonly address: string };

/** The session of a viewer. @throws Refusal for other credentials */
export function sessionIdOf({ grant }: Viewer): Id<'sessions'> {
  if (grant.kind !== 'session') throw forbidden('This needs the session of a browser');
  return grant.sessionId;
}

/**
 * Whether somebody entered the password of an account. Wrong ones count as those of the sign-in do.
 * @throws Refusal `too_many` beyond a limit
 */
export async function isPasswordOf(
  db: Db,
  { resourceLimits, passwordLimiter }: Pick<Services, PasswordServices>,
  { login, account, password, address }: Entered & { login: string; account: Account | undefined },
): Promise<boolean> {
  const attempt = await countAttempt(db, resourceLimits, { login, address });
  const isRight = await withSlot(passwordLimiter, attempt.caller, () => verifyPassword(account?.password_hash, password));
  if (isRight) await attempt.refund();
  return isRight;
}

async function checkPassword(scope: ServedChangeScope<PasswordServices>, account: Account, entered: Entered): Promise<void> {
  if (!(await isPasswordOf(scope.db, scope.services, { ...entered, account, login: account.login })))
    throw invalid('Password', 'password', 'invalid', 'The present password is another one');
}

/**
 * Changes one's password. It ends the other sessions, and counts as a sign-in.
 * @throws Refusal for a wrong or an unfit password
 */
export async function changeOwnPassword(
  scope: ServedChangeScope<PasswordServices>,
  { by, now }: ActionContext,
  { wanted, ...entered }: Entered & { wanted: string },
): Promise<void> {
  const { account } = by;
  await checkPassword(scope, account, entered);
  if (wanted === entered.password) throw invalid('Password', 'wanted', 'invalid', 'The new password is the present one');
  const hash = await hashPassword(wanted);
  await scope.change(async ({ tx }) => {
    await updateAccount(tx, account.id, { password_hash: hash, must_change_password: false });
    await removeOtherSessions(tx, account.id, sessionIdOf(by));
    await renewSession(tx, sessionIdOf(by), now);
  });
}

/** Confirms by the password that the present session is still its person's. */
export async function confirmSession(
  scope: ServedChangeScope<PasswordServices>,
  { by, now }: ActionContext,
  entered: Entered,
): Promise<void> {
  await checkPassword(scope, by.account, entered);
  await scope.change(({ tx }) => renewSession(tx, sessionIdOf(by), now));
}

/** One's sessions, the one used last first. */
export async function listOwn({ db, now }: Pick<Scope, 'db' | 'now'>, { account, ...viewer }: SignedIn) {
  const present = sessionIdOf(viewer);
  return (await listSessions(db, account.id, now)).map(({ id, agent, address, created_at, last_used_at }) => ({
    id,
    agent,
    address,
    created_at: timestamp(created_at),
    last_used_at: timestampOrNull(last_used_at),
    is_current: id === present,
  }));
}

/** Ends one of one's sessions. */
export const endOwnSession = (scope: WriteScope, { id }: SessionRow) => removeSessionById(scope.tx, id);

/** Ends all of one's sessions but the present one. */
export const endOtherSessions = (scope: WriteScope, { by }: ActionContext) =>
  removeOtherSessions(scope.tx, by.account.id, sessionIdOf(by));
