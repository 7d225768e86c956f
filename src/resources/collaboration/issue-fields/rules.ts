import type { OrganizationAction } from '#access/action.ts';
import type { Org } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import { record } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import { defined } from '#lib/collections.ts';
import { invalid, unprocessable } from '#lib/refusal.ts';
import { snapshotOf } from '#lib/snapshot.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { addOptions, checkOptions, replaceOptions, trimmed } from './options.ts';
import { type IssueFieldChange, maxFields, type NewIssueField } from './schemas.ts';
import {
  countFields,
  type FieldRow,
  findFieldNamed,
  insertField,
  loadOptions,
  type OptionRow,
  removeField,
  updateField,
} from './store.ts';

async function checkName(tx: Tx, org: Org, name: string, own?: FieldRow): Promise<void> {
  const taken = await findFieldNamed(tx, org.id, name);
  if (taken && taken.id !== own?.id) throw invalid('IssueField', 'name', 'already_exists');
}

/** Adds a field to the issues of an organization. */
export async function createField(tx: Tx, action: OrganizationAction, wanted: NewIssueField): Promise<FieldRow> {
  const { org, now } = action;
  const { data_type, visibility, options } = wanted;
  checkOptions(data_type, options);
  await lockOrganization(tx, org.id);
  const name = trimmed(wanted.name);
  await checkName(tx, org, name);
  if ((await countFields(tx, org.id)) >= maxFields) throw unprocessable(`An organization has at most ${maxFields} issue fields`);
  const description = wanted.description ?? null;
  const times = { created_at: now, updated_at: now };
  const row = await insertField(tx, { organization_id: org.id, name, description, data_type, visibility, ...times });
  await addOptions(tx, row.id, options ?? [], now);
  await record(tx, { ...inOrganization(action), kind: 'issue_field.created', data: { field: row.id } });
  return row;
}

/** Changes a field. Options that the request leaves out are removed, with the values that chose them. */
export async function changeField(
  tx: Tx,
  action: OrganizationAction,
  field: FieldRow,
  wanted: IssueFieldChange,
): Promise<FieldRow> {
  const { org, now } = action;
  const name = wanted.name === undefined ? undefined : trimmed(wanted.name);
  if (name !== undefined) await checkName(tx, org, name, field);
  const { description, visibility } = wanted;
  const from = {
    ...formerValuesOf(field, defined({ name, description, visibility })),
    ...(await changeOptions(tx, field, wanted.options, now)),
  };
  if (Object.keys(from).length === 0) return field;
  const after = await updateField(tx, field.id, { ...defined({ name, description, visibility }), updated_at: now });
  await record(tx, { ...inOrganization(action), kind: 'issue_field.edited', data: { field: field.id, from } });
  return after;
}

type FieldEvent = Partial<Pick<FieldRow, 'name' | 'description' | 'visibility'>>;

/** The former values of what changed of a field, for the event. */
const formerValuesOf = (row: FieldRow, edited: FieldEvent): FieldEvent => ({
  ...(edited.name === undefined || edited.name === row.name ? {} : { name: row.name }),
  ...(edited.description === undefined || edited.description === row.description ? {} : { description: row.description }),
  ...(edited.visibility === undefined || edited.visibility === row.visibility ? {} : { visibility: row.visibility }),
});

async function changeOptions(
  tx: Tx,
  { id, data_type }: FieldRow,
  wanted: IssueFieldChange['options'],
  now: Date,
): Promise<{ options?: string[] }> {
  if (wanted === undefined) return {};
  checkOptions(data_type, wanted);
  const before: OptionRow[] = (await loadOptions(tx, [id])).get(id) ?? [];
  const isChanged = await replaceOptions(tx, { field: id, before, wanted, now });
  return isChanged ? { options: before.map(({ name }) => name) } : {};
}

/** Deletes a field, with its values in all issues. */
export async function deleteField(tx: Tx, action: OrganizationAction, field: FieldRow): Promise<void> {
  const { id, name } = field;
  await removeField(tx, id);
  await record(tx, { ...inOrganization(action), kind: 'issue_field.deleted', data: { name, was: snapshotOf(field) } });
}
