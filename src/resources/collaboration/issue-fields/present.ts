import type { Scope } from '#endpoint/scope.ts';
import { nodeId } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp } from '#lib/time.ts';
import { isSelect } from './options.ts';
import type { IssueField } from './schemas.ts';
import { type FieldRow, loadOptions, type OptionRow } from './store.ts';

const presentOption = ({ id, name, description, color, priority, created_at, updated_at }: OptionRow) => ({
  id,
  name,
  description,
  color,
  priority,
  created_at: timestamp(created_at),
  updated_at: timestamp(updated_at),
});

/** Fields of a whole page, with their options in one statement. */
export async function presentFields({ db }: Scope, rows: readonly FieldRow[]): Promise<IssueField[]> {
  const options = await loadOptions(
    db,
    rows.filter(({ data_type }) => isSelect(data_type)).map(({ id }) => id),
  );
  return rows.map((row) => ({
    id: row.id,
    node_id: nodeId('IssueField', row.id),
    name: row.name,
    description: row.description,
    data_type: row.data_type,
    visibility: row.visibility,
    ...(isSelect(row.data_type) ? { options: (options.get(row.id) ?? []).map(presentOption) } : {}),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }));
}

export const presentField = async (scope: Scope, row: FieldRow): Promise<IssueField> =>
  firstOrNotFound(await presentFields(scope, [row]));
