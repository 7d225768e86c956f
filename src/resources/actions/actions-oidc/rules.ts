import type { OrganizationAction, RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inOrganization, inRepository } from '#events/scope.ts';
import type { Id } from '#lib/id.ts';
import { invalid } from '#lib/refusal.ts';
import { findPropertyByNameForShare } from '#resources/repositories/custom-properties/index.ts';
import type { OrganizationSubjectChange, RepositorySubjectChange } from './schemas.ts';
import { insertIncluded, putOrganizationTemplate, putRepositoryTemplate, removeIncluded } from './store.ts';
import { isClaimKey } from './subject.ts';

/** Sets the template of an organization. Omitted settings stay as they are. */
export async function changeOrganizationSubject(
  scope: WriteScope,
  action: OrganizationAction,
  wanted: OrganizationSubjectChange,
): Promise<void> {
  checkKeys(wanted.include_claim_keys);
  if (Object.keys(wanted).length === 0) return;
  await putOrganizationTemplate(scope.tx, action.org.id, wanted);
  await record(scope.tx, { ...inOrganization(action), kind: 'oidc_subject.changed', data: wanted });
}

/** Sets the template of a repository: the default, its own, or, if the request has no claims, the organization's. */
export async function changeRepositorySubject(
  scope: WriteScope,
  action: RepositoryAction,
  wanted: RepositorySubjectChange,
): Promise<void> {
  checkKeys(wanted.include_claim_keys);
  // The public API ignores claims when a request asks for the default.
  const include_claim_keys = wanted.use_default ? null : (wanted.include_claim_keys ?? null);
  await putRepositoryTemplate(scope.tx, action.repo.id, { ...wanted, include_claim_keys });
  await record(scope.tx, { ...inRepository(action), kind: 'oidc_subject.changed', data: wanted });
}

function checkKeys(keys: readonly string[] = []): void {
  const unknown = keys.find((key) => !isClaimKey(key));
  if (unknown === undefined) return;
  throw invalid('SubjectTemplate', 'include_claim_keys', 'invalid', `${unknown} is no claim of identity tokens`);
}

/**
 * Includes a custom property in identity tokens.
 * @returns the name of the property, as it was first written
 */
export async function includeProperty(scope: WriteScope, action: OrganizationAction, name: string): Promise<string> {
  const refused = (code: 'invalid' | 'already_exists', message: string) =>
    invalid('IncludedProperty', 'custom_property_name', code, message);
  const property = await findPropertyByNameForShare(scope.tx, action.org.id, name);
  if (!property) throw refused('invalid', `The organization has no custom property ${name}`);
  const inserted = await insertIncluded(scope.tx, property.id, action.now);
  if (!inserted) throw refused('already_exists', `${property.name} is included already`);
  await record(scope.tx, { ...inOrganization(action), kind: 'oidc_property.included', data: { property_name: property.name } });
  return property.name;
}

/** Excludes a custom property from identity tokens. */
export async function excludeProperty(
  scope: WriteScope,
  action: OrganizationAction,
  property: { readonly id: Id<'custom_properties'>; readonly name: string },
): Promise<void> {
  await removeIncluded(scope.tx, property.id);
  await record(scope.tx, { ...inOrganization(action), kind: 'oidc_property.excluded', data: { property_name: property.name } });
}
