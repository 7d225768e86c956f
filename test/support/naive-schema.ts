/**
 * An independent implementation of JSON Schema, written from its specification for the keywords that the declarations use. It is
 * independent of the server's validator, and throws for unknown keywords.
 */
export type NaiveSchema = { readonly [keyword: string]: unknown };

type Check = (schema: NaiveSchema, value: unknown) => boolean;

/** Whether a value matches a schema. */
export const conforms: Check = (schema, value) =>
  Object.keys(schema).every((keyword) => {
    const check = checks[keyword];
    if (check === undefined) throw new Error(`The keyword ${keyword} is not known here`);
    return check(schema, value);
  });

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const lettersOf = (text: string): number => [...text].length;

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => value === true || value === false,
  string: (value) => typeof value === 'string',
  number: (value) => Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  array: (value) => Array.isArray(value),
  object: isObject,
};

const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
function isDateTime(text: string): boolean {
  const parts = /^(\d{4})-(\d\d)-(\d\d)[tT ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[zZ]|[+-](\d\d):?(\d\d)?)$/.exec(text);
  if (!parts) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number);
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const last = month === 2 && isLeap ? 29 : (days[month - 1] ?? 0);
  return day >= 1 && day <= last && hour <= 23 && minute <= 59 && second <= 60;
}

/** Looser than the standards: a value that these refuse is invalid by any interpretation. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': isDateTime,
  date: (text) => isDateTime(`${text}T00:00:00Z`),
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]*$/i.test(text),
};

const ofNumber =
  (check: (bound: number, value: number) => boolean, keyword: string): Check =>
  (schema, value) =>
    typeof value !== 'number' || check(schema[keyword] as number, value);
const ofLength =
  (check: (bound: number, length: number) => boolean, keyword: string): Check =>
  (schema, value) =>
    typeof value !== 'string' || check(schema[keyword] as number, lettersOf(value));
const ofItems =
  (check: (bound: number, length: number) => boolean, keyword: string): Check =>
  (schema, value) =>
    !Array.isArray(value) || check(schema[keyword] as number, value.length);
const least = (bound: number, value: number): boolean => value >= bound;
const atMost = (bound: number, value: number): boolean => value <= bound;
const fits = (branches: unknown, value: unknown): number =>
  (branches as NaiveSchema[]).filter((branch) => conforms(branch, value)).length;

const isNamed = ({ properties = {}, patternProperties = {} }: NaiveSchema, name: string): boolean =>
  Object.hasOwn(properties as object, name) ||
  Object.keys(patternProperties as object).some((pattern) => new RegExp(pattern, 'u').test(name));

const says: Check = () => true;
const checks: Readonly<Record<string, Check>> = {
  title: says,
  description: says,
  default: says,
  deprecated: says,
  'x-demanded': says,
  'x-refused': says,
  type: ({ type }, value) => [type].flat().some((name) => types[name as string]?.(value) === true),
  enum: (schema, value) => (schema.enum as unknown[]).includes(value),
  const: (schema, value) => schema.const === value,
  minimum: ofNumber(least, 'minimum'),
  maximum: ofNumber(atMost, 'maximum'),
  minLength: ofLength(least, 'minLength'),
  maxLength: ofLength(atMost, 'maxLength'),
  pattern: ({ pattern }, value) => typeof value !== 'string' || new RegExp(pattern as string, 'u').test(value),
  format: ({ format }, value) => typeof value !== 'string' || formats[format as string]?.(value) === true,
  minItems: ofItems(least, 'minItems'),
  maxItems: ofItems(atMost, 'maxItems'),
  uniqueItems: (_schema, value) =>
    !Array.isArray(value) || new Set(value.map((item) => JSON.stringify(item))).size === value.length,
  maxProperties: ({ maxProperties }, value) => !isObject(value) || Object.keys(value).length <= (maxProperties as number),
  minProperties: ({ minProperties }, value) => !isObject(value) || Object.keys(value).length >= (minProperties as number),
  items: ({ items }, value) => !Array.isArray(value) || value.every((item) => conforms(items as NaiveSchema, item)),
  required: ({ required }, value) => !isObject(value) || (required as string[]).every((name) => Object.hasOwn(value, name)),
  properties: ({ properties }, value) =>
    !isObject(value) ||
    Object.entries(properties as Record<string, NaiveSchema>).every(
      ([name, schema]) => !Object.hasOwn(value, name) || conforms(schema, value[name]),
    ),
  patternProperties: ({ patternProperties }, value) =>
    !isObject(value) ||
    Object.entries(patternProperties as Record<string, NaiveSchema>).every(([pattern, schema]) =>
      Object.entries(value).every(([name, inner]) => !new RegExp(pattern, 'u').test(name) || conforms(schema, inner)),
    ),
  additionalProperties: (schema, value) => {
    if (!isObject(value)) return true;
    const others = Object.entries(value).filter(([name]) => !isNamed(schema, name));
    const { additionalProperties: allowed } = schema;
    if (typeof allowed === 'boolean') return allowed || others.length === 0;
    return others.every(([, inner]) => conforms(allowed as NaiveSchema, inner));
  },
  anyOf: ({ anyOf }, value) => fits(anyOf, value) > 0,
  oneOf: ({ oneOf }, value) => fits(oneOf, value) === 1,
  allOf: ({ allOf }, value) => fits(allOf, value) === (allOf as unknown[]).length,
  not: ({ not }, value) => !conforms(not as NaiveSchema, value),
};
