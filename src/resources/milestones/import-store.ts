import type { Insertable } from 'kysely';
import type { Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

/** A milestone as it was on another server. */
export type ImportedMilestone = Omit<Insertable<DB['milestones']>, 'repository_id'>;

/**
 * Inserts milestones with the numbers that they had elsewhere, without events, as far as number and title are free. Returns the ids of
 * the milestones that have the given numbers now.
 */
export async function insertImportedMilestones(
  tx: Tx,
  repository: Id<'repositories'>,
  milestones: readonly ImportedMilestone[],
): Promise<Map<number, Id<'milestones'>>> {
  if (milestones.length === 0) return new Map();
  await tx
    .insertInto('milestones')
    .values(milestones.map((milestone) => ({ ...milestone, repository_id: repository })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const numbers = milestones.map(({ number }) => number);
  const rows = await tx
    .selectFrom('milestones')
    .select(['id', 'number'])
    .where('repository_id', '=', repository)
    .where('number', 'in', numbers)
    .execute();
  return new Map(rows.map(({ id, number }) => [number, id]));
}
