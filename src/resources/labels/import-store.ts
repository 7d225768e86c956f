import { type Insertable, sql } from 'kysely';
import type { Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

/** A label as it was on another server. */
export type ImportedLabel = Omit<Insertable<DB['labels']>, 'repository_id'>;

/** Inserts labels that the repository doesn't have, without events. Returns the ids of all, by the names that were given. */
export async function insertImportedLabels(
  tx: Tx,
  repository: Id<'repositories'>,
  labels: readonly ImportedLabel[],
): Promise<Map<string, Id<'labels'>>> {
  if (labels.length === 0) return new Map();
  await tx
    .insertInto('labels')
    .values(labels.map((label) => ({ ...label, repository_id: repository })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { rows } = await sql<{ name: string; id: Id<'labels'> }>`
    select w.name, l.id from unnest(${labels.map(({ name }) => name)}::text[]) as w(name)
      join labels l on l.repository_id = ${repository} and lower(l.name) = lower(w.name)`.execute(tx);
  return new Map(rows.map(({ name, id }) => [name, id]));
}
