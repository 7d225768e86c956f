// The options of a field: checks a request's options, and replaces the present ones.
import type { WriteScope } from '#endpoint/scope.ts';
import { keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { type FieldError, invalid, invalidFields } from '#lib/refusal.ts';
import type { DataType, WantedOption } from './schemas.ts';
import { insertOptions, type OptionColumns, type OptionRow, removeOptions, updateOptions } from './store.ts';

const resource = 'IssueField';

/** Whether a field of this type holds options. */
export const isSelect = (type: DataType): boolean => type === 'single_select' || type === 'multi_select';

const optionError = (index: number, name: keyof WantedOption, code: FieldError['code'], message: string): FieldError => ({
  resource,
  field: `options.${index}.${name}`,
  code,
  message,
});

/** Checks the options of a request by themselves: a select field needs some, with different names; other fields have none. */
export function checkOptions(type: DataType, options: readonly WantedOption[] | null | undefined): void {
  if (!isSelect(type)) {
    if (options && options.length > 0)
      throw invalid(resource, 'options', 'invalid', `options are not for fields of type ${type}`);
    return;
  }
  if (!options) throw invalid(resource, 'options', 'missing_field');
  if (options.length === 0) throw invalid(resource, 'options', 'invalid', 'options must name at least one');
  const seen = new Set<string>();
  const duplicates = options.flatMap(({ name }, index) => {
    const folded = trimmed(name).toLowerCase();
    if (seen.has(folded)) return [optionError(index, 'name', 'already_exists', 'options must have different names')];
    seen.add(folded);
    return [];
  });
  if (duplicates.length > 0) throw invalidFields(duplicates);
}

/** A name as it is stored. */
export const trimmed = (text: string): string => text.trim();

/** The columns of an option. A description that the request leaves out stays as it is. */
const columnsOf = ({ name, description, color, priority }: WantedOption, before?: OptionRow): OptionColumns => ({
  name: trimmed(name),
  description: description === undefined ? (before?.description ?? null) : description,
  color,
  priority,
});

/** Gives a new field its options. */
export const addOptions = (
  scope: WriteScope,
  field: Id<'issue_fields'>,
  wanted: readonly WantedOption[],
  now: Date,
): Promise<void> =>
  insertOptions(
    scope.tx,
    field,
    wanted.map((option) => columnsOf(option)),
    now,
  );

const isSame = (a: OptionRow, b: OptionRow): boolean =>
  a.name === b.name && a.description === b.description && a.color === b.color && a.priority === b.priority;

type Replacement = { field: Id<'issue_fields'>; before: readonly OptionRow[]; wanted: readonly WantedOption[]; now: Date };

/**
 * Replaces the options of a field (document 2): an option with an id changes the present one, one without an id is new, and all
 * others are removed with the values that chose them. Returns whether anything was changed.
 */
export async function replaceOptions(scope: WriteScope, { field, before, wanted, now }: Replacement): Promise<boolean> {
  const known = keyed(before, ({ id }) => id as number);
  const seen = new Set<number>();
  const errors = wanted.flatMap(({ id }, index) => {
    if (id === undefined) return [];
    if (!known.has(id)) return [optionError(index, 'id', 'missing', 'the field has no option of this id')];
    if (seen.has(id)) return [optionError(index, 'id', 'invalid', 'an option may be told once')];
    seen.add(id);
    return [];
  });
  if (errors.length > 0) throw invalidFields(errors);
  const removed = before.filter(({ id }) => !seen.has(id)).map(({ id }) => id);
  const changed = wanted.flatMap((option) => {
    const row = option.id === undefined ? undefined : known.get(option.id);
    if (!row) return [];
    const after = { ...row, ...columnsOf(option, row) };
    return isSame(row, after) ? [] : [after];
  });
  const added = wanted.filter(({ id }) => id === undefined);
  await removeOptions(scope.tx, field, removed);
  await updateOptions(scope.tx, field, changed, now);
  await addOptions(scope, field, added, now);
  return removed.length + changed.length + added.length > 0;
}
