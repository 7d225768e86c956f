import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { parseBody, parseQuery } from '#endpoint/validate.ts';
import { jsonReader } from '#lib/json-reader.ts';
import { requestLimits } from '#lib/limits/requests.ts';
import { Refusal } from '#lib/refusal.ts';
import { allEndpoints } from '#resources/all.ts';
import { conforms, type NaiveSchema } from '#test/support/naive-schema.ts';
import { random as randomOf } from '#test/vocabulary/random.ts';
import { mutated, sampleOf } from './generated-values.ts';

/** How many values are made; HEARTH_TEST_CASES=10000000 for a long run. */
const cases = Number(process.env.HEARTH_TEST_CASES ?? 100_000);

const limits = {
  depth: requestLimits.bodyDepth.value,
  values: requestLimits.bodyValues.value,
  names: { depth: '', values: '' },
};

/** The value that reaches the handler, or the refusal. */
async function parse(schema: object, text: string): Promise<{ value: unknown } | Refusal> {
  try {
    const reader = jsonReader(limits);
    reader.write(Buffer.from(text));
    return { value: await parseBody(schema as never, reader.end(), 'Thing') };
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

const partsOf = (schema: NaiveSchema): NaiveSchema[] => [
  schema,
  ...['anyOf', 'oneOf', 'allOf'].flatMap((union) => ((schema[union] ?? []) as NaiveSchema[]).flatMap(partsOf)),
];

/** Fields that no part of a schema declares. */
function undeclared(schema: NaiveSchema, value: unknown): string[] {
  const parts = partsOf(schema);
  if (Array.isArray(value)) {
    const items = parts.flatMap((part) => (part.items ?? []) as NaiveSchema[]);
    return value.flatMap((item) => (items.length === 0 ? [] : undeclared({ anyOf: items }, item)));
  }
  if (typeof value !== 'object' || value === null || parts.some((part) => 'patternProperties' in part)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = parts.flatMap((part) => {
      const properties = (part.properties ?? {}) as Record<string, NaiveSchema>;
      return Object.hasOwn(properties, name) ? (properties[name] ?? []) : [];
    });
    return known.length === 0 ? [name] : undeclared({ anyOf: known }, inner);
  });
}

const hasNul = (value: unknown): boolean => JSON.stringify(value).includes('\\u0000');
const withBody = allEndpoints.filter(({ body }) => body !== undefined);
const withQuery = allEndpoints.filter(({ query }) => query !== undefined);
const schemaOf = ({ body, query }: Endpoint): NaiveSchema => (body ?? query) as NaiveSchema;

/** Runs `one` for so many seeds, each with an endpoint. */
const forAll = (endpoints: readonly Endpoint[], runs: number, one: (endpoint: Endpoint, seed: number) => Promise<void> | void) =>
  fc.assert(
    fc.asyncProperty(fc.nat({ max: endpoints.length - 1 }), fc.nat(), async (at, seed) => one(endpoints[at] as Endpoint, seed)),
    { numRuns: runs, ignoreEqualValues: false },
  );

test('what is taken as a body is what the endpoint declares, and nothing else', async () => {
  let taken = 0;
  await forAll(withBody, cases, async (endpoint, seed) => {
    const random = randomOf(seed);
    const schema = schemaOf(endpoint);
    const start = random(4) === 0 && endpoint.example !== undefined ? endpoint.example : sampleOf(schema, random);
    const value = Array.from({ length: random(4) }).reduce((changed) => mutated(changed, random), start);
    const result = await parse(schema, JSON.stringify(value));
    if (result instanceof Refusal) {
      expect(result.kind === 'bad_request' || result.errors.length > 0).toBe(true);
      return;
    }
    taken++;
    if (conforms(schema, result.value) && undeclared(schema, result.value).length === 0 && !hasNul(result.value)) return;
    expect.unreachable(`${endpoint.id} took ${JSON.stringify(value)} as ${JSON.stringify(result.value)}`);
  });
  expect(taken / cases, 'part of the values that were taken').toBeGreaterThan(0.15);
});

test('what an endpoint declares is taken', async () => {
  await forAll(withBody, cases / 5, async (endpoint, seed) => {
    const schema = schemaOf(endpoint);
    const value = sampleOf(schema, randomOf(seed));
    if (!conforms(schema, value) || typeof value !== 'object' || value === null) return;
    const result = await parse(schema, JSON.stringify(value));
    if (result instanceof Refusal)
      expect.unreachable(`${endpoint.id} refused ${JSON.stringify(value)}: ${JSON.stringify(result.errors)}`);
    else expect(result.value).toMatchObject(value);
  });
});

test('what is taken as a query is what the endpoint declares, and nothing else', async () => {
  let taken = 0;
  await forAll(withQuery, cases / 2, (endpoint, seed) => {
    const random = randomOf(seed);
    const schema = endpoint.query as unknown as NaiveSchema;
    const start = sampleOf(schema, random);
    const value = mutated(random(2) === 0 ? start : mutated(start, random), random);
    const given = Object.entries(typeof value === 'object' && value !== null ? value : {}).map(([name, inner]) => [
      name,
      Array.isArray(inner) ? inner.map(String) : String(inner),
    ]);
    try {
      const query = parseQuery(schema as never, Object.fromEntries(given), 'Thing');
      taken++;
      if (conforms(schema, query) && undeclared(schema, query).length === 0 && !hasNul(query)) return;
      expect.unreachable(`${endpoint.id} took ${JSON.stringify(given)} as ${JSON.stringify(query)}`);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      expect(error.errors.length).toBeGreaterThan(0);
    }
  });
  expect(taken / (cases / 2), 'part of the queries that were taken').toBeGreaterThan(0.15);
});
