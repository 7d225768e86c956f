import type { Tx } from '#database/connect.ts';
import { keyed } from '#lib/collections.ts';
import { type FieldError, invalidFields, notFound } from '#lib/refusal.ts';
import { type FieldRow, listFields, loadOptions } from '#resources/issue-fields/index.ts';
import { eventOf, holdFor, type IssueRow, type Step, tellAll } from '#resources/issues/index.ts';
import type { SomeValue } from './schemas.ts';
import { type HeldValue, loadFieldValues, replaceFieldValues } from './store.ts';
import { isSame, readValue, told, type Value } from './value.ts';

/** A change of an issue's value in one field. */
type Change = {
  field: Pick<FieldRow, 'id' | 'name' | 'data_type' | 'organization_id'>;
  before: Value | undefined;
  after: Value | undefined;
};

const valuesOf = async (tx: Tx, { by }: Step, issue: IssueRow): Promise<readonly HeldValue[]> =>
  (await loadFieldValues(tx, by, [issue.id])).get(issue.id) ?? [];

/** Sets values of an issue in fields; an empty list clears all that the viewer sees, as in the public API. */
export async function setValues(tx: Tx, step: Step & { number: number; wanted: readonly SomeValue[] }): Promise<IssueRow> {
  const issue = await holdFor(tx, step.repo, step.number);
  const held = await valuesOf(tx, step, issue);
  if (step.wanted.length === 0) {
    await apply(tx, step, issue, held.map(clearing));
    return issue;
  }
  const before = keyed(held, ({ field_id }) => field_id);
  const read = await readValues(tx, step, step.wanted);
  const changes = read.map(({ field, after }) => ({ field, before: before.get(field.id)?.value, after }));
  await apply(tx, step, issue, changes);
  return issue;
}

/** Clears the value of an issue in a field. */
export async function clearValue(tx: Tx, step: Step & { number: number; field: FieldRow['id'] }): Promise<void> {
  const issue = await holdFor(tx, step.repo, step.number);
  const held = (await valuesOf(tx, step, issue)).find(({ field_id }) => field_id === step.field);
  if (!held) throw notFound();
  await apply(tx, step, issue, [clearing(held)]);
}

const clearing = ({ field_id, name, data_type, organization_id, value }: HeldValue): Change => ({
  field: { id: field_id, name, data_type, organization_id },
  before: value,
  after: undefined,
});

/** Reads the values of a request, each for a field of the repository's organization. Refuses with an error for each that is wrong. */
async function readValues(tx: Tx, { repo, by }: Step, wanted: readonly SomeValue[]) {
  const fields = keyed(await listFields(tx, by, repo.owner_id), ({ id }) => id as number);
  const named = wanted.flatMap(({ field_id }) => fields.get(field_id)?.id ?? []);
  const options = await loadOptions(tx, named);
  const seen = new Set<number>();
  const errors: FieldError[] = [];
  const wrong = (index: number, name: keyof SomeValue, code: FieldError['code'], message: string): [] => {
    const field = `issue_field_values.${index}.${name}`;
    errors.push({ resource: 'IssueFieldValue', field, code, message: `${field} ${message}` });
    return [];
  };
  const read = wanted.flatMap(({ field_id, value }, index) => {
    const field = fields.get(field_id);
    if (!field) return wrong(index, 'field_id', 'missing', 'is no field of the organization');
    if (seen.has(field_id)) return wrong(index, 'field_id', 'invalid', 'was named before');
    seen.add(field_id);
    const after = readValue({ data_type: field.data_type, options: options.get(field.id) ?? [] }, value);
    if (after?.kind === 'wrong') return wrong(index, 'value', 'invalid', after.message);
    return [{ field, after }];
  });
  if (errors.length > 0) throw invalidFields(errors);
  return read;
}

/** Writes the changes, with an event and an issue event for each. */
async function apply(tx: Tx, step: Step, issue: IssueRow, changes: readonly Change[]): Promise<void> {
  const real = changes.filter(
    ({ field, before, after }) => !(before && after ? isSame(field.data_type, before, after) : before === after),
  );
  await replaceFieldValues(
    tx,
    issue.id,
    real.map(({ field, after }) => ({ field: field.id, value: after })),
  );
  await tellAll(tx, step, issue, {
    things: real,
    event: (change) => eventOf(step, `issue.field_${wordOf(change)}`, { issue: issue.id, field: change.field.id }),
    own: (change) => ({ event: `issue_field_${wordOf(change)}`, data: { issue_field: toldOf(change) } }),
  });
}

const wordOf = ({ before, after }: Change): 'added' | 'changed' | 'removed' => {
  if (!before) return 'added';
  return after ? 'changed' : 'removed';
};

const toldOf = ({ field: { id, name, data_type, organization_id }, before, after }: Change) => ({
  id,
  name,
  data_type,
  organization_id,
  ...(after ? { value: told(data_type, after) } : {}),
  ...(before ? { previous_value: told(data_type, before) } : {}),
});
