import { sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { tooManyWaiting } from './outcome.ts';

/** Removes deleted webhooks whose last delivery was sent. */
export const removeDeliveredHooks = async (db: Db): Promise<void> => {
  await sql`
    delete from webhooks h where h.deleted_at is not null
      and not exists (select from webhook_deliveries d where d.hook_id = h.id and d.due_at is not null)`.execute(db);
};

/** Removes up to `limit` deliveries from before a time. Returns their number. */
export async function removeDeliveriesBefore(tx: Tx, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_deliveries where id in (
      select id from webhook_deliveries where created_at < ${before} and due_at is null limit ${limit})`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/**
 * Removes payloads without deliveries, from the next `limit` payloads after an id. Returns the last checked id; undefined at the
 * end.
 */
export async function removeUnusedPayloads(
  tx: Tx,
  after: Id<'webhook_payloads'>,
  limit: number,
): Promise<Id<'webhook_payloads'> | undefined> {
  const { rows } = await sql<{ last: Id<'webhook_payloads'> | null }>`
    with looked_at as materialized (
      select id from webhook_payloads where id > ${after} order by id limit ${limit}
    ), removed as (
      delete from webhook_payloads p using looked_at l
      where p.id = l.id and not exists (select from webhook_deliveries d where d.payload_id = l.id)
    )
    select max(id) as last from looked_at`.execute(tx);
  return rows[0]?.last ?? undefined;
}

/** The accounts whose deliveries take more than `limit` bytes. A shared payload is counted once. */
export async function listOwnersStoringMore(db: Db, limit: number): Promise<number[]> {
  const { rows } = await sql<{ owner_id: number }>`
    with replies as (
      select owner_id, payload_id, sum(${replyBytes}) as bytes from webhook_deliveries d group by owner_id, payload_id
    )
    select owner_id from replies join webhook_payloads p on p.id = payload_id
    group by owner_id having sum(bytes + octet_length(p.body)) > ${limit}`.execute(db);
  return rows.map(({ owner_id }) => owner_id);
}

/**
 * Removes an account's oldest deliveries, so that the others take up to `limit` bytes. Waiting deliveries stay. Returns the
 * number of removed deliveries.
 */
export async function removeOldestDeliveries(tx: Tx, owner: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_deliveries where due_at is null and id in (
      select id from (
        select id, sum(bytes) over (order by id desc) as total from (
          select d.id, ${replyBytes}
            + case when row_number() over (partition by d.payload_id order by d.id desc) = 1
              then octet_length(p.body) else 0 end as bytes
          from webhook_deliveries d join webhook_payloads p on p.id = d.payload_id where d.owner_id = ${owner}) counted) summed
      where total > ${limit})`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

const replyBytes = sql<number>`(coalesce(octet_length(d.response_body), 0) + coalesce(pg_column_size(d.response_headers), 0)
  + coalesce(pg_column_size(d.request_headers), 0))::bigint`;

/** Cancels the oldest waiting deliveries to failing webhooks of each account beyond `limit`. Returns their number. */
export async function dropWaitingBeyond(tx: Tx, limit: number, now: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    update webhook_deliveries set due_at = null, delivered_at = ${now}, duration_ms = 0, status = ${tooManyWaiting.status},
      status_code = ${tooManyWaiting.statusCode}
    where due_at is not null and id in (
      select id from (
        select d.id, row_number() over (partition by d.owner_id order by d.id desc) as n
        from webhook_deliveries d join webhooks h on h.id = d.hook_id where d.due_at is not null and h.failures > 0) waiting
      where n > ${limit})`.execute(tx);
  return Number(numAffectedRows ?? 0);
}
