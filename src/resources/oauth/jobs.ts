import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { job } from '#jobs/job.ts';
import { addDays, addMinutes } from '#lib/time.ts';

const batchSize = 5_000;
/** For so long, a device that comes too late is told that its code has expired, and not that there is none. */
const keptMinutes = 60;
const refusalDays = 7;

type Expiring = { table: string; expired: (now: Date) => RawBuilder<boolean> };

const byTime = (table: string): Expiring => ({ table, expired: (now) => sql`expires_at < ${addMinutes(now, -keptMinutes)}` });

/** Everything that ends by time, refresh tokens before the tokens that they belong to. */
const expiring: readonly Expiring[] = [
  ...['sessions', 'authorization_codes', 'device_codes', 'app_manifest_codes', 'refresh_tokens'].map(byTime),
  // A token stays as long as it can be refreshed, since its refresh token ends with it.
  {
    table: 'tokens',
    expired: (now) => sql`expires_at < ${addMinutes(now, -keptMinutes)}
      and not exists (select from refresh_tokens r where r.token_id = tokens.id)`,
  },
  // The database's clock ends these windows.
  { table: 'rate_limits', expired: () => sql`window_ends < now()` },
  { table: 'limit_refusals', expired: (now) => sql`hour < ${addDays(now, -refusalDays)}` },
];

/** Removes what has expired, a bounded number of rows with each statement. */
export const removeExpired = job<Record<string, never>>({
  name: 'oauth.remove-expired',
  attempts: 3,
  schedule: { cron: '*/10 * * * *' },
  async run(_payload, { change, now }) {
    for (const { table, expired } of expiring) while ((await change((tx) => removeSome(tx, table, expired(now)))) === batchSize);
  },
});

/** Rows that a request is just using are left for the next time. */
async function removeSome(tx: Db, table: string, condition: RawBuilder<boolean>): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any (array(
      select ctid from ${sql.table(table)} where ${condition} limit ${batchSize} for update skip locked))`.execute(tx);
  return Number(numAffectedRows ?? 0);
}
