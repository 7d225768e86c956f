import type { ErrorObject } from 'ajv';
import type { FieldError } from '#lib/refusal.ts';

/** A reply tells so many wrong fields at most. */
const most = 20;

/** Names of fields may be a caller's own: they are told up to so many characters. */
const longest = 200;

/** The first error of each field, of what Ajv found to be wrong. Where all is left out, the value as a whole is named. */
export function fieldErrors(errors: readonly ErrorObject[], resource: string): FieldError[] {
  const fields = new Map<string, FieldError>();
  for (const error of ofMeantBranches(errors)) {
    const field = placeOf(error).split('/').slice(1).join('.').slice(0, longest);
    if (fields.size === most || fields.has(field)) continue;
    fields.set(
      field,
      error.keyword === 'required'
        ? { resource, field, code: 'missing_field' }
        : { resource, field, code: 'invalid', message: `${field || 'body'} ${messageOf(error)}` },
    );
  }
  return fields.size > 0 ? [...fields.values()] : [{ resource, field: '', code: 'invalid', message: 'body is not valid' }];
}

/** The pointer to what an error is about. For a missing field, that is the field itself. */
const placeOf = ({ instancePath, keyword, params }: ErrorObject): string =>
  keyword === 'required' ? `${instancePath}/${params.missingProperty}` : instancePath;

/** Schemas write `not: {}` for a field that may not stand beside the others. */
const messageOf = ({ keyword, message }: ErrorObject): string =>
  keyword === 'not' ? 'has no place here' : (message ?? 'is not valid');

/**
 * For a value that fits no branch of a union, Ajv tells the errors of every branch, and then the one of the union. The caller can do
 * little with most of them. This looks at each union by itself: at the errors just before its own that are about the same value.
 */
function ofMeantBranches(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const kept: ErrorObject[] = [];
  for (const error of errors) {
    if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') {
      kept.push(error);
      continue;
    }
    let from = kept.length;
    while (from > 0 && isInside(kept[from - 1], error)) from--;
    const inside = kept.splice(from);
    for (const one of error.keyword === 'anyOf' ? ofDeepestBranch(inside, error) : ofNamedBranch(inside, error)) kept.push(one);
  }
  return kept.length > 0 ? kept : errors;
}

const isInside = (error: ErrorObject | undefined, { schemaPath, instancePath }: ErrorObject): boolean =>
  error?.schemaPath.startsWith(`${schemaPath}/`) === true &&
  (error.instancePath === instancePath || error.instancePath.startsWith(`${instancePath}/`));

/**
 * Where one branch took the value itself and found something inside it to be wrong, only that is kept: that a list with a wrong item
 * isn't null helps nobody.
 */
function ofDeepestBranch(inside: readonly ErrorObject[], union: ErrorObject): readonly ErrorObject[] {
  const deeper = inside.filter((error) => placeOf(error) !== union.instancePath);
  return deeper.length > 0 ? deeper : [...inside, union];
}

/**
 * Where a constant tells the branches apart (`type: 'a'`), only the errors of the branch that the value names are kept; none where it
 * names no branch, since the constant's own field says so.
 */
function ofNamedBranch(inside: readonly ErrorObject[], union: ErrorObject): readonly ErrorObject[] {
  if (inside.length === 0) return [union];
  const branchOf = ({ schemaPath }: ErrorObject): string => schemaPath.slice(union.schemaPath.length + 1).split('/', 1)[0] ?? '';
  const others = new Set(inside.filter(({ keyword }) => keyword === 'const').map(branchOf));
  return inside.filter((error) => !others.has(branchOf(error)));
}
