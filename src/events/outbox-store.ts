// The tables of waiting events: events that aren't dispatched yet, and events in lanes for subscriptions that take batches.
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { asRecorded } from './read.ts';
import type { Recorded } from './subscription.ts';

type EventRow = Selectable<DB['events']>;

/**
 * The first undispatched events, ordered by id. Only one process at a time gets some, until its transaction ends, so events stay
 * in order.
 */
export async function takeUndispatched(tx: Tx, limit: number): Promise<Recorded[]> {
  const { rows } = await sql<EventRow>`
    with lock as materialized (select pg_try_advisory_xact_lock(hashtextextended('dispatch of events', 0)) as taken),
      first as materialized (
        select event_id from undispatched_events where (select taken from lock) order by event_id limit ${limit})
    select e.* from first join events e on e.id = first.event_id order by e.id`.execute(tx);
  return rows.map(asRecorded);
}

/** Whether an event isn't dispatched yet. */
export async function hasUndispatched(db: Db): Promise<boolean> {
  const { rows } = await sql<{ waits: boolean }>`select exists (select from undispatched_events) as waits`.execute(db);
  return rows[0]?.waits ?? false;
}

/** The number of an owner's events within the minute before the given event, among the last `most` ones before it. */
export async function countRecent(tx: Tx, firsts: readonly Recorded[], most: number): Promise<Map<number, number>> {
  const rows = firsts.map(({ id, owner, at }) => ({ id, owner, at }));
  const counted = await sql<{ owner: number; count: number }>`
    select f.owner, (select count(*) filter (where last.created_at > f.at - interval '1 minute') from (
      select e.created_at from events e where e.owner_id = f.owner and e.id < f.id
      order by e.id desc limit ${most}) as last) as count
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as f(id bigint, owner bigint, at timestamptz)`.execute(tx);
  return new Map(counted.rows.map(({ owner, count }) => [owner, count]));
}

/** The position of a waiting event: its lane and turn. */
export type Delivery = { readonly lane: string; readonly owner_id: number; readonly turn: number; readonly event_id: number };

/** Events for a lane. `tries` is the number of earlier attempts. */
export type NewDeliveries = {
  readonly lane: string;
  readonly own: readonly Pick<Delivery, 'owner_id' | 'event_id'>[];
  readonly tries: number;
};

/** Puts events into lanes. */
export async function insertDeliveries(tx: Tx, deliveries: readonly NewDeliveries[]): Promise<Delivery[]> {
  const { rows } = await sql<Delivery>`
    ${inserting(deliveries)} returning lane, owner_id, turn, event_id`.execute(tx);
  return rows;
}

/** Puts events into lanes, and removes all of `events` from the undispatched events. */
export async function dispatchDeliveries(
  tx: Tx,
  events: readonly Recorded[],
  deliveries: readonly NewDeliveries[],
): Promise<void> {
  const dispatched = sql`dispatched as (
    delete from undispatched_events where event_id = any(${events.map(({ id }) => id)}::bigint[]))`;
  await inserting(deliveries, dispatched).execute(tx);
}

/**
 * Inserts events into lanes. In each lane, an owner's events get the turns after the owner's last waiting event, but none before
 * the current turn. So owners take turns, even if one of them has many events.
 */
const inserting = (deliveries: readonly NewDeliveries[], also?: RawBuilder<unknown>) => sql`
  with ${also ? sql`${also}, ` : sql``}given as materialized (
    select lane, owner_id, event_id, tries, row_number() over (partition by lane, owner_id order by event_id) as nth
    from jsonb_to_recordset(${JSON.stringify(
      deliveries.flatMap(({ lane, own, tries }) => own.map(({ owner_id, event_id }) => ({ lane, owner_id, event_id, tries }))),
    )}::jsonb) as g(lane text, owner_id bigint, event_id bigint, tries smallint)
  ), present as materialized (
    select lane, (select d.turn from event_deliveries d where d.lane = s.lane order by d.turn limit 1) as turn
    from (select distinct lane from given) s
  ), last as materialized (
    select lane, owner_id, (select d.turn from event_deliveries d
      where d.lane = o.lane and d.owner_id = o.owner_id order by d.turn desc limit 1) as turn
    from (select distinct lane, owner_id from given) o
  )
  insert into event_deliveries (lane, owner_id, turn, event_id, tries)
  select g.lane, g.owner_id, greatest(coalesce(p.turn, 1), coalesce(l.turn + 1, 1)) + g.nth - 1, g.event_id, g.tries
  from given g join present p using (lane) join last l using (lane, owner_id) order by g.event_id`;

/** Finds which of the given lanes have waiting events. */
export async function listWaiting(db: Db, lanes: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${lanes}::text[]) as s(name)
    where exists (select from event_deliveries d where d.lane = s.name)`.execute(db);
  return rows.map(({ name }) => name);
}

/** An event that waits in a lane. `tries` is the number of earlier attempts. */
export type WaitingDelivery = Omit<Delivery, 'lane'> & { readonly tries: number; readonly event: Recorded | undefined };

/** The next events of a lane, and which of the other given lanes have waiting events. */
export type Batch = { readonly batch: readonly WaitingDelivery[]; readonly waitingLanes: readonly string[] };

/**
 * Removes the delivered events of a lane, and starts its next batch, in the order of turns. Events of an interrupted batch come
 * one by one, to identify an event that ends the process.
 * @param given.lanes the lanes to check for waiting events
 */
export async function nextBatch(
  db: Db,
  lane: string,
  given: { delivered: readonly WaitingDelivery[]; limit: number; lanes?: readonly string[] },
): Promise<Batch> {
  const { delivered, limit, lanes = [] } = given;
  const { rows } = await sql<Omit<WaitingDelivery, 'event'> & EventRow & { found: number | null; waiting: string[] | null }>`
    with delivered as materialized (
      delete from event_deliveries d using ${rowsOf(delivered)} where ${among(lane)} returning d.owner_id, d.turn, d.event_id
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
    select e.*, b.owner_id, b.turn, b.event_id, b.tries, e.id as found, (
      select array_agg(name) from unnest(${lanes}::text[]) as s(name)
      where exists (select from event_deliveries w where w.lane = s.name)) as waiting
    from batch b left join events e on e.id = b.event_id
    order by b.turn, b.event_id`.execute(db);
  const batch = rows.map(({ turn, event_id, tries, found, waiting: _, ...row }) => ({
    owner_id: row.owner_id,
    turn,
    event_id,
    tries,
    event: found === null ? undefined : asRecorded(row),
  }));
  return { batch, waitingLanes: rows[0]?.waiting ?? [] };
}

export async function removeDeliveries(db: Db, lane: string, deliveries: readonly Omit<Delivery, 'lane'>[]): Promise<void> {
  await sql`delete from event_deliveries d using ${rowsOf(deliveries)} where ${among(lane)}`.execute(db);
}

/** These deliveries, as the rows `g`. */
const rowsOf = (deliveries: readonly Omit<Delivery, 'lane'>[]) =>
  sql`unnest(${deliveries.map(({ owner_id }) => owner_id)}::bigint[], ${deliveries.map(({ turn }) => turn)}::bigint[],
    ${deliveries.map(({ event_id }) => event_id)}::bigint[]) as g(owner_id, turn, event_id)`;

/** Whether the row `d` is in a lane and matches one of the rows `g`. */
const among = (lane: string) =>
  sql<boolean>`d.lane = ${lane} and d.owner_id = g.owner_id and d.turn = g.turn and d.event_id = g.event_id`;
