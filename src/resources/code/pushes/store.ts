import { sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { PushCommand } from '#git/transport/receive-request.ts';
import { gather } from '#lib/collections.ts';
import { asId, type Id } from '#lib/id.ts';
import type { FollowUp } from '#resources/follow-ups.ts';

/**
 * The intended commands of a push, which may have run. It is written before Git runs, and removed when its events and everything
 * that follows are recorded.
 */
export type Intent = {
  id: Id<'ref_changes'>;
  repository_id: Id<'repositories'>;
  actor_id: Id<'accounts'> | null;
  /** What isn't recorded yet. */
  commands: PushCommand[];
  /** Null: nothing but the events. */
  following: readonly FollowUp[] | null;
  started_at: Date;
};

type NewIntent = Omit<Intent, 'id' | 'commands' | 'following'> & {
  commands: readonly PushCommand[];
  following: readonly FollowUp[];
};

export async function insertIntent(db: Db, { commands, following, ...intent }: NewIntent): Promise<Id<'ref_changes'>> {
  const { id } = await db
    .insertInto('ref_changes')
    .values({
      ...intent,
      commands: JSON.stringify(commands),
      following: following.length === 0 ? null : JSON.stringify(following),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Removes an intent and returns its unrecorded commands; undefined if another process has recovered it. */
export async function removeIntent(
  tx: Tx,
  repository: Id<'repositories'>,
  id: Id<'ref_changes'>,
): Promise<PushCommand[] | undefined> {
  const { rows } = await sql<Pick<Intent, 'commands'>>`
    delete from ref_changes where repository_id = ${repository} and id = ${id} returning commands`.execute(tx);
  return rows[0]?.commands;
}

/** Replaces the commands of an intent with the unrecorded ones. */
export const updateIntent = (tx: Tx, id: Id<'ref_changes'>, commands: readonly PushCommand[]) =>
  tx
    .updateTable('ref_changes')
    .set({ commands: JSON.stringify(commands) })
    .where('id', '=', id)
    .execute();

/** Removes recorded commands from the other intents of the repository that have the same commands. */
export async function removeFromOthers(
  tx: Tx,
  { id, repository_id }: Pick<Intent, 'id' | 'repository_id'>,
  commands: readonly PushCommand[],
): Promise<void> {
  const recorded = JSON.stringify(commands.map(({ ref, from, to }) => ({ ref, from, to })));
  await sql`
    with recorded as (select command from jsonb_array_elements(${recorded}::jsonb) as command)
    update ref_changes c set commands = (
      select coalesce(jsonb_agg(command order by number), '[]')
      from jsonb_array_elements(c.commands) with ordinality as wanted(command, number)
      where command not in (select command from recorded))
    where c.repository_id = ${repository_id} and c.id <> ${id}
      and exists (select from jsonb_array_elements(c.commands) as command where command in (select command from recorded))
  `.execute(tx);
}

/** Whether an unfinished intent of a repository involves one of these refs. */
const isUnfinished = (repository: Id<'repositories'>, refs: readonly string[]) => sql<boolean>`
  exists (select from ref_changes c, jsonb_to_recordset(c.commands) as command(ref text)
    where c.repository_id = ${repository} and command.ref = any (${[...refs]}::text[]))`;

export async function hasUnfinished(db: Db, repository: Id<'repositories'>, refs: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select ${isUnfinished(repository, refs)} as found`.execute(db);
  return rows[0]?.found ?? false;
}

/** Whether an unfinished intent involves one of these refs, and which of them are fixed. Some fixed refs can still be deleted. */
export async function findObstacles(
  db: Db,
  repository: Id<'repositories'>,
  commands: readonly PushCommand[],
): Promise<{ unfinished: boolean; fixed: readonly string[] }> {
  const refs = gather(commands, 'ref');
  const deleted = commands.flatMap(({ ref, to }) => (to === null ? ref : []));
  const { rows } = await sql<{ unfinished: boolean; fixed: string[] }>`select
    ${isUnfinished(repository, refs)} as unfinished,
    array(select ref from fixed_refs where repository_id = ${repository} and ref = any (${refs})
      and not (may_be_deleted and ref = any (${deleted}))) as fixed`.execute(db);
  return rows[0] ?? { unfinished: false, fixed: [] };
}

/** Fixes a ref: nobody can move or delete it. */
export const fixRef = (tx: Tx, repository_id: Id<'repositories'>, ref: string) =>
  tx
    .insertInto('fixed_refs')
    .values({ repository_id, ref })
    .onConflict((clash) => clash.doNothing())
    .execute();

/** Reserves a fixed ref: nobody can move it. It can be deleted, but then not created again. */
export const reserveRef = (tx: Tx, repository: Id<'repositories'>, ref: string) =>
  tx
    .updateTable('fixed_refs')
    .set({ may_be_deleted: true })
    .where('repository_id', '=', repository)
    .where('ref', '=', ref)
    .execute();

/** Whether a ref is fixed, or reserved. */
export const isFixed = async (db: Db, repository: Id<'repositories'>, ref: string): Promise<boolean> =>
  (await db
    .selectFrom('fixed_refs')
    .select('ref')
    .where('repository_id', '=', repository)
    .where('ref', '=', ref)
    .executeTakeFirst()) !== undefined;

/** A repository's unfinished intents, oldest first. */
export const listIntents = async (db: Db, repository: Id<'repositories'>): Promise<Intent[]> =>
  (await sql<Intent>`select * from ref_changes where repository_id = ${repository} order by id`.execute(db)).rows;

/** An unfinished intent again, its row locked. */
export async function findIntentForUpdate(
  tx: Tx,
  repository: Id<'repositories'>,
  id: Id<'ref_changes'>,
): Promise<Intent | undefined> {
  const { rows } = await sql<Intent>`
    select * from ref_changes where repository_id = ${repository} and id = ${id} for update`.execute(tx);
  return rows[0];
}

/** Repositories with unfinished intents from before this time. */
export const listUnfinished = async (db: Db, before: Date): Promise<Id<'repositories'>[]> =>
  (
    await db
      .selectFrom('ref_changes')
      .select('repository_id')
      .distinct()
      .where('started_at', '<=', before)
      .orderBy('repository_id')
      .execute()
  ).map((row) => row.repository_id);

/** The values of refs after their latest events, null after a deletion. Refs without an event since this time are omitted. */
export async function loadRecordedTips(
  tx: Tx,
  repository: Id<'repositories'>,
  { refs, since }: { refs: readonly string[]; since: Date },
): Promise<Map<string, Oid | null>> {
  const { rows } = await sql<{ ref: string; after: Oid | null }>`
    select distinct on (move.ref) move.ref, move.after
    from events e, jsonb_to_recordset(e.data -> 'moves') as move(ref text, after text)
    where e.repository_id = ${repository} and e.kind = 'push' and e.created_at >= ${since}
      and move.ref = any (${[...refs]}::text[])
    order by move.ref, e.id desc`.execute(tx);
  return new Map(rows.map(({ ref, after }) => [ref, after]));
}

/** Repositories that were pushed to since this time. */
export const listPushed = async (db: Db, since: Date): Promise<Id<'repositories'>[]> =>
  (
    await db
      .selectFrom('events')
      .select('repository_id')
      .distinct()
      .where('kind', '=', 'push')
      .where('created_at', '>=', since)
      .where('repository_id', 'is not', null)
      .$narrowType<{ repository_id: number }>()
      .execute()
  ).map((row) => asId<'repositories'>(row.repository_id));
