// Values of fields: parsing, comparing and formatting them, by the type of the field.
import { unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { DataType, SomeValue } from './schemas.ts';
import type { OptionRow } from './store.ts';

export type Option = Pick<OptionRow, 'id' | 'name' | 'color'>;

/** A value as it is stored. Empty values aren't stored. */
export type Value =
  | { kind: 'text'; text: string }
  | { kind: 'number'; number: number }
  | { kind: 'date'; date: string }
  | { kind: 'options'; options: readonly Option[] };

/** A refused value. The message continues a sentence that begins with the field's name. */
type InvalidValue = { kind: 'invalid'; message: string };
const invalidValue = (message: string): InvalidValue => ({ kind: 'invalid', message });

type FieldDefinition = { data_type: DataType; options: readonly Option[] };

/** Reads a value for a field; undefined where it is an empty one, which clears the field. */
export function readValue({ data_type, options }: FieldDefinition, value: SomeValue['value']): Value | InvalidValue | undefined {
  switch (data_type) {
    case 'text':
      if (typeof value !== 'string' || value.trim() === '') return invalidValue('must be a text');
      return { kind: 'text', text: value };
    case 'number':
      return typeof value === 'number' ? { kind: 'number', number: value } : invalidValue('must be a number');
    case 'date':
      return typeof value === 'string' && isDay(value)
        ? { kind: 'date', date: value }
        : invalidValue('must be a day, YYYY-MM-DD');
    case 'single_select':
      return typeof value === 'string' ? findOptions(options, [value]) : invalidValue('must be the name of an option');
    case 'multi_select':
      if (!Array.isArray(value)) return invalidValue('must be a list of names of options');
      return value.length === 0 ? undefined : findOptions(options, value);
  }
}

/** Finds options by their names. Case doesn't matter, since the names of a field's options differ by more than case. */
function findOptions(options: readonly Option[], names: readonly string[]): Value | InvalidValue {
  const folded = new Set(names.map((name) => name.trim().toLowerCase()));
  const found = options.filter(({ name }) => folded.delete(name.toLowerCase()));
  return folded.size > 0 ? invalidValue('must name options of the field') : { kind: 'options', options: found };
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text.startsWith('0000')) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** A value as events show it. */
export function formatted(data_type: DataType, value: Value): string | number | string[] {
  switch (value.kind) {
    case 'text':
      return value.text;
    case 'number':
      return value.number;
    case 'date':
      return value.date;
    case 'options': {
      const names = value.options.map(({ name }) => name);
      return data_type === 'single_select' ? names.join() : names;
    }
  }
}

const optionIds = (value: Value): Id<'issue_field_options'>[] =>
  value.kind === 'options' ? unique(value.options.map(({ id }) => id)) : [];

/** Whether two values of one field are the same. */
export const isSame = (data_type: DataType, a: Value, b: Value): boolean =>
  a.kind === 'options'
    ? optionIds(a).toSorted().join() === optionIds(b).toSorted().join()
    : formatted(data_type, a) === formatted(data_type, b);
