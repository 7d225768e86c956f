import { sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { breakerPause, longestBreakerPause, tolerated } from './backoff.ts';
import { type Outcome, tooLarge } from './outcome.ts';
import { largestPayload } from './settings.ts';

/** A delivery to be sent. */
export type NewDelivery = {
  hook_id: Id<'webhooks'>;
  guid: string;
  event: string;
  action: string | null;
  installation_id?: number | null;
  repository_id?: number | null;
  payload: string;
};

/**
 * Queues deliveries in the transaction that makes them necessary. A delivery that is there already isn't added again. One that is
 * too large is recorded and not sent.
 */
export async function queueDeliveries(tx: Tx, wanted: readonly NewDelivery[], now: Date): Promise<void> {
  if (wanted.length === 0) return;
  await tx
    .insertInto('webhook_deliveries')
    .values(
      wanted.map((delivery) =>
        Buffer.byteLength(delivery.payload) > largestPayload
          ? {
              ...delivery,
              payload: '{}',
              created_at: now,
              delivered_at: now,
              duration_ms: 0,
              status: tooLarge.status,
              status_code: tooLarge.statusCode,
            }
          : { ...delivery, created_at: now, due_at: now },
      ),
    )
    // Not as a parameter: a prepared plan doesn't know its value, and couldn't match the predicate of the index.
    .onConflict((conflict) => conflict.columns(['hook_id', 'guid']).where(sql<boolean>`not redelivery`).doNothing())
    .execute();
}

/** A delivery that this process has taken, with what is needed to send it. */
export type Taken = {
  id: Id<'webhook_deliveries'>;
  hook_id: Id<'webhooks'>;
  guid: string;
  event: string;
  payload: string;
  attempt: number;
  organization_id: Id<'accounts'> | null;
  repository_id: Id<'repositories'> | null;
  app_id: Id<'apps'> | null;
  url: string;
  content_type: 'json' | 'form';
  insecure_ssl: boolean;
  secret_sealed: Buffer | null;
  username: string | null;
  password_sealed: Buffer | null;
};

/** How many deliveries of each hook may be taken now. Hooks that aren't in `known` may have `unknown`. */
export type Room = { known: ReadonlyMap<number, number>; unknown: number; total: number };

/** The number of due rows among which one call chooses. */
const window = 2_000;

/**
 * Takes due deliveries for this process until `until`. After that, another process may take them, so that a killed process loses
 * none. Hooks without room are skipped, so that a receiver that hangs doesn't hold up others.
 */
export async function takeDue(db: Db, room: Room, now: Date, until: Date): Promise<Taken[]> {
  const hooks = [...room.known.keys()];
  const full = hooks.filter((hook) => (room.known.get(hook) ?? 0) <= 0);
  const { rows } = await sql<Taken>`
    with due as (
      select id, hook_id, due_at from webhook_deliveries
      where due_at <= ${now} and hook_id <> all (${full}::bigint[]) order by due_at limit ${window}
    ), numbered as (
      select due.id, due.due_at, due.hook_id, row_number() over (partition by due.hook_id order by due.due_at, due.id) as n from due
    ), chosen as (
      select numbered.id from numbered
        left join unnest(${hooks}::bigint[], ${hooks.map((hook) => room.known.get(hook) ?? 0)}::bigint[]) as r(hook, free)
          on r.hook = numbered.hook_id
      where n <= coalesce(r.free, ${room.unknown}) order by n, numbered.due_at limit ${room.total}
    ), taken as (
      select id from webhook_deliveries where id in (select id from chosen) and due_at <= ${now} for update skip locked
    )
    update webhook_deliveries d set due_at = ${until} from taken, webhooks h
    where d.id = taken.id and h.id = d.hook_id
    returning d.id, d.hook_id, d.guid, d.event, d.payload, d.attempt, h.organization_id, h.repository_id, h.app_id,
      h.url, h.content_type, h.insecure_ssl, h.secret_sealed, h.username, h.password_sealed`.execute(db);
  return rows;
}

/** Postpones the due deliveries of hooks whose breaker is open, and notes it on each. */
export const throttle = async (db: Db, now: Date): Promise<void> => {
  await sql`
    update webhook_deliveries d set due_at = h.paused_until, throttled_at = coalesce(d.throttled_at, ${now})
    from webhooks h where h.id = d.hook_id and h.paused_until > ${now} and d.due_at <= ${now}`.execute(db);
};

/** A delivery after an attempt. `retryAt` is there if another attempt follows. */
export type Sent = {
  id: Id<'webhook_deliveries'>;
  hook: Id<'webhooks'>;
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
      returning d.hook_id, d.guid, d.event, d.action, d.attempt, d.installation_id, d.repository_id, d.payload, s.retry_at, s.at
    )
    insert into webhook_deliveries
      (hook_id, guid, event, action, redelivery, attempt, installation_id, repository_id, payload, due_at, created_at)
    select hook_id, guid, event, action, true, attempt + 1, installation_id, repository_id, payload, retry_at, at
    from stored where retry_at is not null`.execute(db);
}

/** Counts failures in a row for each hook, and opens or closes its breaker. */
export async function countFailures(db: Db, sent: readonly Sent[], failed: (sent: Sent) => boolean, now: Date): Promise<void> {
  const hooks = [...Map.groupBy(sent, ({ hook }) => hook)].map(([id, all]) => ({
    id,
    failed: all.filter(failed).length,
    succeeded: all.some((one) => !failed(one)),
  }));
  await sql`
    update webhooks h set
      failures = case when c.succeeded then 0 else h.failures + c.failed end,
      paused_until = case when not c.succeeded and h.failures + c.failed >= ${tolerated}
        then ${now}::timestamptz + make_interval(secs => least(${longestBreakerPause},
          ${breakerPause} * power(2, least(h.failures + c.failed - ${tolerated}, 10)))) end
    from jsonb_to_recordset(${JSON.stringify(hooks)}::jsonb) as c(id bigint, failed integer, succeeded boolean)
    where h.id = c.id and (c.failed > 0 or h.failures > 0)`.execute(db);
}

/** Removes the rows of deleted hooks whose last delivery has been sent. */
export const removeToldHooks = async (db: Db): Promise<void> => {
  await sql`
    delete from webhooks h where h.deleted_at is not null
      and not exists (select from webhook_deliveries d where d.hook_id = h.id and d.due_at is not null)`.execute(db);
};

/** Removes deliveries from before a time, `most` at once. Returns their number. */
export async function removeDeliveriesBefore(tx: Tx, before: Date, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_deliveries where id in (
      select id from webhook_deliveries where created_at < ${before} and due_at is null limit ${most})`.execute(tx);
  return Number(numAffectedRows ?? 0);
}
