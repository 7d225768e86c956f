import { refundRequest } from '#access/rate-limits.ts';
import type { Db } from '#database/connect.ts';
import type { Caller } from '#lib/caller.ts';
import type { ResourceLimits } from '#lib/limits.ts';
import { hashToken } from '#lib/token.ts';
import { isKnownAddress } from './known-addresses.ts';
import { callerAt, countUse } from './limits.ts';
import { oauthLimits } from './resource-limits.ts';

export const tooManyTries = 'Too many tries. Wait a quarter of an hour.';

/** A counted attempt to sign in. */
type Attempt = {
  /** What the check of the password counts against. Those who signed in before at their address have turns of their own. */
  readonly caller: Caller;
  refund(): Promise<void>;
};

/**
 * Counts an attempt to sign in, whether or not the user exists. Successful attempts are refunded. At an address from which the
 * account has signed in before, only its own wrong passwords from there count. This way, neither strangers who guess its password
 * nor neighbours who guess others' lock out its owner. At other addresses, all wrong passwords from the address count, and all
 * for the user name.
 * @throws Refusal `too_many` beyond a limit
 */
export async function countAttempt(
  db: Db,
  resourceLimits: ResourceLimits,
  { login, address }: { login: string; address: string },
): Promise<Attempt> {
  const { wrongPasswords, wrongPasswordsOfUser, wrongPasswordsAtAddress } = resourceLimits.of(oauthLimits);
  const caller = callerAt(address);
  const name = hashToken(login.toLowerCase()).toString('base64url');
  const isKnown = await isKnownAddress(db, login, caller);
  const uses = isKnown
    ? [{ key: `sign-in:user:${name}:${caller.key}`, limit: 'oauth.wrongPasswordsAtAddress', max: wrongPasswordsAtAddress }]
    : [
        { key: `sign-in:${caller.key}`, limit: 'oauth.wrongPasswords', max: wrongPasswords },
        { key: `sign-in:user:${name}`, limit: 'oauth.wrongPasswordsOfUser', max: wrongPasswordsOfUser },
      ];
  for (const { key, ...limit } of uses) await countUse(db, key, { ...limit, message: tooManyTries });
  return {
    caller: isKnown ? { key: `sign-in:${name}:${caller.key}`, kind: 'signed_in' } : caller,
    async refund() {
      for (const { key } of uses) await refundRequest(db, key, 'core');
    },
  };
}
