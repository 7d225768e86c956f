import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { TSchema } from 'typebox';
import { badRequest, type FieldError, invalidFields } from '#lib/refusal.ts';
import { neutralBody } from '#vocabulary/body.ts';

/** A body nested deeper than this is refused before it is parsed (security decision 10). */
const maxDepth = 64;

// `strictNumbers` refuses 1e999: JSON.parse makes it Infinity, which can't be written as JSON again.
const options = { allErrors: true, strict: false, strictNumbers: true, useDefaults: true, validateFormats: true } as const;
const bodies = formats.default(new Ajv(options));
/** For paths and queries, where all is text: converts it to the number or boolean of the schema. Bodies are never converted. */
const texts = formats.default(new Ajv({ ...options, coerceTypes: 'array' }));

const compiled = new WeakMap<TSchema, ValidateFunction>();

/** Schemas are compiled when they are first used. To compile those of all endpoints at the start would take seconds. */
function validatorOf(ajv: Ajv, schema: TSchema): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  const validator = ajv.compile(schema);
  compiled.set(schema, validator);
  return validator;
}

/** The value of a path word, or undefined where its text doesn't fit the schema. A number is written in digits alone. */
export function parseWord(schema: TSchema & { type?: string }, text: string): unknown {
  if (schema.type === 'integer' && !/^\d+$/.test(text)) return undefined; // JavaScript reads 0x10, 1e3 and ' 7 ' as numbers too
  const holder = { value: text };
  const validator = validatorOf(texts, wordSchema(schema));
  return !text.includes('\0') && validator(holder) ? holder.value : undefined;
}

const wordSchemas = new WeakMap<TSchema, TSchema>();
const wordSchema = (schema: TSchema): TSchema => {
  const known = wordSchemas.get(schema);
  if (known) return known;
  const wrapped = { type: 'object', properties: { value: schema }, required: ['value'] } as TSchema;
  wordSchemas.set(schema, wrapped);
  return wrapped;
};

/** The query, converted and with its defaults; 422 naming each parameter that is wrong. */
export function parseQuery(schema: TSchema, query: Readonly<Record<string, unknown>>, resource: string): unknown {
  const value = { ...asObject(neutralBody({ ...query }, schema)) };
  check(texts, schema, value, resource);
  return known(schema, value);
}

/** The body, with its defaults and without fields that the schema doesn't know; 422 naming each field that is wrong. */
export function parseBody(schema: TSchema, text: string, resource: string): unknown {
  const value = neutralBody(parseJson(text), schema);
  if (typeof value !== 'object' || value === null || (Array.isArray(value) && !takesArray(schema))) {
    throw badRequest('Body should be a JSON object');
  }
  check(bodies, schema, value, resource);
  return known(schema, value);
}

const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

const takesArray = (schema: TSchema & { type?: string; anyOf?: TSchema[] }): boolean =>
  schema.type === 'array' || (schema.anyOf?.some(takesArray) ?? false);

function parseJson(text: string): unknown {
  if (text.trim() === '') return {};
  if (depthOf(text) > maxDepth) throw badRequest('Problems parsing JSON: it is nested too deeply');
  try {
    return JSON.parse(text, (key, value) => (key === '__proto__' ? undefined : wellFormed(value)));
  } catch {
    throw badRequest('Problems parsing JSON');
  }
}

/** Replaces halves of surrogate pairs, which JavaScript allows in a string and PostgreSQL in none. */
const wellFormed = (value: unknown): unknown => (typeof value === 'string' ? value.toWellFormed() : value);

/** How deeply the brackets of a JSON text nest, those inside strings left out. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (quoted && char === '\\') i++;
    else if (char === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (char === '{' || char === '[') deepest = Math.max(deepest, ++depth);
    else if (char === '}' || char === ']') depth--;
  }
  return deepest;
}

function check(ajv: Ajv, schema: TSchema, value: object, resource: string): void {
  const validator = validatorOf(ajv, schema);
  // Ajv checks `anyOf` before it fills in the defaults. What fails the first time may hold once they are there.
  const valid = validator(value) || validator(value);
  const errors = valid ? [] : fieldErrors(validator.errors ?? [], resource);
  const nul = pathOfNul(value, '');
  if (nul !== undefined)
    errors.push({ resource, field: nul, code: 'invalid', message: `${nul} must not contain null characters` });
  if (errors.length > 0) throw invalidFields(errors);
}

/** The first error of each field. */
function fieldErrors(errors: readonly ErrorObject[], resource: string): FieldError[] {
  const fields = new Map<string, FieldError>();
  for (const error of ofDeepestBranch(ofMeantAlternative(errors))) {
    const missing = error.keyword === 'required';
    const field = placeOf(error).split('/').slice(1).join('.');
    if (fields.has(field)) continue;
    fields.set(
      field,
      missing
        ? { resource, field, code: 'missing_field' }
        : { resource, field, code: 'invalid', message: `${field || 'body'} ${messageOf(error)}` },
    );
  }
  return [...fields.values()];
}

/** The pointer to what an error is about. For a missing field, that is the field itself. */
const placeOf = ({ instancePath, keyword, params }: ErrorObject): string =>
  keyword === 'required' ? `${instancePath}/${params.missingProperty}` : instancePath;

/** Schemas write `not: {}` for a field that may not stand beside the others. */
const messageOf = ({ keyword, message }: ErrorObject): string =>
  keyword === 'not' ? 'has no place here' : (message ?? 'is not valid');

/**
 * A value that fits no branch of a `oneOf` gets the errors of every branch from Ajv. Where a constant tells the branches apart
 * (`type: 'a'`), only those of the branch that the value names are kept: the caller can't do anything with the others.
 */
function ofMeantAlternative(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const branchOf = ({ schemaPath }: ErrorObject): string | undefined => /^.*\/oneOf\/\d+(?=\/)/.exec(schemaPath)?.[0];
  const others = new Set(errors.filter(({ keyword }) => keyword === 'const').map(branchOf));
  const meant = errors.filter((error) => {
    const branch = branchOf(error);
    return branch === undefined ? error.keyword !== 'oneOf' : !others.has(branch);
  });
  return meant.length > 0 ? meant : errors;
}

/**
 * For a value that fits no branch of an `anyOf`, Ajv tells the errors of every branch. Where one branch took the value itself and
 * found something inside it to be wrong, only that is kept: that a list with a wrong item isn't null helps nobody.
 */
function ofDeepestBranch(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const taken = errors.filter(
    ({ keyword, schemaPath, instancePath }) =>
      keyword === 'anyOf' &&
      errors.some((inner) => inner.schemaPath.startsWith(`${schemaPath}/`) && placeOf(inner) !== instancePath),
  );
  return errors.filter(
    (error) =>
      !taken.some(({ schemaPath, instancePath }) => error.schemaPath.startsWith(schemaPath) && placeOf(error) === instancePath),
  );
}

/** The path of a string that holds U+0000, which PostgreSQL's text can't hold; undefined where there is none. */
function pathOfNul(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return value.includes('\0') ? path || 'body' : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const found = pathOfNul(item, path === '' ? key : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Leaves unknown fields out, as the public API does. What doesn't reach the handler can't reach a column. */
function known(schema: TSchema & { type?: string; properties?: Record<string, TSchema> }, value: object): object {
  if (schema.type !== 'object' || !schema.properties || Array.isArray(value)) return value;
  const { properties } = schema;
  return Object.fromEntries(Object.entries(value).filter(([key]) => Object.hasOwn(properties, key)));
}
