import { sql } from 'kysely';
import { sendUnawaited, type Tx } from '#database/connect.ts';
import { signalAfter } from '#database/work-signals.ts';
import type { Id } from '#lib/id.ts';
import type { EventData, EventKind } from './kinds.ts';

/** An event holds ids, not rows: subscribers read the current state. */
export type Event<Kind extends EventKind = EventKind> = {
  kind: Kind;
  /** The account that owns the subject of the event. */
  owner: Id<'accounts'>;
  repository?: Id<'repositories'>;
  actor: Id<'accounts'> | undefined;
  at: Date;
  data: EventData[Kind];
};

/**
 * Writes an event into the outbox, in the transaction of the change. The event exists exactly if its change is committed. A
 * worker delivers it afterwards.
 */
export const record = <Kind extends EventKind>(tx: Tx, event: Event<Kind>): Promise<void> => recordAll(tx, [event]);

/** Writes an event for each item that a change affects. */
export const recordEach = <Item, Kind extends EventKind>(
  tx: Tx,
  items: readonly Item[],
  event: (item: Item) => Event<Kind>,
): Promise<void> => recordAll(tx, items.map(event));

/** Writes several events in order, in one statement that isn't awaited. */
export async function recordAll<Kind extends EventKind>(tx: Tx, events: readonly Event<Kind>[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ kind, owner, repository, actor, data, at }) => ({ kind, owner, repository, actor, data, at }));
  const write = sql`
    with event as (
      insert into events (kind, owner_id, repository_id, actor_id, data, created_at)
      select kind, owner, repository, actor, data, at from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as given(kind text, owner bigint, repository bigint, actor bigint, data jsonb, at timestamptz)
      returning id
    )
    insert into undispatched_events (event_id) select id from event`;
  sendUnawaited(tx, write.compile(tx));
  signalAfter(tx, 'events');
}
