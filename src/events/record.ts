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
 * Writes an event, and the job that will bring it to its subscribers, in the transaction of the change itself. So a committed
 * change can't lose its consequences, and a rolled-back one has none.
 */
export const record = <Kind extends EventKind>(tx: Tx, event: Event<Kind>): Promise<void> => recordAll(tx, [event]);

/** Writes an event for each of the things that a change touches at once. */
export const recordEach = <Thing, Kind extends EventKind>(
  tx: Tx,
  things: readonly Thing[],
  event: (thing: Thing) => Event<Kind>,
): Promise<void> => recordAll(tx, things.map(event));

/** How many events of an owner within a minute have consequences in their turn, and how many after those of others. */
const eventsFirst = 100;
const eventsSecond = 1_000;

/**
 * Writes the events of a change that touches many things at once, in their order and still in one statement. What follows from the
 * events of an owner who had many within a minute comes after what follows from those of others.
 */
export async function recordAll<Kind extends EventKind>(tx: Tx, events: readonly Event<Kind>[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ kind, owner, repository, actor, data, at }) => ({ kind, owner, repository, actor, data, at }));
  await sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as e(kind text, owner bigint, repository bigint, actor bigint, data jsonb, at timestamptz)
    ), owners as materialized (
      select owner, case when not ${manyLately(eventsFirst)} then 0 when not ${manyLately(eventsSecond)} then 1 else 2 end
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
        case when nth <= ${eventsFirst} then 0 when nth <= ${eventsSecond} then 1 else 2 end) as priority
      from numbered n join owners o on o.owner = n.owner_id
    )
    select jobs.add_job('events.dispatch', json_build_object('event', id, 'priority', priority), priority => priority)
    from added order by id`.execute(tx);
}

/** Whether the last `count` events of an owner happened within a minute. */
const manyLately = (count: number) => sql`coalesce((
  select e.created_at > o.at - interval '1 minute' from events e
  where e.owner_id = o.owner order by e.id desc offset ${count - 1} limit 1), false)`;
