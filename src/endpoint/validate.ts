import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { TSchema } from 'typebox';
import type { Json } from '#lib/json-reader.ts';
import { badRequest, type FieldError, invalidFields } from '#lib/refusal.ts';
import { nextTurn } from '#lib/turns.ts';
import { neutralBody } from '#vocabulary/body.ts';
import { declaredPart } from './declared.ts';
import { fieldErrors } from './field-errors.ts';

// `strictNumbers` refuses 1e999, which becomes Infinity and can't be written back as JSON.
const options = { strict: false, strictNumbers: true, validateFormats: true } as const;
const collecting = { ...options, allErrors: true } as const;
// For paths and queries: converts texts to the number or boolean of the schema. Bodies are never converted.
const converting = { ...options, coerceTypes: 'array' } as const;

type Validators = {
  /** Stops at the first error. */
  readonly decide: (schema: TSchema) => ValidateFunction;
  /** Finds all errors of an invalid value. */
  readonly explain: (schema: TSchema) => ValidateFunction;
};

/** Schemas are compiled on first use, since compiling the schemas of all endpoints takes seconds. */
function compiler(ajv: Ajv): (schema: TSchema) => ValidateFunction {
  formats.default(ajv);
  const compiled = new WeakMap<TSchema, ValidateFunction>();
  return (schema) => {
    const known = compiled.get(schema);
    if (known) return known;
    const validator = ajv.compile(schema);
    compiled.set(schema, validator);
    return validator;
  };
}

const bodyValidators: Validators = { decide: compiler(new Ajv(options)), explain: compiler(new Ajv(collecting)) };
const textValidators: Validators = {
  decide: compiler(new Ajv(converting)),
  explain: compiler(new Ajv({ ...converting, allErrors: true })),
};

/**
 * All errors are collected for values up to this size, since each error takes time and memory. Longer lists are truncated first.
 */
const maxExplainedValues = 1_000;
const maxExplainedItems = 50;

/** For larger bodies, the event loop runs between the steps. */
const largeValues = 5_000;

/** The value of a path word; undefined if its text doesn't fit the schema. Numbers consist of digits only. */
export function parseWord(schema: TSchema & { type?: string }, text: string): unknown {
  if (schema.type === 'integer' && !/^\d+$/.test(text)) return undefined; // JavaScript reads 0x10, 1e3 and ' 7 ' as numbers too
  const holder = { value: text };
  const validator = textValidators.decide(wordSchema(schema));
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

/** The query, converted and with its defaults. A 422 names each invalid parameter. */
export function parseQuery(schema: TSchema, query: Readonly<Record<string, unknown>>, resource: string): unknown {
  const value = declaredPart(schema, neutralBody(withPluses(schema, withLists(schema, query)), schema));
  const size = Object.values(asObject(value)).flat().length;
  refuse([...problemsOf(textValidators, schema, { value, size }, resource), ...nulProblems(query, resource)]);
  return value;
}

type Query = Readonly<Record<string, unknown>>;

type MayBeList = { readonly type?: string; readonly anyOf?: readonly MayBeList[] };

const isList = ({ type, anyOf = [] }: MayBeList): boolean => type === 'array' || anyOf.some(isList);

/** A query with lists under their declared names. Clients also send the list `owner` as `owner[]=ada&owner[]=bob`. */
function withLists({ properties = {} }: TSchema & { properties?: Readonly<Record<string, MayBeList>> }, query: Query): Query {
  const named = (name: string): string => {
    const stem = name.endsWith('[]') ? name.slice(0, -2) : name;
    return Object.hasOwn(properties, stem) && isList(properties[stem] ?? {}) ? stem : name;
  };
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [named(name), value]));
}

/**
 * Restores pluses in a query's values, if only that makes a value valid. Clients send `sort=reactions-+1` without escaping the
 * plus, which decodes to a space.
 */
function withPluses(
  { properties = {} }: TSchema & { properties?: Readonly<Record<string, { enum?: readonly unknown[] }>> },
  query: Query,
): Query {
  const read = (name: string, value: unknown): unknown => {
    const known = Object.hasOwn(properties, name) ? properties[name]?.enum : undefined;
    const text = typeof value === 'string' ? value.replaceAll(' ', '+') : value;
    return known && !known.includes(value) && known.includes(text) ? text : value;
  };
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, read(name, value)]));
}

/** Whether a request may omit its body because no field is required. */
export const isOptionalBody = (schema: TSchema): boolean => bodyValidators.decide(schema)(declaredPart(schema, {}));

const noBody: Json = { value: {}, size: 1, hasNul: false };

/**
 * The body, with its defaults and without unknown fields. A 422 names each invalid field. Some clients send `null` when they have
 * no body. If the body is optional, `null` counts as none.
 */
export async function parseBody(schema: TSchema, json: Json | undefined, resource: string): Promise<unknown> {
  const isLeftOut = json?.value === null && isOptionalBody(schema);
  const { value: given, size, hasNul } = isLeftOut ? noBody : (json ?? noBody);
  if (typeof given !== 'object' || given === null || (Array.isArray(given) && !takesArray(schema)))
    throw badRequest('Body should be a JSON object');
  const isLarge = size > largeValues;
  const neutral = neutralBody(given, schema);
  if (isLarge) await nextTurn();
  const value = declaredPart(schema, neutral);
  if (isLarge) await nextTurn();
  const problems = problemsOf(bodyValidators, schema, { value, size }, resource);
  if (isLarge) await nextTurn();
  refuse([...problems, ...(hasNul ? nulProblems(value, resource) : [])]);
  return value;
}

const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

const takesArray = (schema: TSchema & { type?: string; anyOf?: TSchema[] }): boolean =>
  schema.type === 'array' || (schema.anyOf?.some(takesArray) ?? false);

/** The errors of an invalid value, at least one. */
function problemsOf(
  { decide, explain }: Validators,
  schema: TSchema,
  { value, size }: Pick<Json, 'value' | 'size'>,
  resource: string,
): FieldError[] {
  const isValid = decide(schema);
  if (isValid(value)) return [];
  const first = isValid.errors ?? [];
  if (first.some(({ keyword }) => keyword === 'maxItems')) return fieldErrors(first, resource);
  const part = size > maxExplainedValues ? truncated(value) : { value, size };
  const explaining = explain(schema);
  // The error may be in the truncated part.
  const isWrong = part.size <= maxExplainedValues && !explaining(part.value);
  return fieldErrors((isWrong ? explaining.errors : undefined) ?? first, resource);
}

/** A value with truncated lists, and the number of values that remain in it. */
function truncated(value: unknown): { value: unknown; size: number } {
  if (typeof value !== 'object' || value === null) return { value, size: 1 };
  if (Array.isArray(value)) {
    const items = value.slice(0, maxExplainedItems).map(truncated);
    return { value: items.map((item) => item.value), size: 1 + sum(items) };
  }
  const fields = Object.entries(value).map(([name, field]) => ({ name, ...truncated(field) }));
  return { value: Object.fromEntries(fields.map((field) => [field.name, field.value])), size: 1 + sum(fields) };
}

const sum = (parts: readonly { size: number }[]): number => parts.reduce((all, { size }) => all + size, 0);

function nulProblems(value: unknown, resource: string): FieldError[] {
  const field = pathOfNul(value, '')?.slice(0, 200);
  return field === undefined ? [] : [{ resource, field, code: 'invalid', message: `${field} must not contain null characters` }];
}

function refuse(problems: FieldError[]): void {
  if (problems.length > 0) throw invalidFields(problems);
}

/** The path of a string that contains U+0000, which PostgreSQL's text can't hold; undefined if there is none. */
function pathOfNul(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return value.includes('\0') ? path || 'body' : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const inside = path === '' ? key : `${path}.${key}`;
    if (key.includes('\0')) return inside.replaceAll('\0', '');
    const found = pathOfNul(item, inside);
    if (found !== undefined) return found;
  }
  return undefined;
}
