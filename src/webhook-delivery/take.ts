import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { payloadText } from './payload.ts';

/** A webhook with due deliveries for an owner. */
export type DueHook = {
  owner_id: number;
  hook_id: Id<'webhooks'>;
  /** The number of consecutive failures of its deliveries. */
  failures: number;
  /** Whether its deliveries are paused now. */
  paused: boolean;
};

/** The position at which the next call continues. */
export type HookCursor = { owner: number; hook: number };

/** The number of webhooks that one call reads. */
const maxHooks = 5_000;
const maxHookId = '9223372036854775807';

/**
 * The webhooks with due deliveries, by owner. A recursive query skips in the index from one webhook to the next, and past the
 * owners in `skip`, so its time doesn't depend on the number of waiting deliveries. `next` is undefined at the end.
 */
export async function listDueHooks(
  db: Db,
  { skip, from, now }: { skip: readonly number[]; from: HookCursor | undefined; now: Date },
): Promise<{ hooks: DueHook[]; next: HookCursor | undefined }> {
  const { owner, hook } = from ?? { owner: 0, hook: 0 };
  const { rows } = await sql<DueHook & { due: boolean; step: number }>`
    with recursive walk (owner_id, hook_id, due_at, step) as (
      (select owner_id, hook_id, due_at, 1 from webhook_deliveries
        where due_at is not null and (owner_id, hook_id) > (${owner}::bigint, ${hook}::bigint)
        order by owner_id, hook_id, due_at limit 1)
      union all
      select next.owner_id, next.hook_id, next.due_at, walk.step + 1
      from walk cross join lateral (
        select d.owner_id, d.hook_id, d.due_at from webhook_deliveries d
        where d.due_at is not null and (d.owner_id, d.hook_id) >
          (walk.owner_id, case when walk.owner_id = any (${skip}::bigint[]) then ${maxHookId}::bigint else walk.hook_id end)
        order by d.owner_id, d.hook_id, d.due_at limit 1) next
      where walk.step < ${maxHooks}
    )
    select w.owner_id, w.hook_id, h.failures, coalesce(h.paused_until > ${now}, false) as paused,
      w.due_at <= ${now} and w.owner_id <> all (${skip}::bigint[]) as due, w.step
    from walk w join webhooks h on h.id = w.hook_id
    where w.step = ${maxHooks} or (w.due_at <= ${now} and w.owner_id <> all (${skip}::bigint[]))
    order by w.step`.execute(db);
  const last = rows.at(-1);
  return {
    hooks: rows.filter(({ due }) => due),
    next: last?.step === maxHooks ? { owner: last.owner_id, hook: last.hook_id } : undefined,
  };
}

/** The number of deliveries of a webhook that may be leased. */
export type Share = {
  owner: number;
  hook: Id<'webhooks'>;
  count: number;
  /** The bytes for payloads of this owner. The delivery that exceeds them is leased too. */
  ownerBytes: number;
};

/** A leased delivery of this process, with the data for sending it. */
export type LeasedDelivery = Row & { payload: string };

/** If deliveries share a payload, only the first row contains it. */
type Row = {
  id: Id<'webhook_deliveries'>;
  owner_id: number;
  hook_id: Id<'webhooks'>;
  payload_id: Id<'webhook_payloads'>;
  /** Bytes of the payload. */
  bytes: number;
  guid: string;
  event: string;
  attempt: number;
  installation_id: number | null;
  failures: number;
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

/**
 * Leases due deliveries to this process until `until`, the oldest of each webhook first. Afterwards another process may take
 * them, so that a killed process loses none. The payloads may have `bytes` in total. The delivery that exceeds them is leased
 * too.
 */
export async function leaseDue(
  db: Db,
  { shares, bytes, now, until }: { shares: readonly Share[]; bytes: number; now: Date; until: Date },
): Promise<LeasedDelivery[]> {
  const { rows } = await sql<Row & { body: string | null; names_installation: boolean }>`
    with due as (
      select d.id, d.owner_id, d.n, s.owner_bytes, octet_length(p.body) as bytes
      from unnest(${shares.map(({ owner }) => owner)}::bigint[], ${shares.map(({ hook }) => hook)}::bigint[],
          ${shares.map(({ count }) => count)}::bigint[], ${shares.map(({ ownerBytes }) => ownerBytes)}::bigint[])
          as s(owner, hook, count, owner_bytes)
        cross join lateral (
          select id, owner_id, payload_id, row_number() over (order by due_at, id) as n from (
            select id, owner_id, payload_id, due_at from webhook_deliveries
            where owner_id = s.owner and hook_id = s.hook and due_at <= ${now} order by due_at limit s.count) oldest) d
        join webhook_payloads p on p.id = d.payload_id
    ), summed as (
      select id, owner_bytes, bytes, sum(bytes) over (partition by owner_id order by n, id) - bytes as of_owner,
        sum(bytes) over (order by n, id) - bytes as of_all
      from due
    ), chosen as materialized (
      select id, bytes from summed where of_owner < owner_bytes and of_all < ${bytes}
    ), taken as (
      select id from webhook_deliveries where id in (select id from chosen) and due_at <= ${now} for update skip locked
    ), leased as (
      update webhook_deliveries d set due_at = ${until} from taken, chosen, webhooks h
      where d.id = taken.id and chosen.id = d.id and h.id = d.hook_id
      returning d.id, d.owner_id, d.hook_id, d.payload_id, chosen.bytes, d.guid, d.event, d.attempt, d.installation_id,
        h.failures, h.organization_id, h.repository_id, h.app_id, h.url, h.content_type, h.insecure_ssl, h.secret_sealed,
        h.username, h.password_sealed
    ), numbered as (
      select leased.*, row_number() over (partition by payload_id) as nth from leased
    )
    select n.*, p.names_installation, case when nth = 1 then p.body end as body
    from numbered n join webhook_payloads p on p.id = n.payload_id order by n.payload_id, nth`.execute(db);
  let body = '';
  return rows.map((row) => {
    body = row.body ?? body;
    return { ...row, payload: payloadText({ ...row, body }) };
  });
}

/** Postpones the due deliveries of paused webhooks, and records since when each webhook is throttled. */
export async function postponePaused(db: Db, hooks: readonly DueHook[], now: Date): Promise<void> {
  if (hooks.length === 0) return;
  await sql`
    update webhook_deliveries d set due_at = h.paused_until, throttled_at = coalesce(d.throttled_at, ${now})
    from unnest(${hooks.map(({ owner_id }) => owner_id)}::bigint[],
      ${hooks.map(({ hook_id }) => hook_id)}::bigint[]) as w(owner, hook)
      join webhooks h on h.id = w.hook
    where d.owner_id = w.owner and d.hook_id = w.hook and d.due_at <= ${now} and h.paused_until > ${now}`.execute(db);
}
