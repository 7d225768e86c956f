// SQL for other families' statements that read the properties.
import { type RawBuilder, sql } from 'kysely';

/** The properties of the repository `r` that have a value `found.value`: the set value, or else the default value. */
const found = sql`(
  select p.name, p.value_type, coalesce(v.value, p.default_value) as value
  from custom_properties p left join custom_property_values v on v.property_id = p.id and v.repository_id = r.id
  where p.organization_id = r.owner_id) found where found.value is not null`;

/** The values of the repository `r` as a JSON object: a list for each property, by its name in lower case. */
export const propertyLists: RawBuilder<Record<string, string[]>> = sql`(
  select coalesce(jsonb_object_agg(lower(found.name), found.value), '{}') from ${found})`;

/** The values of the repository `r` as a JSON object, as in replies. */
export const propertyValues: RawBuilder<Record<string, string | string[]>> = sql`(
  select coalesce(jsonb_object_agg(found.name,
    case found.value_type when 'multi_select' then to_jsonb(found.value) else to_jsonb(found.value[1]) end), '{}')
    from ${found})`;

/** Whether the repository `r` has a value of a property, both given in lower case. */
export const hasPropertyValue = (name: string, value: string): RawBuilder<boolean> => sql<boolean>`exists (
  select from ${found} and lower(found.name) = ${name} and exists (
    select from unnest(found.value) held(one) where lower(held.one) = ${value}))`;
