import { type Insertable, sql } from 'kysely';
import type { Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

/** A milestone as it was on another server. */
type ImportedMilestone = Omit<Insertable<DB['milestones']>, 'repository_id'> & { repository_id: Id<'repositories'> };

/**
 * Inserts milestones with the numbers that they had elsewhere, without events, as far as number and title are free. Returns the
 * ids of the milestones that have the given numbers now, in the order of the rows; undefined where there is none.
 */
export async function insertImportedMilestones(
  tx: Tx,
  milestones: readonly ImportedMilestone[],
): Promise<(Id<'milestones'> | undefined)[]> {
  if (milestones.length === 0) return [];
  await tx
    .insertInto('milestones')
    .values([...milestones])
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { rows } = await sql<{ id: Id<'milestones'> | null }>`
    select m.id
    from unnest(${milestones.map(({ repository_id }) => repository_id)}::bigint[],
      ${milestones.map(({ number }) => number)}::int[])
      with ordinality as w (repository, number, nth)
    left join milestones m on m.repository_id = w.repository and m.number = w.number order by w.nth`.execute(tx);
  return rows.map(({ id }) => id ?? undefined);
}
