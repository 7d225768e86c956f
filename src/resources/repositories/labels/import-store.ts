import { type Insertable, sql } from 'kysely';
import type { Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';

/** A label from another server. */
type ImportedLabel = Pick<Insertable<DB['labels']>, 'name' | 'color' | 'description' | 'is_default'>;

/** Inserts labels that the repository doesn't have, without events. Returns the ids of all labels, by the given names. */
export async function insertImportedLabels(
  tx: Tx,
  repository: Id<'repositories'>,
  labels: readonly ImportedLabel[],
): Promise<Map<string, Id<'labels'>>> {
  if (labels.length === 0) return new Map();
  await sql`
    insert into labels (repository_id, name, color, description, is_default)
    select ${repository}, l.name, l.color, l.description, l.is_default
    from json_to_recordset(${JSON.stringify(labels)}::json) as l (name text, color text, description text, is_default boolean)
    on conflict do nothing`.execute(tx);
  const { rows } = await sql<{ name: string; id: Id<'labels'> }>`
    select w.name, l.id from unnest(${labels.map(({ name }) => name)}::text[]) as w(name)
      join labels l on l.repository_id = ${repository} and lower(l.name) = lower(w.name)`.execute(tx);
  return new Map(rows.map(({ name, id }) => [name, id]));
}

/** Like `putImportedLabels`, but first removes all labels that the repository has. */
export async function replaceLabels(
  tx: Tx,
  repository: Id<'repositories'>,
  labels: readonly ImportedLabel[],
): Promise<Map<string, Id<'labels'>>> {
  await tx.deleteFrom('labels').where('repository_id', '=', repository).execute();
  return insertImportedLabels(tx, repository, labels);
}
