import { type Selectable, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { asId, type Id } from '#lib/id.ts';
import type { EventKind } from './kinds.ts';
import type { Recorded } from './subscription.ts';

/** An event by its number. */
export async function findEvent(db: Db, id: number): Promise<Recorded | undefined> {
  const row = await db.selectFrom('events').selectAll().where('id', '=', asId<'events'>(id)).executeTakeFirst();
  return row && asRecorded(row);
}

/** The last event of a kind in a repository. */
export async function findLatestEvent<Kind extends EventKind>(
  db: Db,
  repository: Id<'repositories'>,
  kind: Kind,
): Promise<Recorded<Kind> | undefined> {
  const row = await db
    .selectFrom('events')
    .selectAll()
    .where('repository_id', '=', repository)
    .where('kind', '=', kind)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && (asRecorded(row) as Recorded<Kind>); // of this kind by the condition
}

/** So many events of a repository are looked at for a push. */
const recentEvents = 500;

/** Whoever moved a ref to an object lately; undefined where no such push is found, or its pusher isn't known. */
export async function findPusher(
  db: Db,
  repository: Id<'repositories'>,
  { ref, oid }: { ref: string; oid: string },
): Promise<Id<'accounts'> | undefined> {
  const { rows } = await sql<{ actor_id: Id<'accounts'> | null }>`
    select e.actor_id from (select * from events where repository_id = ${repository} order by id desc limit ${recentEvents}) e
    where e.kind = 'push' and e.data->'moves' @> ${JSON.stringify([{ ref, after: oid }])}::jsonb order by e.id desc limit 1`.execute(
    db,
  );
  return rows[0]?.actor_id ?? undefined;
}

/** The event of a row. */
export const asRecorded = (row: Selectable<DB['events']>): Recorded =>
  ({
    id: row.id,
    kind: row.kind,
    owner: row.owner_id,
    repository: row.repository_id ?? undefined,
    actor: row.actor_id ?? undefined,
    at: row.created_at,
    data: row.data,
  }) as Recorded; // written by `record`, whose types bind kind and data
