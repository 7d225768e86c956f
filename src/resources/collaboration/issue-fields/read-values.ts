import type { Viewer } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { type FieldError, invalidFields } from '#lib/refusal.ts';
import type { SomeValue } from './schemas.ts';
import { type FieldRow, listFields, loadOptions } from './store.ts';
import { readValue, type Value } from './value.ts';

/**
 * Reads the values of a request, each for a field of the repository's organization. The refusal has an error for each invalid
 * value.
 */
export async function readValues(
  scope: WriteScope,
  { organization, viewer }: { organization: Id<'accounts'>; viewer: Viewer },
  wanted: readonly SomeValue[],
): Promise<{ field: FieldRow; after: Value | undefined }[]> {
  const fields = keyed(await listFields(scope.tx, viewer, organization), ({ id }) => id as number);
  const named = wanted.flatMap(({ field_id }) => fields.get(field_id)?.id ?? []);
  const options = await loadOptions(scope.tx, named);
  const seen = new Set<number>();
  const errors: FieldError[] = [];
  const addError = (index: number, name: keyof SomeValue, code: FieldError['code'], message: string): [] => {
    const field = `issue_field_values.${index}.${name}`;
    errors.push({ resource: 'IssueFieldValue', field, code, message: `${field} ${message}` });
    return [];
  };
  const values = wanted.flatMap(({ field_id, value }, index) => {
    const field = fields.get(field_id);
    if (!field) return addError(index, 'field_id', 'missing', 'is no field of the organization');
    if (seen.has(field_id)) return addError(index, 'field_id', 'invalid', 'was named before');
    seen.add(field_id);
    const after = readValue({ data_type: field.data_type, options: options.get(field.id) ?? [] }, value);
    if (after?.kind === 'invalid') return addError(index, 'value', 'invalid', after.message);
    return [{ field, after }];
  });
  if (errors.length > 0) throw invalidFields(errors);
  return values;
}
