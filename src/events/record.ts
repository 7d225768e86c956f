import { sql } from 'kysely';
import type { Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import type { EventData, EventKind } from './catalogue.ts';

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

/** Writes the events of a change that touches many things at once, in their order and still in one statement. */
export async function recordAll<Kind extends EventKind>(tx: Tx, events: readonly Event<Kind>[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ kind, owner, repository, actor, data, at }) => ({ kind, owner, repository, actor, data, at }));
  await sql`
    with event as (
      insert into events (kind, owner_id, repository_id, actor_id, data, created_at)
      select kind, owner, repository, actor, data, at
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as e(kind text, owner bigint, repository bigint, actor bigint, data jsonb, at timestamptz)
      returning id
    )
    select jobs.add_job('events.dispatch', json_build_object('event', event.id)) from event`.execute(tx);
}
