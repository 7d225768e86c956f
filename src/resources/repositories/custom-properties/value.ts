// Values of properties: which values a definition allows, and how they are presented.
import { fixedValue } from '#lib/limits.ts';
import { invalid, type Refusal, unprocessable } from '#lib/refusal.ts';
import { propertyLimits } from './limits.ts';
import { isShort, type PropertyValue, type WantedValue } from './schemas.ts';
import type { PropertyRow } from './store.ts';

/** The fields of a definition that values depend on. */
type Typed = Pick<PropertyRow, 'value_type' | 'allowed_values'>;

/** Whether a property has a list of allowed values. */
export const isSelect = (type: PropertyRow['value_type']): boolean => type === 'single_select' || type === 'multi_select';

/** The position of a value in a request: the resource and the field for a refusal. */
type FieldName = { readonly resource: string; readonly field: string };

/**
 * The stored form of a requested value; null if the request removes the value, as an empty list does.
 * @throws Refusal if the definition doesn't allow it
 */
export function storedValue(property: Typed, wanted: WantedValue, fieldName: FieldName): string[] | null {
  if (wanted === null) return null;
  const wrong = (message: string): Refusal => invalid(fieldName.resource, fieldName.field, 'invalid', message);
  if (Array.isArray(wanted) !== (property.value_type === 'multi_select'))
    throw wrong(Array.isArray(wanted) ? 'Only a multi_select takes several values' : 'A multi_select takes a list of values');
  const values = Array.isArray(wanted) ? [...new Set(wanted)] : [wanted];
  const problem = values.map((value) => problemOf(property, value)).find((found) => found !== undefined);
  if (problem !== undefined) throw wrong(problem);
  return values.length === 0 ? null : values;
}

function problemOf({ value_type, allowed_values }: Typed, value: string): string | undefined {
  if (value_type === 'url')
    return isWebAddress(value) ? undefined : 'The value must be an address that begins with http:// or https://';
  if (!isShort(value)) return 'The value is too long';
  if (value_type === 'true_false' && value !== 'true' && value !== 'false') return 'The value must be true or false';
  if (isSelect(value_type) && !allowed_values?.includes(value)) return 'The value is not among the allowed values';
  return undefined;
}

const isWebAddress = (value: string): boolean => /^https?:\/\/[^\s]+$/i.test(value) && URL.canParse(value);

/** A stored value in its form for replies. */
export const shownValue = (type: PropertyRow['value_type'], value: readonly string[] | null): PropertyValue['value'] =>
  value === null ? null : type === 'multi_select' ? [...value] : (value[0] ?? null);

const { propertySize } = propertyLimits;
const maxSize = fixedValue(propertySize);

/**
 * Checks the size of all values of a repository, or of all default values: lists of repositories show all of them.
 * @throws Refusal 422 for too many characters
 */
export function checkSize(values: readonly (readonly string[] | null)[]): void {
  const size = values.flatMap((value) => value ?? []).reduce((sum, { length }) => sum + length, 0);
  if (size > maxSize) throw unprocessable(`Values of custom properties may have at most ${maxSize} characters together`);
}

/** Whether two stored values are equal. */
export const isSameValue = (one: readonly string[] | null, other: readonly string[] | null): boolean =>
  one === other || (one?.length === other?.length && one?.every((value, at) => value === other?.[at]) === true);
