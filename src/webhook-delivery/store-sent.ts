import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { firstHookPauseSeconds, maxConsecutiveFailures, maxHookPauseSeconds } from './backoff.ts';
import type { Outcome } from './outcome.ts';

/** A delivery after an attempt. `retryAt` is set if another attempt follows. */
export type Sent = {
  id: Id<'webhook_deliveries'>;
  hook: Id<'webhooks'>;
  /** The webhook's number of consecutive failures when the delivery was leased. */
  failures: number;
  event: string;
  at: Date;
  milliseconds: number;
  url: string;
  headers: Record<string, string>;
  outcome: Outcome;
  retryAt: Date | undefined;
};

/** Writes the outcomes of deliveries, and queues further attempts, in one statement. */
export async function storeSent(db: Db, sent: readonly Sent[]): Promise<void> {
  const rows = sent.map(({ id, at, milliseconds, url, headers, outcome, retryAt }) => ({
    id,
    at,
    ms: milliseconds,
    url,
    headers,
    code: outcome.statusCode,
    status: outcome.status,
    reply: outcome.headers,
    body: outcome.body,
    retry_at: retryAt ?? null,
  }));
  await sql`
    with sent as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as s(id bigint, at timestamptz, ms integer, url text,
        headers jsonb, code integer, status text, reply jsonb, body text, retry_at timestamptz)
    ), stored as (
      update webhook_deliveries d set due_at = null, delivered_at = s.at, duration_ms = s.ms, status_code = s.code,
        status = s.status, url = s.url, request_headers = s.headers, response_headers = s.reply, response_body = s.body
      from sent s where d.id = s.id and d.delivered_at is null
      returning d.owner_id, d.hook_id, d.payload_id, d.guid, d.event, d.action, d.attempt, d.installation_id, d.repository_id,
        s.retry_at, s.at
    )
    insert into webhook_deliveries (owner_id, hook_id, payload_id, guid, event, action, redelivery, attempt, installation_id,
      repository_id, due_at, created_at)
    select owner_id, hook_id, payload_id, guid, event, action, true, attempt + 1, installation_id, repository_id, retry_at, at
    from stored where retry_at is not null`.execute(db);
}

type FailureCounting = { failed: (sent: Sent) => boolean; pauses: 'pause' | 'never pause'; now: Date };

/**
 * Counts the consecutive failures of each webhook. All processes use the count to limit its concurrency, even after a restart.
 * With retries enabled, webhooks with too many failures are paused.
 */
export async function countFailures(db: Db, sent: readonly Sent[], { failed, pauses, now }: FailureCounting): Promise<void> {
  if (sent.every((one) => one.failures === 0 && !failed(one))) return;
  const hooks = [...Map.groupBy(sent, ({ hook }) => hook)].map(([id, all]) => ({
    id,
    failed: all.filter(failed).length,
    succeeded: all.some((one) => !failed(one)),
  }));
  await sql`
    update webhooks h set
      failures = case when c.succeeded then 0 else h.failures + c.failed end,
      paused_until = case when ${pauses === 'pause'} and not c.succeeded and h.failures + c.failed >= ${maxConsecutiveFailures}
        then ${now}::timestamptz + make_interval(secs => least(${maxHookPauseSeconds},
          ${firstHookPauseSeconds} * power(2, least(h.failures + c.failed - ${maxConsecutiveFailures}, 10)))) end
    from (
      -- In the order of their ids, so that two processes don't wait for each other.
      select c.* from jsonb_to_recordset(${JSON.stringify(hooks)}::jsonb) as c(id bigint, failed integer, succeeded boolean)
        join webhooks locked on locked.id = c.id
      where c.failed > 0 or locked.failures > 0 order by c.id for no key update of locked
    ) c
    where h.id = c.id and (c.failed > 0 or h.failures > 0)`.execute(db);
}
