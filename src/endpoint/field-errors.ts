import type { ErrorObject } from 'ajv';
import type { FieldError } from '#lib/refusal.ts';

/** The maximum number of fields that a reply lists. */
const maxErrors = 20;

/** Field names come from the request. Longer ones are truncated. */
const maxNameLength = 200;

/** The first of Ajv's errors for each field. If there is none, one error about the whole value. */
export function fieldErrors(errors: readonly ErrorObject[], resource: string): FieldError[] {
  const fields = new Map<string, FieldError>();
  for (const error of relevantErrors(errors)) {
    const field = pointerOf(error).split('/').slice(1).join('.').slice(0, maxNameLength);
    if (fields.size === maxErrors || fields.has(field)) continue;
    fields.set(
      field,
      error.keyword === 'required'
        ? { resource, field, code: 'missing_field' }
        : { resource, field, code: 'invalid', message: `${field || 'body'} ${messageOf(error)}` },
    );
  }
  return fields.size > 0 ? [...fields.values()] : [{ resource, field: '', code: 'invalid', message: 'body is not valid' }];
}

/** The pointer to the location of an error. For a missing field, that is the field itself. */
const pointerOf = ({ instancePath, keyword, params }: ErrorObject): string =>
  keyword === 'required' ? `${instancePath}/${params.missingProperty}` : instancePath;

/** Schemas use `not: {}` for a field that may not occur with the others. */
const messageOf = ({ keyword, message }: ErrorObject): string =>
  keyword === 'not' ? 'has no place here' : (message ?? 'is not valid');

/**
 * Drops errors of union branches that don't help the client. For a value that matches no branch of a union, Ajv lists the errors
 * of all branches and then the union's own error. Each union is handled by itself.
 */
function relevantErrors(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const kept: ErrorObject[] = [];
  for (const error of errors) {
    if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') {
      kept.push(error);
      continue;
    }
    let from = kept.length;
    while (from > 0 && isInside(kept[from - 1], error)) from--;
    const inside = kept.splice(from);
    for (const one of error.keyword === 'anyOf' ? errorsOfDeepestBranch(inside, error) : errorsOfNamedBranch(inside, error))
      kept.push(one);
  }
  return kept;
}

const isInside = (error: ErrorObject | undefined, { schemaPath, instancePath }: ErrorObject): boolean =>
  error?.schemaPath.startsWith(`${schemaPath}/`) === true &&
  (error.instancePath === instancePath || error.instancePath.startsWith(`${instancePath}/`));

/**
 * If a branch accepts the type of the value and refuses something inside it, only the errors inside are kept. For a list with a
 * wrong item, this drops the error of the branch `null`.
 */
function errorsOfDeepestBranch(inside: readonly ErrorObject[], union: ErrorObject): readonly ErrorObject[] {
  const deeper = inside.filter((error) => pointerOf(error) !== union.instancePath);
  return deeper.length > 0 ? deeper : [...inside, union];
}

/**
 * If a constant distinguishes the branches (`type: 'a'`), only the errors of the branch with the value's constant are kept. If no
 * branch has it, the errors about the constant are kept.
 */
function errorsOfNamedBranch(inside: readonly ErrorObject[], union: ErrorObject): readonly ErrorObject[] {
  const branchOf = ({ schemaPath }: ErrorObject): string => schemaPath.slice(union.schemaPath.length + 1).split('/', 1)[0] ?? '';
  const constants = inside.filter(({ keyword }) => keyword === 'const');
  const others = new Set(constants.map(branchOf));
  const named = inside.filter((error) => !others.has(branchOf(error)));
  if (named.length > 0) return named;
  return constants.length > 0 ? constants : [...inside, union];
}
