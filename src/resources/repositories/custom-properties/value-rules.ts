import type { OrganizationAction, RepositoryAction } from '#access/action.ts';
import { findOrg } from '#access/lookup.ts';
import { holds } from '#access/permissions.ts';
import { hasNoRole, isScoped, type RepositoryRow, type SignedIn } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { recordAll } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { grouped, keyed, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { forbidden, invalid } from '#lib/refusal.ts';
import type { FirstValues, NamedValue, OrganizationPropertyValues } from './schemas.ts';
import {
  listPropertiesForShare,
  listSetValues,
  loadNamed,
  type PropertyRow,
  putValues,
  removeValues,
  type SetValue,
} from './store.ts';
import { checkSize, isSameValue, shownValue, storedValue } from './value.ts';

const resource = 'CustomPropertyValue';

/** A property with its new value. Null removes the value. */
type Wanted = { readonly property: PropertyRow; readonly value: string[] | null };

type Changer = { readonly owner: Id<'accounts'>; readonly by: SignedIn; readonly now: Date };

/**
 * The requested values with their properties.
 * @throws Refusal for an unknown name, or a value that the property doesn't allow
 */
function wantedValues(properties: readonly PropertyRow[], values: readonly NamedValue[], fieldOf: FieldOf): Wanted[] {
  const byName = keyed(properties, ({ name }) => name.toLowerCase());
  const wanted = values.map(({ property_name, value }, at): Wanted => {
    const field = fieldOf(at);
    const property = byName.get(property_name.toLowerCase());
    if (!property) throw invalid(resource, field.name, 'missing', `There is no custom property ${property_name}`);
    return { property, value: storedValue(property, value, { resource, field: field.value }) };
  });
  const ids = wanted.map(({ property }) => property.id);
  const twice = ids.findIndex((id, at) => ids.indexOf(id) < at);
  if (twice >= 0) throw invalid(resource, fieldOf(twice).name, 'already_exists', 'A property can be named only once');
  return wanted;
}

/** The names of the fields of a value, by its index in the request. */
type FieldOf = (at: number) => { readonly name: string; readonly value: string };
const inList: FieldOf = (at) => ({ name: `properties.${at}.property_name`, value: `properties.${at}.value` });

/** Sets values of repositories, and records the changes of each. */
async function setValues(
  scope: WriteScope,
  { owner, by, now }: Changer,
  repositories: readonly Id<'repositories'>[],
  wanted: readonly Wanted[],
): Promise<void> {
  const rows = await listSetValues(scope.tx, repositories);
  const before = new Map(rows.map((row) => [keyOf(row), row.value]));
  checkSizes(rows, repositories, wanted);
  const put: SetValue[] = [];
  const events = repositories.flatMap((id) => {
    const changed = wanted.flatMap(({ property, value }) => {
      const key = { repository_id: id, property_id: property.id };
      const set = before.get(keyOf(key)) ?? null;
      if (isSameValue(set, value)) return [];
      if (value !== null) put.push({ ...key, value });
      return [{ property, from: set ?? property.default_value, to: value ?? property.default_value }];
    });
    const seen = changed.filter(({ from, to }) => !isSameValue(from, to));
    if (seen.length === 0) return [];
    const shown = (side: 'from' | 'to') =>
      seen.map(({ property, ...values }) => ({
        property_name: property.name,
        value: shownValue(property.value_type, values[side]),
      }));
    const data = { from: shown('from'), to: shown('to') };
    return [
      { ...inRepository({ repo: { id, owner_id: owner }, by, now }), kind: 'custom_property_values.updated' as const, data },
    ];
  });
  await putValues(scope.tx, put);
  const removed = wanted.flatMap(({ property, value }) => (value === null ? [property.id] : []));
  await removeValues(scope.tx, repositories, removed);
  await recordAll(scope.tx, events);
}

/** Checks the size of the values that each repository is going to have. */
function checkSizes(rows: readonly SetValue[], repositories: readonly Id<'repositories'>[], wanted: readonly Wanted[]): void {
  const replaced = new Set(wanted.map(({ property }) => property.id));
  const kept = grouped(
    rows.filter(({ property_id }) => !replaced.has(property_id)),
    ({ repository_id }) => repository_id,
  );
  const added = wanted.map(({ value }) => value);
  for (const id of repositories) checkSize([...(kept.get(id) ?? []).map(({ value }) => value), ...added]);
}

const keyOf = ({ repository_id, property_id }: Omit<SetValue, 'value'>): string => `${repository_id} ${property_id}`;

/**
 * Sets values of an organization's repositories. Repositories that the caller may not read get the same refusal as missing ones.
 */
export async function setOrganizationValues(
  scope: WriteScope,
  { org, by, now }: OrganizationAction,
  { repository_names, properties }: OrganizationPropertyValues,
): Promise<void> {
  const wanted = wantedValues(await listPropertiesForShare(scope.tx, org.id), properties, inList);
  const found = await loadNamed(scope.tx, by, org.id, repository_names);
  const names = new Set(found.map(({ name }) => name.toLowerCase()));
  const stray = repository_names.findIndex((name) => !names.has(name.toLowerCase()));
  if (stray >= 0)
    throw invalid(resource, `repository_names.${stray}`, 'missing', `There is no repository ${repository_names[stray]}`);
  await setValues(
    scope,
    { owner: org.id, by, now },
    found.map(({ id }) => id),
    wanted,
  );
}

/** Sets values of a repository. Only owners set values that the organization reserves. */
export async function setRepositoryValues(
  scope: WriteScope,
  { repo, by, now }: RepositoryAction,
  values: readonly NamedValue[],
): Promise<void> {
  const wanted = wantedValues(await listPropertiesForShare(scope.tx, repo.owner_id), values, inList);
  const kept = wanted.find(({ property }) => property.values_editable_by === 'org_actors')?.property;
  if (kept && !(await mayEditKept(scope, by, repo.owner.login)))
    throw forbidden(`Values of the custom property ${kept.name} are set by owners of the organization alone.`);
  await setValues(scope, { owner: repo.owner_id, by, now }, [repo.id], wanted);
}

/** Whether the caller may set values that the organization reserves: both the account and the credential must allow it. */
async function mayEditKept(scope: WriteScope, by: SignedIn, login: string): Promise<boolean> {
  const org = await findOrg(scope.tx, by, login);
  if (!org) return false;
  const { grant } = by;
  const isGranted = isScoped(grant) || (org.reached && holds(org.held, 'organization_custom_properties:write'));
  return isGranted && (hasNoRole(grant) || org.role === 'owner');
}

/**
 * Sets the values of a new repository of an organization. Its creator may set all of them, and must set the required ones
 * (`require_explicit_values`).
 */
export async function setFirstValues(
  scope: WriteScope,
  { id, owner_id }: Pick<RepositoryRow, 'id' | 'owner_id'>,
  { by, now }: Pick<Changer, 'by' | 'now'>,
  given: FirstValues,
): Promise<void> {
  const names = Object.keys(given);
  const properties = await listPropertiesForShare(scope.tx, owner_id);
  const values = Object.entries(given).map(([property_name, value]) => ({ property_name, value }));
  const fieldOf: FieldOf = (at) => ({ name: `custom_properties.${names[at]}`, value: `custom_properties.${names[at]}` });
  const wanted = wantedValues(properties, values, fieldOf);
  const set = unique(wanted.map(({ property, value }) => (value === null ? null : property.id)));
  const lacking = properties.find((property) => property.require_explicit_values && !set.includes(property.id));
  if (lacking) throw invalid(resource, `custom_properties.${lacking.name}`, 'missing_field');
  if (wanted.length > 0) await setValues(scope, { owner: owner_id, by, now }, [id], wanted);
}
