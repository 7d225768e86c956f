// The tables of events that wait: until they are dispatched, and then in lanes of subscriptions that take batches.
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { asRecorded } from './read.ts';
import type { Recorded } from './subscription.ts';

type EventRow = Selectable<DB['events']>;

/** Lets one process dispatch at a time, until the transaction ends, so that events stay in order. False where another does. */
export async function tryLockDispatch(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('dispatch of events', 0)) as taken`.execute(tx);
  return rows[0]?.taken ?? false;
}

/** The first events that weren't dispatched, in the order of their ids. */
export async function listUndispatched(tx: Tx, limit: number): Promise<Recorded[]> {
  const { rows } = await sql<EventRow>`
    select e.* from undispatched_events u join events e on e.id = u.event_id order by u.event_id limit ${limit}`.execute(tx);
  return rows.map(asRecorded);
}

/** Whether an event isn't dispatched yet. */
export async function hasUndispatched(db: Db): Promise<boolean> {
  const { rows } = await sql<{ waits: boolean }>`select exists (select from undispatched_events) as waits`.execute(db);
  return rows[0]?.waits ?? false;
}

export async function removeUndispatched(tx: Tx, events: readonly Recorded[]): Promise<void> {
  await sql`delete from undispatched_events where event_id = any(${events.map(({ id }) => id)}::bigint[])`.execute(tx);
}

/** How many events, of the last `most` ones before this event, the owner had within the minute before it. */
export async function countRecent(tx: Tx, firsts: readonly Recorded[], most: number): Promise<Map<number, number>> {
  const rows = firsts.map(({ id, owner, at }) => ({ id, owner, at }));
  const counted = await sql<{ owner: number; count: number }>`
    select f.owner, (select count(*) filter (where last.created_at > f.at - interval '1 minute') from (
      select e.created_at from events e where e.owner_id = f.owner and e.id < f.id order by e.id desc limit ${most}) as last) as count
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as f(id bigint, owner bigint, at timestamptz)`.execute(tx);
  return new Map(counted.rows.map(({ owner, count }) => [owner, count]));
}

export type NewDelivery = { readonly lane: string; readonly event: Recorded };

/**
 * Puts events into lanes. In each, an owner's events take the turns after the last waiting one of the owner, and none before the
 * present turn: owners take turns, however many events one of them has.
 */
export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[]): Promise<void> {
  await sql`
    with given as materialized (
      select lane, owner_id, event_id, row_number() over (partition by lane, owner_id order by event_id) as nth
      from unnest(${deliveries.map(({ lane }) => lane)}::text[],
        ${deliveries.map(({ event }) => event.owner)}::bigint[], ${deliveries.map(({ event }) => event.id)}::bigint[])
        as g(lane, owner_id, event_id)
    ), present as materialized (
      select lane, (select d.turn from event_deliveries d where d.lane = s.lane order by d.turn limit 1) as turn
      from (select distinct lane from given) s
    ), last as materialized (
      select lane, owner_id, (select d.turn from event_deliveries d
        where d.lane = o.lane and d.owner_id = o.owner_id order by d.turn desc limit 1) as turn
      from (select distinct lane, owner_id from given) o
    )
    insert into event_deliveries (lane, owner_id, turn, event_id)
    select g.lane, g.owner_id, greatest(coalesce(p.turn, 1), coalesce(l.turn + 1, 1)) + g.nth - 1, g.event_id
    from given g join present p using (lane) join last l using (lane, owner_id) order by g.event_id`.execute(tx);
}

/** Those of these lanes in which events wait. */
export async function listWaiting(db: Db, lanes: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${lanes}::text[]) as s(name)
    where exists (select from event_deliveries d where d.lane = s.name)`.execute(db);
  return rows.map(({ name }) => name);
}

/** An event that waits in a lane. `tries`: how often it was begun before. */
export type WaitingDelivery = {
  readonly owner_id: number;
  readonly turn: number;
  readonly event_id: number;
  readonly tries: number;
  readonly event: Recorded | undefined;
};

/**
 * Removes what was delivered in a lane, and begins its next batch, in the order of turns. What an interrupted batch left comes one by one,
 * so that an event that ends the process is found.
 */
export async function nextBatch(
  db: Db,
  lane: string,
  { delivered, limit }: { delivered: readonly WaitingDelivery[]; limit: number },
): Promise<WaitingDelivery[]> {
  const { rows } = await sql<Omit<WaitingDelivery, 'event'> & EventRow & { found: number | null }>`
    with delivered as materialized (
      delete from event_deliveries d using ${given(delivered)} where ${among(lane)} returning d.owner_id, d.turn, d.event_id
    ), next as materialized (
      select owner_id, turn, event_id, tries, row_number() over (order by turn, event_id) as nth from event_deliveries
      where lane = ${lane} and (owner_id, turn, event_id) not in (select owner_id, turn, event_id from delivered)
      order by turn, event_id limit ${limit}
    ), batch as materialized (
      select * from next where nth = 1 or nth < coalesce((select min(nth) from next where tries > 0), ${limit + 1})
    ), begun as (
      update event_deliveries d set tries = d.tries + 1 from batch b
      where d.lane = ${lane} and d.owner_id = b.owner_id and d.turn = b.turn and d.event_id = b.event_id
    )
    select e.*, b.owner_id, b.turn, b.event_id, b.tries, e.id as found from batch b left join events e on e.id = b.event_id
    order by b.turn, b.event_id`.execute(db);
  return rows.map(({ turn, event_id, tries, found, ...row }) => ({
    owner_id: row.owner_id,
    turn,
    event_id,
    tries,
    event: found === null ? undefined : asRecorded(row),
  }));
}

export async function removeDeliveries(db: Db, lane: string, deliveries: readonly WaitingDelivery[]): Promise<void> {
  await sql`delete from event_deliveries d using ${given(deliveries)} where ${among(lane)}`.execute(db);
}

/** These deliveries, as the rows of `g`. */
const given = (deliveries: readonly WaitingDelivery[]) =>
  sql`unnest(${deliveries.map(({ owner_id }) => owner_id)}::bigint[], ${deliveries.map(({ turn }) => turn)}::bigint[],
    ${deliveries.map(({ event_id }) => event_id)}::bigint[]) as g(owner_id, turn, event_id)`;

/** Whether the row `d` is one of those of `g` in a lane. */
const among = (lane: string) =>
  sql<boolean>`d.lane = ${lane} and d.owner_id = g.owner_id and d.turn = g.turn and d.event_id = g.event_id`;
