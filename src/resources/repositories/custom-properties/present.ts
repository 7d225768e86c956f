import type { Account, RepositoryRow } from '#access/viewer.ts';
import { type Links, path } from '#endpoint/links.ts';
import { grouped } from '#lib/collections.ts';
import type { CustomProperty, PropertyValue, RepositoryProperties } from './schemas.ts';
import type { PropertyRow, ValueRow } from './store.ts';
import { shownValue } from './value.ts';

export const presentProperty = (links: Links, org: Account, row: PropertyRow): CustomProperty => ({
  property_name: row.name,
  url: path(`${links.api}/orgs`, org.login, 'properties', 'schema', row.name),
  source_type: 'organization',
  value_type: row.value_type,
  required: row.required,
  default_value: shownValue(row.value_type, row.default_value),
  description: row.description,
  allowed_values: row.allowed_values,
  values_editable_by: row.values_editable_by,
  require_explicit_values: row.require_explicit_values,
});

export const presentValue = ({ name, value_type, value }: ValueRow): PropertyValue => ({
  property_name: name,
  value: shownValue(value_type, value),
});

/** Presents a page of repositories with their values, which are already loaded. */
export function presentRepositoryValues(
  org: Account,
  repositories: readonly RepositoryRow[],
  values: readonly ValueRow[],
): RepositoryProperties[] {
  const byRepository = grouped(values, ({ repository_id }) => repository_id);
  return repositories.map(({ id, name }) => ({
    repository_id: id,
    repository_name: name,
    repository_full_name: `${org.login}/${name}`,
    properties: (byRepository.get(id) ?? []).map(presentValue),
  }));
}
