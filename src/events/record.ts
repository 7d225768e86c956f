import { sql } from 'kysely';
import type { Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import type { EventData, EventKind } from './kinds.ts';

/** Something that happened. It holds ids, not rows: subscribers read the present state. */
export type Event<Kind extends EventKind = EventKind> = {
  kind: Kind;
  /** The account that owns what the event is about. */
  owner: Id<'accounts'>;
  repository?: Id<'repositories'>;
  actor: Id<'accounts'> | undefined;
  at: Date;
  data: EventData[Kind];
};

/**
 * Writes an event and the job that dispatches it, in the transaction of the change (an outbox): an event exists exactly if its
 * change was committed.
 */
export const record = <Kind extends EventKind>(tx: Tx, event: Event<Kind>): Promise<void> => recordAll(tx, [event]);

/** Writes an event for each of the items that one change affects. */
export const recordEach = <Item, Kind extends EventKind>(
  tx: Tx,
  items: readonly Item[],
  event: (item: Item) => Event<Kind>,
): Promise<void> => recordAll(tx, items.map(event));

/** The priority of an owner's jobs falls after so many events within a minute, and again after so many. */
const firstThreshold = 100;
const secondThreshold = 1_000;

/**
 * Writes several events in their order, in one statement. Jobs of an owner with many events within a minute get a lower priority,
 * so that they don't delay those of other owners.
 */
export async function recordAll<Kind extends EventKind>(tx: Tx, events: readonly Event<Kind>[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ kind, owner, repository, actor, data, at }) => ({ kind, owner, repository, actor, data, at }));
  await sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as e(kind text, owner bigint, repository bigint, actor bigint, data jsonb, at timestamptz)
    ), owners as materialized (
      select owner, case when not ${hasManyRecent(firstThreshold)} then 0 when not ${hasManyRecent(secondThreshold)} then 1 else 2 end
        as priority
      from (select owner, max(at) as at from given group by owner) o
    ), event as (
      insert into events (kind, owner_id, repository_id, actor_id, data, created_at)
      select kind, owner, repository, actor, data, at from given
      returning id, owner_id
    ), numbered as (
      select id, owner_id, row_number() over (partition by owner_id order by id) as nth from event
    ), added as (
      select n.id, greatest(o.priority,
        case when nth <= ${firstThreshold} then 0 when nth <= ${secondThreshold} then 1 else 2 end) as priority
      from numbered n join owners o on o.owner = n.owner_id
    )
    select jobs.add_job('events.dispatch', json_build_object('event', id, 'priority', priority), priority => priority)
    from added order by id`.execute(tx);
}

/** Whether the last `count` events of an owner happened within a minute. */
const hasManyRecent = (count: number) => sql`coalesce((
  select e.created_at > o.at - interval '1 minute' from events e
  where e.owner_id = o.owner order by e.id desc offset ${count - 1} limit 1), false)`;
