import { type RawBuilder, type Selectable, sql } from 'kysely';
import { readableBy } from '#access/sql.ts';
import type { RepositoryRow, Viewer } from '#access/viewer.ts';
import { type Db, type OrSql, sendUnawaited, type Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

export type PropertyRow = Selectable<DB['custom_properties']>;
type Property = Id<'custom_properties'>;
type Organization = Id<'accounts'>;

/** The properties of an organization, by name. Their number is limited. */
export const listProperties = (db: Db, organization: Organization): Promise<PropertyRow[]> =>
  db.selectFrom('custom_properties').selectAll().where('organization_id', '=', organization).orderBy(sql`lower(name)`).execute();

export const selectProperty = (db: Db, organization: OrSql<Organization>, name: string) =>
  db
    .selectFrom('custom_properties')
    .selectAll()
    .where(sql<boolean>`organization_id = ${organization}`)
    .where(sql<boolean>`lower(name) = lower(${name})`);

/** A property of an organization, by its name, regardless of case. It can't be deleted until the transaction ends. */
export const findPropertyByNameForShare = (tx: Tx, organization: Organization, name: string): Promise<PropertyRow | undefined> =>
  selectProperty(tx, organization, name).forKeyShare().executeTakeFirst();

export const findProperty = (db: Db, id: Property): Promise<PropertyRow | undefined> =>
  db.selectFrom('custom_properties').selectAll().where('id', '=', id).executeTakeFirst();

/** Reads the property again and locks its row; undefined if it was deleted. */
export const findPropertyForUpdate = (tx: Tx, { id }: PropertyRow): Promise<PropertyRow | undefined> =>
  tx.selectFrom('custom_properties').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/**
 * The properties of an organization. Every caller that locks several rows does so in the order of their ids, so that none
 * deadlock.
 */
const selectInOrder = (tx: Tx, organization: Organization) =>
  tx.selectFrom('custom_properties').selectAll().where('organization_id', '=', organization).orderBy('id');

/** Reads the properties of an organization and locks their rows. */
export const listPropertiesForUpdate = (tx: Tx, organization: Organization): Promise<PropertyRow[]> =>
  selectInOrder(tx, organization).forUpdate().execute();

/** The properties of an organization. They can't be changed until the transaction ends. */
export const listPropertiesForShare = (tx: Tx, organization: Organization): Promise<PropertyRow[]> =>
  selectInOrder(tx, organization).forShare().execute();

/** The columns of a property that requests can set. */
export type PropertyColumns = Omit<PropertyRow, 'id' | 'organization_id' | 'created_at' | 'updated_at'>;

/** Inserts properties, or replaces properties with the same names. The names keep their first spelling. */
export async function putProperties(
  tx: Tx,
  organization: Organization,
  properties: readonly PropertyColumns[],
  now: Date,
): Promise<PropertyRow[]> {
  const { rows } = await sql<PropertyRow>`
    insert into custom_properties (organization_id, name, value_type, required, default_value, description, allowed_values,
      values_editable_by, require_explicit_values, created_at, updated_at)
    select ${organization}, w.*, ${now}, ${now}
    from jsonb_to_recordset(${JSON.stringify(properties)}::jsonb) as w(name text, value_type text, required boolean,
      default_value text[], description text, allowed_values text[], values_editable_by text, require_explicit_values boolean)
    on conflict (organization_id, lower(name)) do update set
      required = excluded.required, default_value = excluded.default_value, description = excluded.description,
      allowed_values = excluded.allowed_values, values_editable_by = excluded.values_editable_by,
      require_explicit_values = excluded.require_explicit_values, updated_at = excluded.updated_at
    returning *`.execute(tx);
  return rows;
}

export const removeProperty = (tx: Tx, id: Property) => tx.deleteFrom('custom_properties').where('id', '=', id).execute();

/** Removes the disallowed parts from the values of properties, and removes values that become empty. */
export function removeDisallowedValues(tx: Tx, properties: readonly Property[]): void {
  const emptied = sql`
    delete from custom_property_values v using custom_properties p
    where p.id = v.property_id and p.id = any(${properties}::bigint[]) and not v.value && p.allowed_values`;
  const narrowed = sql`
    update custom_property_values v set value = array(
      select u.one from unnest(v.value) with ordinality u(one, place) where u.one = any(p.allowed_values) order by u.place)
    from custom_properties p
    where p.id = v.property_id and p.id = any(${properties}::bigint[]) and not v.value <@ p.allowed_values`;
  sendUnawaited(tx, emptied.compile(tx));
  sendUnawaited(tx, narrowed.compile(tx));
}

/** The repositories of an organization that the viewer may read and that match a condition, by name. */
export const listRepositories = (
  db: Db,
  viewer: Viewer,
  { organization, condition, page }: { organization: Organization; condition: RawBuilder<boolean>; page: Page },
): Promise<Listed<RepositoryRow>> =>
  list(
    db,
    db
      .selectFrom('repositories as r')
      .selectAll('r')
      .where('r.owner_id', '=', organization)
      .where(readableBy(viewer))
      .where(condition)
      .orderBy(sql`lower(r.name)`)
      .orderBy('r.id'),
    page,
  );

/**
 * The repositories of an organization with these names that the viewer may read. They can't be deleted until the transaction
 * ends.
 */
export const loadNamed = (
  tx: Tx,
  viewer: Viewer,
  organization: Organization,
  names: readonly string[],
): Promise<Pick<RepositoryRow, 'id' | 'name'>[]> =>
  tx
    .selectFrom('repositories as r')
    .select(['r.id', 'r.name'])
    .where('r.owner_id', '=', organization)
    .where(sql<boolean>`lower(r.name) = any(${names.map((name) => name.toLowerCase())}::text[])`)
    .where(readableBy(viewer))
    .orderBy('r.id')
    .forNoKeyUpdate('r')
    .execute();

export type ValueRow = {
  readonly repository_id: RepositoryId;
  readonly name: string;
  readonly value_type: PropertyRow['value_type'];
  readonly value: readonly string[];
};

/** The values of repositories: the set values, or otherwise the default values, ordered by property name. */
export async function listValues(db: Db, repositories: readonly RepositoryId[]): Promise<ValueRow[]> {
  if (repositories.length === 0) return [];
  const { rows } = await sql<ValueRow>`
    select r.id as repository_id, p.name, p.value_type, coalesce(v.value, p.default_value) as value
    from repositories r
      join custom_properties p on p.organization_id = r.owner_id
      left join custom_property_values v on v.property_id = p.id and v.repository_id = r.id
    where r.id = any(${repositories}::bigint[]) and coalesce(v.value, p.default_value) is not null
    order by lower(p.name)`.execute(db);
  return rows;
}

/** A set value, by the ids of its property and repository. */
export type SetValue = Selectable<DB['custom_property_values']>;

export const listSetValues = (tx: Tx, repositories: readonly RepositoryId[]): Promise<SetValue[]> =>
  tx
    .selectFrom('custom_property_values')
    .selectAll()
    .where(sql<boolean>`repository_id = any(${repositories}::bigint[])`)
    .execute();

export async function putValues(tx: Tx, values: readonly SetValue[]): Promise<void> {
  if (values.length === 0) return;
  await sql`
    insert into custom_property_values (repository_id, property_id, value)
    select * from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as w(repository_id bigint, property_id bigint,
      value text[])
    on conflict (repository_id, property_id) do update set value = excluded.value`.execute(tx);
}

/** Removes the values of these properties from all of these repositories. */
export async function removeValues(
  tx: Tx,
  repositories: readonly RepositoryId[],
  properties: readonly Property[],
): Promise<void> {
  if (repositories.length === 0 || properties.length === 0) return;
  await tx
    .deleteFrom('custom_property_values')
    .where(sql<boolean>`repository_id = any(${repositories}::bigint[])`)
    .where(sql<boolean>`property_id = any(${properties}::bigint[])`)
    .execute();
}

/** Removes all values of a repository. */
export const removeAllValues = (tx: Tx, repository: RepositoryId) =>
  tx.deleteFrom('custom_property_values').where('repository_id', '=', repository).execute();
