import { sql } from 'kysely';
import type { Tx } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { LimitValues } from '#lib/limits.ts';
import { Refusal } from '#lib/refusal.ts';
import type { webhookLimits } from './limits.ts';
import type { HookRow } from './store.ts';

/** A test builds and stores the payload of a push again, so it counts as this many deliveries. */
export const costOfTest = 20;

type Quota = { limits: LimitValues<typeof webhookLimits>; cost: number };

/**
 * Counts requested deliveries (redeliveries, pings, tests), for the hook and for its owner. Throws a Refusal if
 * more were requested in an hour than the limits allow. The database's clock ends the hours, as with all rate limits.
 */
export async function countRequested(scope: WriteScope, hook: HookRow, { limits, cost }: Quota): Promise<void> {
  const { rows } = await sql<{ of: 'hook' | 'owner'; used: number; wait: number }>`
    with owner as (
      select coalesce(h.organization_id, r.owner_id, a.owner_id) as id from webhooks h
        left join repositories r on r.id = h.repository_id left join apps a on a.id = h.app_id
      where h.id = ${hook.id}
    ), counted as (
      insert into rate_limits as l (key, bucket, window_ends, used)
      select key, 'webhooks', now() + interval '1 hour', ${cost}::integer
      from owner cross join lateral (values ('webhook:' || ${hook.id}::bigint), ('webhooks-of:' || owner.id)) k(key)
      on conflict (key, bucket) do update set
        used = case when l.window_ends <= now() then excluded.used else l.used + excluded.used end,
        window_ends = case when l.window_ends <= now() then excluded.window_ends else l.window_ends end
      returning key, used, window_ends
    )
    select case when key like 'webhook:%' then 'hook' else 'owner' end as of, used,
      ceil(extract(epoch from window_ends - now()))::integer as wait from counted`.execute(scope.tx);
  for (const { of, used, wait } of rows) {
    const name = of === 'hook' ? 'requestedPerHook' : 'requestedPerOwner';
    if (used > limits[name]) throw tooMany(`webhooks.${name}`, limits[name], wait);
  }
}

/** Payloads up to this size, in bytes, are always stored. API requests alone don't create many that are larger. */
const defaultPayload = 64 * 1024;

/**
 * The maximum size, in bytes, of payloads of this owner that are currently stored and sent. One push may create thousands of
 * payloads that list thousands of commits each, so large ones are counted.
 */
export async function largestPayloadNow(
  tx: Tx,
  owner: number,
  payloads: readonly string[],
  limits: LimitValues<typeof webhookLimits>,
): Promise<number> {
  const large = payloads.map((text) => Buffer.byteLength(text)).filter((bytes) => bytes > defaultPayload);
  if (large.length === 0) return limits.payload;
  const kib = Math.ceil(large.reduce((sum, bytes) => sum + bytes, 0) / 1024);
  const { rows } = await sql<{ used: number }>`
    insert into rate_limits as l (key, bucket, window_ends, used)
    values (${`webhook-payloads-of:${owner}`}, 'webhooks', now() + interval '1 hour', ${kib})
    on conflict (key, bucket) do update set
      used = case when l.window_ends <= now() then excluded.used else least(l.used::bigint + excluded.used, 2147483647) end,
      window_ends = case when l.window_ends <= now() then excluded.window_ends else l.window_ends end
    returning used`.execute(tx);
  return (rows[0]?.used ?? 0) * 1024 > limits.largePayloads ? defaultPayload : limits.payload;
}

const tooMany = (limit: string, value: number, retryAfter: number): Refusal =>
  new Refusal('too_many', `At most ${value} redeliveries and pings may be asked for in an hour (${limit}).`, [], {
    limit,
    retryAfter,
  });
