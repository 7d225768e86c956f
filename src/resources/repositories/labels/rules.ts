import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { defined, formerOf } from '#lib/collections.ts';
import { invalid } from '#lib/refusal.ts';
import { snapshotOf } from '#lib/snapshot.ts';
import type { LabelChange, NewLabel } from './schemas.ts';
import { defaultColor, insertLabel, type LabelRow, removeLabel, selectLabel, updateLabel } from './store.ts';

const nameTaken = () => invalid('Label', 'name', 'already_exists');
const normalizeColor = (color: string): string => color.replace('#', '').toLowerCase();

/** Adds a label to a repository. */
export async function createLabel(scope: WriteScope, action: RepositoryAction, wanted: NewLabel): Promise<LabelRow> {
  const { name, color = defaultColor, description } = wanted;
  const row = await insertLabel(scope.tx, {
    repository_id: action.repo.id,
    name: checkName(name),
    color: normalizeColor(color),
    description: description ?? null,
  });
  if (!row) throw nameTaken();
  await record(scope.tx, { ...inRepository(action), kind: 'label.created', data: { label: row.id } });
  return row;
}

/** Changes a label. Issues keep it under its new name. */
export async function changeLabel(
  scope: WriteScope,
  action: RepositoryAction,
  label: LabelRow,
  wanted: LabelChange,
): Promise<LabelRow> {
  const { repo } = action;
  const { new_name: newName = wanted.name } = wanted;
  const name = newName === undefined ? undefined : checkName(newName);
  const other = name === undefined ? undefined : await selectLabel(scope.tx, repo.id, name).executeTakeFirst();
  if (other && other.id !== label.id) throw nameTaken();
  const color = wanted.color === undefined ? undefined : normalizeColor(wanted.color);
  const changes = defined({ name, color, description: wanted.description });
  if (Object.keys(changes).length === 0) return label;
  const row = await updateLabel(scope.tx, label.id, changes);
  const from = formerOf(label, row, 'name', 'color', 'description');
  await record(scope.tx, { ...inRepository(action), kind: 'label.edited', data: { label: row.id, from } });
  return row;
}

/** Deletes a label. It is removed from all issues. */
export async function deleteLabel(scope: WriteScope, action: RepositoryAction, label: LabelRow): Promise<void> {
  await removeLabel(scope.tx, label.id);
  await record(scope.tx, { ...inRepository(action), kind: 'label.deleted', data: { name: label.name, was: snapshotOf(label) } });
}

/** Refuses blank names, and names with a comma, since queries separate labels by commas. */
function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.includes(','))
    throw invalid('Label', 'name', 'invalid', 'name must not be blank nor hold a comma');
  return trimmed;
}
