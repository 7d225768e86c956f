import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import { belongsToOrganization } from '#access/sql.ts';
import type { Viewer } from '#access/viewer.ts';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { grouped } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';

export type FieldRow = Selectable<DB['issue_fields']>;
export type OptionRow = Selectable<DB['issue_field_options']>;
type Field = Id<'issue_fields'>;
type Organization = Id<'accounts'>;

/** Whether the viewer may see the field row with the alias in `field`. */
export const seesField = (viewer: Viewer, field: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`(${field}.visibility = 'all' or ${belongsToOrganization(viewer, sql`${field}.organization_id`)})`;

/**
 * Whether the viewer may see an event about a field. It takes the ids of field and organization, since the field may be deleted.
 */
export const seesEventsOfField = (
  viewer: Viewer,
  field: RawBuilder<unknown>,
  organization: RawBuilder<unknown>,
): RawBuilder<boolean> =>
  sql<boolean>`(exists (select from issue_fields f where f.id = ${field} and f.visibility = 'all')
    or ${belongsToOrganization(viewer, organization)})`;

/** The fields of an organization that the viewer may see, oldest first. Their number is limited. */
export const listFields = (db: Db, viewer: Viewer, organization: Organization): Promise<FieldRow[]> =>
  db
    .selectFrom('issue_fields')
    .selectAll()
    .where('organization_id', '=', organization)
    .where(seesField(viewer, sql`issue_fields`))
    .orderBy('id')
    .execute();

export const selectField = (db: Db, organization: OrSql<Organization>, id: Field) =>
  db.selectFrom('issue_fields').selectAll().where('organization_id', '=', organization).where('id', '=', id);

/** Reads the field again and locks all fields of its organization; undefined if it was deleted. */
export async function findFieldForUpdate(tx: Tx, { id, organization_id }: FieldRow): Promise<FieldRow | undefined> {
  await lockOrganization(tx, organization_id);
  return selectField(tx, organization_id, id).executeTakeFirst();
}

/** The options of fields, in order, by the ids of the fields. */
export async function loadOptions(db: Db, fields: readonly Field[]): Promise<Map<Field, OptionRow[]>> {
  if (fields.length === 0) return new Map();
  const rows = await db
    .selectFrom('issue_field_options')
    .selectAll()
    .where('field_id', 'in', [...fields])
    .orderBy('priority')
    .orderBy('id')
    .execute();
  return grouped(rows, (row) => row.field_id);
}

export async function countFields(tx: Tx, organization: Organization): Promise<number> {
  const { count } = await tx
    .selectFrom('issue_fields')
    .select(sql<number>`count(*)`.as('count'))
    .where('organization_id', '=', organization)
    .executeTakeFirstOrThrow();
  return count;
}

export const findFieldNamed = (tx: Tx, organization: Organization, name: string): Promise<FieldRow | undefined> =>
  tx
    .selectFrom('issue_fields')
    .selectAll()
    .where('organization_id', '=', organization)
    .where(sql<boolean>`lower(name) = lower(${name})`)
    .executeTakeFirst();

export const insertField = (tx: Tx, row: Insertable<DB['issue_fields']>): Promise<FieldRow> =>
  tx.insertInto('issue_fields').values(row).returningAll().executeTakeFirstOrThrow();

export const updateField = (tx: Tx, id: Field, change: Updateable<DB['issue_fields']>): Promise<FieldRow> =>
  tx.updateTable('issue_fields').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

export const removeField = (tx: Tx, id: Field) => tx.deleteFrom('issue_fields').where('id', '=', id).execute();

/** The columns of an option that a request can set. */
export type OptionColumns = Pick<OptionRow, 'name' | 'description' | 'color' | 'priority'>;

export async function insertOptions(tx: Tx, field: Field, options: readonly OptionColumns[], now: Date): Promise<void> {
  if (options.length === 0) return;
  const common = { field_id: field, created_at: now, updated_at: now };
  await tx
    .insertInto('issue_field_options')
    .values(options.map(({ name, description, color, priority }) => ({ name, description, color, priority, ...common })))
    .execute();
}

/** Changes options of a field in one statement. */
export async function updateOptions(tx: Tx, field: Field, options: readonly OptionRow[], now: Date): Promise<void> {
  if (options.length === 0) return;
  const rows = options.map(({ id, name, description, color, priority }) => ({ id, name, description, color, priority }));
  await sql`
    update issue_field_options o
    set name = w.name, description = w.description, color = w.color, priority = w.priority, updated_at = ${now}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as w(id bigint, name text, description text, color text, priority integer)
    where o.id = w.id and o.field_id = ${field}`.execute(tx);
}

/** Removes options of a field, and the values that chose them. */
export async function removeOptions(tx: Tx, field: Field, ids: readonly Id<'issue_field_options'>[]): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .deleteFrom('issue_field_options')
    .where('field_id', '=', field)
    .where('id', 'in', [...ids])
    .execute();
}
