import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import type { TSchema } from 'typebox';

/** A body with one error, and its location. */
export type WrongBody = { field: string; body: unknown; code: 'missing_field' | 'invalid' };

type Shape = {
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  anyOf?: Shape[];
  maxLength?: number;
  default?: unknown;
};
type Step = string | number;

const ajv = formats.default(new Ajv({ strict: false, coerceTypes: false }));

const candidates = (schema: Shape): unknown[] => [
  null,
  true,
  -1,
  1.5,
  2 ** 60,
  '',
  ' ',
  'not one of these',
  'a\0b',
  'x'.repeat((schema.maxLength ?? 100_000) + 1),
  [],
  [[]],
  [null],
  ['\0'],
  Array.from({ length: 1001 }, (_, i) => i + 1),
  {},
  { $ne: null },
];

const holdsNul = (value: unknown): boolean => (JSON.stringify(value) ?? '').includes('\\u0000');
const isRefused = (schema: Shape, value: unknown): boolean => holdsNul(value) || !ajv.validate(schema, value);

/** A copy of `whole` with another value at a location; undefined removes the value there. */
function withAt(whole: unknown, [step, ...rest]: readonly Step[], value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(whole)) return whole.map((item, i) => (i === step ? withAt(item, rest, value) : item));
  const object = typeof whole === 'object' && whole !== null ? whole : {};
  return { ...object, [step]: withAt(Object.entries(object).find(([key]) => key === step)?.[1], rest, value) };
}

const at = (whole: unknown, path: readonly Step[]): unknown =>
  path.reduce<unknown>((value, step) => Object.entries(value ?? {}).find(([key]) => key === String(step))?.[1], whole);

/** All variants of a valid body with one value that its schema refuses, or without a required field. */
export function wrongBodies(schema: TSchema, right: object): WrongBody[] {
  const found: WrongBody[] = [];
  const walk = (shape: Shape, path: readonly Step[]): void => {
    const branch = shape.anyOf?.find(({ properties, items }) => properties ?? items) ?? shape;
    const value = at(right, path);
    if (branch.items && Array.isArray(value) && value.length > 0) check(branch.items, [...path, 0]);
    for (const [name, inner] of Object.entries(branch.properties ?? {})) {
      const place = [...path, name];
      if (branch.required?.includes(name) && inner.default === undefined)
        found.push({ field: place.join('.'), body: withAt(right, place, undefined), code: 'missing_field' });
      check(inner, place);
    }
  };
  const check = (shape: Shape, path: readonly Step[]): void => {
    for (const wrong of candidates(shape).filter((value) => isRefused(shape, value)))
      found.push({ field: path.join('.'), body: withAt(right, path, wrong), code: 'invalid' });
    walk(shape, path);
  };
  walk(schema as Shape, []);
  return found;
}
