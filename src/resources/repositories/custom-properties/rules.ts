import type { OrganizationAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record, recordAll } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import { keyed } from '#lib/collections.ts';
import { invalid, type Refusal, unprocessable } from '#lib/refusal.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { maxProperties, type NamedDefinition, namePattern } from './schemas.ts';
import {
  listPropertiesForUpdate,
  type PropertyColumns,
  type PropertyRow,
  putProperties,
  removeDisallowedValues,
  removeProperty,
} from './store.ts';
import { checkSize, isSameValue, isSelect, storedValue } from './value.ts';

const resource = 'CustomProperty';

/** Checks names in paths. The schemas check names in bodies. */
const validName = new RegExp(namePattern);

/**
 * Defines properties of an organization, or replaces existing ones with the same names. Omitted settings return to the defaults
 * of a new property (the public API's rule).
 * @param prefix the field of the definitions in the request, for refusals
 * @returns the properties in the order of the request
 */
export async function defineProperties(
  scope: WriteScope,
  action: OrganizationAction,
  wanted: readonly NamedDefinition[],
  prefix: (at: number) => string = (at) => `properties.${at}.`,
): Promise<PropertyRow[]> {
  const { org, now } = action;
  await lockOrganization(scope.tx, org.id);
  const before = keyed(await listPropertiesForUpdate(scope.tx, org.id), keyOf);
  const columns = wanted.map((one, at) => columnsOf(one, before.get(one.property_name.toLowerCase()), prefix(at)));
  const names = columns.map(keyOf);
  const twice = names.findIndex((name, at) => names.indexOf(name) < at);
  if (twice >= 0) throw invalid(resource, `${prefix(twice)}property_name`, 'already_exists', 'A property can be named only once');
  if (new Set([...before.keys(), ...names]).size > maxProperties)
    throw unprocessable(`An organization has at most ${maxProperties} custom properties`);

  const after = new Map([...before].map(([name, { default_value }]) => [name, default_value]));
  for (const one of columns) after.set(keyOf(one), one.default_value);
  checkSize([...after.values()]);

  const changed = columns.filter((one) => !isSame(one, before.get(keyOf(one))));
  if (changed.length > 0) {
    const written = await putProperties(scope.tx, org.id, changed, now);
    removeDisallowedValues(
      scope.tx,
      written.filter((row) => isNarrowed(row, before.get(keyOf(row)))).map(({ id }) => id),
    );
    const events = written.map((row) => ({
      ...inOrganization(action),
      kind: before.has(keyOf(row)) ? ('custom_property.updated' as const) : ('custom_property.created' as const),
      data: { property: row.id },
    }));
    await recordAll(scope.tx, events);
    for (const row of written) before.set(keyOf(row), row);
  }
  return names.flatMap((name) => before.get(name) ?? []);
}

const keyOf = ({ name }: Pick<PropertyRow, 'name'>): string => name.toLowerCase();

/**
 * The columns of a definition.
 * @throws Refusal if its parts contradict each other
 */
function columnsOf(wanted: NamedDefinition, before: PropertyRow | undefined, prefix: string): PropertyColumns {
  const { property_name: name, value_type, required = false, require_explicit_values = false } = wanted;
  const wrong = (field: string, message: string): Refusal => invalid(resource, prefix + field, 'invalid', message);
  if (!validName.test(name)) throw wrong('property_name', 'A name has letters, digits and _-$# of ASCII, 75 at most');
  if (before && before.value_type !== value_type)
    throw wrong('value_type', `The property ${before.name} is of the type ${before.value_type}, which can't be changed`);
  const allowed_values = allowedValues(wanted, prefix);
  const fieldName = { resource, field: `${prefix}default_value` };
  const default_value = storedValue({ value_type, allowed_values }, wanted.default_value ?? null, fieldName);
  if (required && default_value === null) throw invalid(resource, fieldName.field, 'missing_field');
  if (!required && default_value !== null) throw wrong('default_value', 'Only required properties have a default value');
  if (!required && require_explicit_values)
    throw wrong('require_explicit_values', 'Only of required properties, a value can be demanded');
  return {
    name: before?.name ?? name,
    value_type,
    required,
    default_value,
    description: wanted.description ?? null,
    allowed_values,
    values_editable_by: wanted.values_editable_by ?? 'org_actors',
    require_explicit_values,
  };
}

function allowedValues({ value_type, allowed_values }: NamedDefinition, prefix: string): string[] | null {
  const field = `${prefix}allowed_values`;
  const given = allowed_values ?? [];
  if (!isSelect(value_type)) {
    if (given.length > 0) throw invalid(resource, field, 'invalid', 'Only a single_select or multi_select has allowed values');
    return null;
  }
  if (given.length === 0) throw invalid(resource, field, 'missing_field');
  const twice = given.findIndex((value, at) => given.indexOf(value) < at);
  if (twice >= 0) throw invalid(resource, `${field}.${twice}`, 'already_exists', 'A value can be allowed only once');
  return given;
}

const isSame = (wanted: PropertyColumns, row: PropertyRow | undefined): boolean =>
  row !== undefined &&
  wanted.required === row.required &&
  wanted.description === row.description &&
  wanted.values_editable_by === row.values_editable_by &&
  wanted.require_explicit_values === row.require_explicit_values &&
  isSameValue(wanted.default_value, row.default_value) &&
  isSameValue(wanted.allowed_values, row.allowed_values);

/** Whether a property now allows less than before. */
const isNarrowed = (row: PropertyRow, before: PropertyRow | undefined): boolean =>
  before?.allowed_values?.some((value) => !row.allowed_values?.includes(value)) ?? false;

/** Deletes a property, with its values in all repositories. */
export async function deleteProperty(scope: WriteScope, action: OrganizationAction, { id, name }: PropertyRow): Promise<void> {
  await removeProperty(scope.tx, id);
  await record(scope.tx, { ...inOrganization(action), kind: 'custom_property.deleted', data: { name } });
}
