// The first start of an empty server: its first administrator, an organization or none, and a first repository.
import type { Account } from '#access/viewer.ts';
import { change, type Db } from '#database/connect.ts';
import type { Needs, WriteScope } from '#endpoint/scope.ts';
import { invalid, notFound } from '#lib/refusal.ts';
import { addDays, addMinutes } from '#lib/time.ts';
import { hashToken, newToken } from '#lib/token.ts';
import { createUser } from '#resources/identity/accounts/index.ts';
import { createOrganization } from '#resources/identity/organizations/index.ts';
import { createClassicToken } from '#resources/identity/tokens/index.ts';
import { createRepository } from '#resources/repositories/repositories/index.ts';
import { firstStartMinutes } from './first-start-minutes.ts';
import { hashPassword } from './passwords.ts';
import { changePassword } from './rules.ts';
import { consumeFirstStart, findFirstStart, hasUsers, putFirstStart, removeFirstStart } from './store.ts';

/**
 * Offers the first start of a server without users.
 * @returns the path of the page, with its token; undefined once the server has a user
 */
export const offerFirstStart = (db: Db, now: Date): Promise<string | undefined> =>
  change(db, async (tx) => {
    if (await hasUsers(tx)) {
      await removeFirstStart(tx);
      return undefined;
    }
    const token = newToken('');
    await putFirstStart(tx, { hash: hashToken(token), expires_at: addMinutes(now, firstStartMinutes) });
    return `/setup/${token}`;
  });

/** Whether a token begins the first start: it hasn't expired or been used, and no user exists. */
export const isFirstStart = async (db: Db, token: string, now: Date): Promise<boolean> =>
  (await findFirstStart(db, hashToken(token), now)) && !(await hasUsers(db));

type Wanted = {
  readonly login: string;
  readonly passwordHash: string;
  readonly organization: string | undefined;
  readonly repository: string | undefined;
  /** Whether a token for Git is wanted. */
  readonly withToken: boolean;
};

type FirstStarted = {
  readonly account: Account;
  /** The full name of the repository. */
  readonly repository: string | undefined;
  readonly token: string | undefined;
};

/** How long the first token lasts. */
const firstTokenDays = 30;

/**
 * Uses up the token of the first start, and makes what is wanted.
 * @throws Refusal 404 if the token isn't that of the first start, 422 for a name that isn't possible
 */
export async function startFirst(
  scope: WriteScope & Needs<'git' | 'repositoryRules'>,
  token: string,
  { login, passwordHash, organization, repository, withToken }: Wanted,
): Promise<FirstStarted> {
  const { now } = scope;
  if (!(await consumeFirstStart(scope.tx, hashToken(token), now)) || (await hasUsers(scope.tx))) throw notFound();
  const account = await createUser(scope, { login, passwordHash, siteAdmin: true, now });
  const owner: Account =
    organization === undefined ? account : await createOrganization(scope, { login: organization, owner: account, now });
  if (repository !== undefined)
    await createRepository(scope, {
      git: scope.services.git,
      owner: { ...owner, role: 'owner' },
      by: { account, grant: { kind: 'none' } },
      wanted: { name: repository, visibility: 'private' },
      now,
    });
  const scopes = ['repo', 'workflow', 'read:org'];
  const made = withToken
    ? await createClassicToken(scope, {
        user: account,
        scopes,
        name: 'First start',
        expiresAt: addDays(now, firstTokenDays),
        now,
      })
    : undefined;
  return {
    account,
    repository: repository === undefined ? undefined : `${owner.login}/${repository}`,
    token: made?.token,
  };
}

/** The hash of the password that was entered twice. @throws Refusal 422 */
export async function hashRepeated(password: string, again: string): Promise<string> {
  if (password !== again) throw invalid('User', 'again', 'invalid', 'The two passwords differ');
  return hashPassword(password);
}

/**
 * Makes the first administrator of a server without users, as the operator's settings name it.
 * @returns whether it was made
 * @throws Refusal for a login or a password that isn't possible
 */
export async function ensureFirstAdministrator(
  scope: WriteScope,
  { login, password }: { login: string; password: string },
): Promise<boolean> {
  if (await hasUsers(scope.tx)) return false;
  const account = await createUser(scope, { login, siteAdmin: true, now: scope.now });
  await changePassword(scope, account.id, await hashPassword(password));
  return true;
}
