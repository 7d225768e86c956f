import { type Insertable, type RawBuilder, sql } from 'kysely';
import type { Viewer } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { gather, grouped } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { type FieldRow, seesField } from './store.ts';
import type { Option, Value } from './value.ts';

type Issue = Id<'issues'>;

/** The value of an issue in a field, with the field's name and type. */
export type HeldValue = Pick<FieldRow, 'name' | 'data_type' | 'organization_id'> & {
  issue_id: Issue;
  field_id: FieldRow['id'];
  value: Value;
};

type Row = Omit<HeldValue, 'value'> & {
  text_value: string | null;
  number_value: number | null;
  date_value: string | null;
  options: Option[];
};

/**
 * The field values of issues that the viewer may see, by the issues' ids and in the order of the fields, in one statement. After
 * a transfer, values in fields of the former organization aren't shown.
 */
export async function loadFieldValues(db: Db, viewer: Viewer, issues: readonly Issue[]): Promise<Map<Issue, HeldValue[]>> {
  if (issues.length === 0) return new Map();
  const values = await listValues(db, sql<boolean>`v.issue_id = any (${[...issues]}::bigint[]) and ${seesField(viewer, sql`f`)}`);
  return grouped(values, ({ issue_id }) => issue_id);
}

type Field = FieldRow['id'];
const inField = (issue: Issue, field: Field) => sql<boolean>`(v.issue_id = ${issue} and f.id = ${field})`;

/** The value of an issue in a field, if the viewer may see it. */
export async function findFieldValue(db: Db, viewer: Viewer, issue: Issue, field: Field): Promise<HeldValue | undefined> {
  const [value] = await listValues(db, sql<boolean>`${inField(issue, field)} and ${seesField(viewer, sql`f`)}`);
  return value;
}

/** The value of the same issue in the same field, as it is now; undefined when it was cleared. */
export async function findSameFieldValue(tx: Tx, { issue_id, field_id }: HeldValue): Promise<HeldValue | undefined> {
  const [value] = await listValues(tx, inField(issue_id, field_id));
  return value;
}

async function listValues(db: Db, condition: RawBuilder<boolean>): Promise<HeldValue[]> {
  const { rows } = await sql<Row>`
    select v.issue_id, f.id as field_id, f.name, f.data_type, f.organization_id, v.text_value, v.number_value, v.date_value,
      coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'name', o.name, 'color', o.color) order by o.priority, o.id)
        filter (where o.id is not null), '[]') as options
    from issue_field_values v
    join issue_fields f on f.id = v.field_id
    join issues i on i.id = v.issue_id
    join repositories r on r.id = i.repository_id and r.owner_id = f.organization_id
    left join issue_field_options o on o.id = v.option_id
    where ${condition}
    group by v.issue_id, f.id, v.text_value, v.number_value, v.date_value
    order by f.id`.execute(db);
  return rows.map(fieldValueOf);
}

function fieldValueOf({ text_value, number_value, date_value, options, ...row }: Row): HeldValue {
  if (text_value !== null) return { ...row, value: { kind: 'text', text: text_value } };
  if (number_value !== null) return { ...row, value: { kind: 'number', number: number_value } };
  if (date_value !== null) return { ...row, value: { kind: 'date', date: date_value } };
  return { ...row, value: { kind: 'options', options } };
}

/** The new value of an issue in a field; undefined removes it. */
type NewFieldValue = { field: Field; value: Value | undefined };

/** Replaces the values of an issue in these fields, with two statements in all. */
export async function replaceFieldValues(tx: Tx, issue: Issue, wanted: readonly NewFieldValue[]): Promise<void> {
  if (wanted.length === 0) return;
  await tx
    .deleteFrom('issue_field_values')
    .where('issue_id', '=', issue)
    .where('field_id', 'in', gather(wanted, 'field'))
    .execute();
  const rows = wanted.flatMap(({ field, value }) =>
    value ? columnsOf(value).map((columns) => ({ issue_id: issue, field_id: field, ...columns })) : [],
  );
  if (rows.length > 0) await tx.insertInto('issue_field_values').values(rows).execute();
}

type Columns = Pick<Insertable<DB['issue_field_values']>, 'option_id' | 'text_value' | 'number_value' | 'date_value'>;

const noValue = { option_id: null, text_value: null, number_value: null, date_value: null };

/** The columns of a value's rows: one row for each option that is chosen. */
function columnsOf(value: Value): Columns[] {
  switch (value.kind) {
    case 'text':
      return [{ ...noValue, text_value: value.text }];
    case 'number':
      return [{ ...noValue, number_value: value.number }];
    case 'date':
      return [{ ...noValue, date_value: value.date }];
    case 'options':
      return value.options.map(({ id }) => ({ ...noValue, option_id: id }));
  }
}
