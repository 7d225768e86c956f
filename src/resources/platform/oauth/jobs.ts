import { sql } from 'kysely';
import { removeEndedWindows } from '#access/rate-limits.ts';
import type { Tx } from '#database/connect.ts';
import { removeSome } from '#database/remove-some.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import { job } from '#jobs/job.ts';
import { repeatWhile } from '#jobs/repeat.ts';
import { addDays, addMinutes } from '#lib/time.ts';
import { removeExpiredTokens } from '#resources/identity/tokens/index.ts';
import { removeExpiredManifestCodes } from '#resources/repositories/apps/index.ts';
import { removeUnusedAddresses } from './known-addresses.ts';

/** How long expired rows are kept, so that a late device gets the error `expired_token` and not `incorrect_device_code`. */
const keptMinutes = 60;
const refusalDays = 7;

/** Removes a batch of rows that expired before a time. Returns whether there may be more. */
type Removal = (tx: Tx, kept: Date, now: Date) => Promise<boolean>;

/** The tables with rows that expire, refresh tokens before their tokens. */
const removals: readonly Removal[] = [
  (tx, kept) => removeSome(tx, 'sessions', sql`expires_at < ${kept}`),
  (tx, kept) => removeSome(tx, 'authorization_codes', sql`expires_at < ${kept}`),
  (tx, kept) => removeSome(tx, 'device_codes', sql`expires_at < ${kept}`),
  removeExpiredManifestCodes,
  (tx, kept) => removeSome(tx, 'app_manifest_requests', sql`expires_at < ${kept}`),
  (tx, kept) => removeSome(tx, 'refresh_tokens', sql`expires_at < ${kept}`),
  removeExpiredTokens,
  removeEndedWindows,
  (tx, _kept, now) => removeUnusedAddresses(tx, now),
  (tx, _kept, now) => removeSome(tx, 'limit_refusals', sql`hour < ${addDays(now, -refusalDays)}`),
];

/** Removes expired rows, a bounded number with each statement. */
export const removeExpired = job<Record<string, never>>({
  name: 'oauth.remove-expired',
  attempts: 3,
  schedule: { cron: '*/10 * * * *' },
  async run(_payload, { change, now, stopping }: JobContext) {
    const kept = addMinutes(now, -keptMinutes);
    for (const remove of removals) await repeatWhile({ stopping }, () => change((scope) => remove(scope.tx, kept, now)));
  },
});
