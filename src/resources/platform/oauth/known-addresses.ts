// The addresses from which accounts signed in on the web.
import { sql } from 'kysely';
import type { Account } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { removeSome } from '#database/remove-some.ts';
import type { Caller } from '#lib/caller.ts';
import { addDays } from '#lib/time.ts';
import { hashToken } from '#lib/token.ts';

/** Addresses that weren't used for longer are removed. */
const keptDays = 180;

/** Whether an account has signed in from an address before. Only the digest is stored, since nobody needs to read the address. */
export async function isKnownAddress(db: Db, login: string, { key }: Caller): Promise<boolean> {
  const found = await db
    .selectFrom('known_addresses as k')
    .innerJoin('accounts as a', 'a.id', 'k.account_id')
    .select('k.account_id')
    .where(sql<boolean>`lower(a.login) = lower(${login})`)
    .where('k.address_hash', '=', hashToken(key))
    .executeTakeFirst();
  return found !== undefined;
}

/** Stores that an account signed in from an address. Beyond `max`, the least recently used addresses are removed. */
export async function rememberAddress(
  tx: Tx,
  { account, address, now, max }: { account: Account['id']; address: Caller; now: Date; max: number },
): Promise<void> {
  await tx
    .insertInto('known_addresses')
    .values({ account_id: account, address_hash: hashToken(address.key), last_used_at: now })
    .onConflict((conflict) => conflict.columns(['account_id', 'address_hash']).doUpdateSet({ last_used_at: now }))
    .execute();
  await sql`delete from known_addresses where account_id = ${account} and address_hash in (
    select address_hash from known_addresses where account_id = ${account}
    order by last_used_at desc, address_hash offset ${max})`.execute(tx);
}

export const removeUnusedAddresses = (tx: Tx, now: Date): Promise<boolean> =>
  removeSome(tx, 'known_addresses', sql`last_used_at < ${addDays(now, -keptDays)}`);
