import type { NaiveSchema } from '#test/support/naive-schema.ts';

type Random = (bound: number) => number;

const pick = <T>(from: readonly T[], random: Random): T => from[random(from.length)] as T;
const schemasIn = (value: unknown): NaiveSchema[] => (Array.isArray(value) ? value : []);

const texts = [
  'a',
  'bug',
  'main',
  'a b',
  '7',
  'x@example.com',
  'https://example.com/a',
  '2026-01-01T00:00:00Z',
  'a'.repeat(40),
  'd73a4a',
  '',
];

/** A value that a schema takes, as often as that is easy to make: optional fields come and go. */
export function sampleOf(schema: NaiveSchema, random: Random): unknown {
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return pick(schema.enum, random);
  const branches = [...schemasIn(schema.anyOf), ...schemasIn(schema.oneOf)];
  const chosen = branches.length > 0 ? sampleOf(pick(branches, random), random) : undefined;
  if (schema.type === 'object' && 'properties' in schema) {
    const own = fieldsOf(schema, random);
    // A branch may say that a field of it has no place there.
    const isObject = typeof chosen === 'object' && chosen !== null;
    const merged = isObject ? { ...own, ...chosen } : own;
    return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== nothing));
  }
  if (branches.length > 0) return chosen;
  if ('not' in schema) return nothing;
  switch (schema.type) {
    case 'null':
      return null;
    case 'boolean':
      return random(2) === 0;
    case 'integer':
    case 'number':
      return pick([schema.minimum ?? 1, schema.maximum ?? 7, 1, 3], random);
    case 'array':
      return Array.from({ length: Math.max(Number(schema.minItems ?? 0), random(4)) }, () =>
        sampleOf((schema.items ?? {}) as NaiveSchema, random),
      );
    case 'object':
      return { contents: 'read' };
    default:
      return pick(texts, random);
  }
}

const nothing = Symbol('nothing');

function fieldsOf({ properties, required = [] }: NaiveSchema, random: Random): Record<string, unknown> {
  const chance = 1 + random(5);
  const chosen = Object.entries(properties as Record<string, NaiveSchema>).filter(
    ([name]) => (required as string[]).includes(name) || random(chance) === 0,
  );
  return Object.fromEntries(chosen.map(([name, inner]) => [name, sampleOf(inner, random)]));
}

/** Values that are wrong at most places. */
const odd: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  1e300,
  '',
  '7',
  'a\0b',
  '\ud800',
  'not one of these',
  'x'.repeat(300),
  '💩'.repeat(60),
  [],
  [[]],
  [null, null],
  [1, 2],
  ['x'.repeat(300), 'y'.repeat(300)],
  [[], []],
  {},
  { name: 1 },
  { a: { b: [{}, {}] } },
  [{}, {}],
  { name: 'a', unknown: 1 },
  'true',
  '1e3',
  ' 1',
  '0x10',
];

/** The value with something changed somewhere inside; lists are changed in two places more often than in one. */
export function mutated(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) return mutatedList(value, random);
  if (typeof value !== 'object' || value === null || random(6) === 0) return pick(odd, random);
  const names = Object.keys(value);
  const fields = { ...value } as Record<string, unknown>;
  const name =
    names.length === 0 || random(8) === 0
      ? pick(['unknown', '__proto__', 'name', 'constructor', 'a/b'], random)
      : pick(names, random);
  const way = random(6);
  if (way === 0) delete fields[name];
  else
    Object.defineProperty(fields, name, {
      value: way === 1 ? pick(odd, random) : mutated(fields[name], random),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  return fields;
}

function mutatedList(list: readonly unknown[], random: Random): unknown {
  const wrong = pick(odd, random);
  switch (random(5)) {
    case 0:
      return [...list, wrong, wrong];
    case 1:
      return [wrong, ...list, pick(odd, random)];
    case 2:
      return list.map((item) => mutated(item, random));
    case 3:
      return Array.from({ length: 1 + random(120) }, (_, at) => list[at % Math.max(1, list.length)]).filter(
        (item) => item !== undefined,
      );
    default:
      return list.map((item, at) => (at === random(list.length) ? mutated(item, random) : item));
  }
}
