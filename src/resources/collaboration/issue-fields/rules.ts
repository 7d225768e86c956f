import type { OrganizationAction } from '#access/action.ts';
import type { Org } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
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

async function checkName(scope: WriteScope, org: Org, name: string, own?: FieldRow): Promise<void> {
  const taken = await findFieldNamed(scope.tx, org.id, name);
  if (taken && taken.id !== own?.id) throw invalid('IssueField', 'name', 'already_exists');
}

/** Adds a field to the issues of an organization. */
export async function createField(scope: WriteScope, action: OrganizationAction, wanted: NewIssueField): Promise<FieldRow> {
  const { org, now } = action;
  const { data_type, visibility, options } = wanted;
  checkOptions(data_type, options);
  await lockOrganization(scope.tx, org.id);
  const name = trimmed(wanted.name);
  await checkName(scope, org, name);
  if ((await countFields(scope.tx, org.id)) >= maxFields)
    throw unprocessable(`An organization has at most ${maxFields} issue fields`);
  const description = wanted.description ?? null;
  const times = { created_at: now, updated_at: now };
  const row = await insertField(scope.tx, { organization_id: org.id, name, description, data_type, visibility, ...times });
  await addOptions(scope, row.id, options ?? [], now);
  await record(scope.tx, { ...inOrganization(action), kind: 'issue_field.created', data: { field: row.id } });
  return row;
}

/** Changes a field. Options that the request leaves out are removed, with the issues' values that use them. */
export async function changeField(
  scope: WriteScope,
  action: OrganizationAction,
  field: FieldRow,
  wanted: IssueFieldChange,
): Promise<FieldRow> {
  const { org, now } = action;
  const name = wanted.name === undefined ? undefined : trimmed(wanted.name);
  if (name !== undefined) await checkName(scope, org, name, field);
  const { description, visibility } = wanted;
  const from = {
    ...formerValuesOf(field, defined({ name, description, visibility })),
    ...(await changeOptions(scope, field, wanted.options, now)),
  };
  if (Object.keys(from).length === 0) return field;
  const after = await updateField(scope.tx, field.id, { ...defined({ name, description, visibility }), updated_at: now });
  await record(scope.tx, { ...inOrganization(action), kind: 'issue_field.edited', data: { field: field.id, from } });
  return after;
}

type FieldEvent = Partial<Pick<FieldRow, 'name' | 'description' | 'visibility'>>;

/** The former values of a field's changes, for the event. */
const formerValuesOf = (row: FieldRow, edited: FieldEvent): FieldEvent => ({
  ...(edited.name === undefined || edited.name === row.name ? {} : { name: row.name }),
  ...(edited.description === undefined || edited.description === row.description ? {} : { description: row.description }),
  ...(edited.visibility === undefined || edited.visibility === row.visibility ? {} : { visibility: row.visibility }),
});

async function changeOptions(
  scope: WriteScope,
  { id, data_type }: FieldRow,
  wanted: IssueFieldChange['options'],
  now: Date,
): Promise<{ options?: string[] }> {
  if (wanted === undefined) return {};
  checkOptions(data_type, wanted);
  const before: OptionRow[] = (await loadOptions(scope.tx, [id])).get(id) ?? [];
  const isChanged = await replaceOptions(scope, { field: id, before, wanted, now });
  return isChanged ? { options: before.map(({ name }) => name) } : {};
}

/** Deletes a field, with its values in all issues. */
export async function deleteField(scope: WriteScope, action: OrganizationAction, field: FieldRow): Promise<void> {
  const { id, name } = field;
  await removeField(scope.tx, id);
  await record(scope.tx, { ...inOrganization(action), kind: 'issue_field.deleted', data: { name, was: snapshotOf(field) } });
}
