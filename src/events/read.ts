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
  return row && (asRecorded(row) as Recorded<Kind>); // the condition selects this kind
}

/** The number of a repository's events that are searched for pushes. */
const recentEvents = 10_000;

/** The people who moved a ref. */
export type Pushers = {
  /** The account that moved it to its current commit; undefined if unknown. */
  readonly latest: Id<'accounts'> | undefined;
  readonly all: readonly Id<'accounts'>[];
  /** Whether the list is complete: every push has a known account (unlike a push with a deploy key), and none is missing. */
  readonly isComplete: boolean;
};

/** A ref whose current object is `tip`, and an earlier object of it. */
type MovedRef = { readonly ref: string; readonly tip: string; readonly since: string };

/** The accounts that moved a ref after it was at an object, or after its creation; undefined if nobody did. */
export async function findPushers(
  db: Db,
  repository: Id<'repositories'>,
  { ref, tip, since }: MovedRef,
): Promise<Pushers | undefined> {
  const recent = sql`select * from events where repository_id = ${repository} order by id desc limit ${recentEvents}`;
  const [{ rows }, { rows: count }] = await Promise.all([
    sql<{ actor: Id<'accounts'> | null; before: string | null; after: string | null }>`
      with pushes as materialized (select e.* from (${recent}) e
        where e.kind = 'push' and e.data->'moves' @> ${JSON.stringify([{ ref }])}::jsonb)
      select p.actor_id as actor, move->>'before' as before, move->>'after' as after
      from pushes p cross join lateral jsonb_array_elements(p.data->'moves') as move
      where move->>'ref' = ${ref} order by p.id desc`.execute(db),
    sql<{ seen: number }>`select count(*)::int as seen from (${recent}) e`.execute(db),
  ]);
  const first = rows.findIndex(({ before, after }) => after === since || before === null);
  const isWhole = first >= 0 || (count[0]?.seen ?? 0) < recentEvents;
  if (rows.length === 0) return isWhole ? undefined : { latest: undefined, all: [], isComplete: false };
  const moves = first < 0 ? rows : rows.slice(0, rows[first]?.after === since ? first : first + 1);
  const all = moves.flatMap(({ actor }) => actor ?? []);
  const [last] = moves;
  const isTip = last?.after === tip;
  return {
    latest: isTip ? (last.actor ?? undefined) : undefined,
    all: [...new Set(all)],
    isComplete: isWhole && isTip && all.length === moves.length,
  };
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
