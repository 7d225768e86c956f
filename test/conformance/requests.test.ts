import { expect, test } from 'vitest';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { positionsOf } from '#endpoint/paging.ts';
import { allEndpoints } from '#resources/all.ts';
import { operations, type PublicOperation, resolve } from '#test/support/public-schema.ts';
import { emitSchema } from '#vocabulary/schema.ts';
import {
  freeValuesOf,
  isAnything,
  isSchema,
  leavesOf,
  propertiesOf,
  type Resolve,
  resolveWithin,
  type Schema,
  schemasIn,
  textsOf,
} from '#vocabulary/schema-leaves.ts';
import { leftOut } from './left-out.ts';

/** The schemas that may describe one value, with references and unions expanded. */
type Side = { readonly leaves: readonly Schema[]; readonly resolve: Resolve };
const sideOf = (schemas: readonly Schema[], resolve: Resolve): Side => ({ leaves: leavesOf(schemas, resolve), resolve });

const itemsOf = ({ leaves, resolve }: Side): Side =>
  sideOf(
    leaves.flatMap(({ items }) => schemasIn(items)),
    resolve,
  );
const propertyOf = ({ leaves, resolve }: Side, name: string): Side =>
  sideOf(
    leaves.flatMap((leaf) => propertiesOf(leaf).flatMap(([key, schema]) => (key === name ? [schema] : []))),
    resolve,
  );
const namesOf = ({ leaves }: Side): Set<string> => new Set(leaves.flatMap((leaf) => propertiesOf(leaf).map(([name]) => name)));
const isOpen = ({ leaves }: Side): boolean => leaves.some((leaf) => isAnything(leaf) || freeValuesOf(leaf).length > 0);

/** Whether a declaration has a field only to refuse it. */
const isRefused = ({ leaves }: Side): boolean => leaves.length > 0 && leaves.every((leaf) => leaf['x-refused'] === true);

/** The fields that every shape of an object requires. */
function requiredOf(side: Side): string[] {
  const shapes = side.leaves.filter((leaf) => propertiesOf(leaf).length > 0);
  return [...namesOf(side)].filter((name) => shapes.every(({ required }) => Array.isArray(required) && required.includes(name)));
}

/**
 * The locations of what the public API accepts and a declaration doesn't: `/name` for a field, `/name=value` for one of its
 * values, and `/name!` for a field that is only required here.
 */
function* lacking(known: Side, own: Side, place: string): Generator<string> {
  const items = itemsOf(own);
  if (items.leaves.length > 0) yield* lacking(itemsOf(known), items, `${place}/*`);
  const texts = own.leaves.map(textsOf);
  if (!texts.some(({ open }) => open)) {
    const listed = new Set(texts.flatMap((some) => some.listed));
    const values = new Set(known.leaves.flatMap((leaf) => textsOf(leaf).listed));
    for (const value of values) if (!listed.has(value)) yield `${place}=${value}`;
  }
  const names = namesOf(own);
  const demanded = requiredOf(known);
  const hasDefault = (name: string): boolean =>
    own.leaves.some((leaf) => propertiesOf(leaf).some(([key, schema]) => key === name && 'default' in schema)) ||
    propertyOf(own, name).leaves.some((leaf) => 'default' in leaf);
  const required = namesOf(known).size > 0 ? requiredOf(own).filter((name) => !hasDefault(name)) : [];
  for (const name of required) if (!demanded.includes(name)) yield `${place}/${name}!`;
  for (const name of namesOf(known)) {
    if (names.has(name) && !isRefused(propertyOf(own, name)))
      yield* lacking(propertyOf(known, name), propertyOf(own, name), `${place}/${name}`);
    else if (!isOpen(own)) yield `${place}/${name}`;
  }
}

const empty = { type: 'object', properties: {} };

function declared(schema: object | undefined, id: string): Side {
  const emitted = emitSchema('github', schema ?? empty);
  if (!isSchema(emitted)) throw new Error(`${id} declares no schema`);
  return sideOf([emitted], resolveWithin(emitted));
}

function inQuery({ parameters }: PublicOperation): Schema {
  const some = parameters.filter((parameter) => parameter.in === 'query');
  return {
    type: 'object',
    properties: Object.fromEntries(some.map(({ name, schema }) => [name, schema])),
    required: some.filter(({ required }) => required === true).map(({ name }) => name),
  };
}

/** The parts of the public operation that an endpoint doesn't accept. Parameters begin with `?`. */
function differencesOf({ id, query, body, paging }: Endpoint, operation: PublicOperation): string[] {
  const paged = paging ? ['?/per_page', ...positionsOf[paging.style].map((name) => `?/${name}`)] : [];
  const ofQuery = [...lacking(sideOf([inQuery(operation)], resolve), declared(query, id), '?')];
  const ofBody = operation.body ? [...lacking(sideOf([operation.body], resolve), declared(body, id), '')] : [];
  return [...ofQuery.filter((place) => !paged.includes(place)), ...ofBody];
}

const compared = allEndpoints.flatMap((endpoint) => {
  const operation = operations[endpoint.id];
  return operation ? [{ endpoint, operation }] : [];
});

test('endpoints take all parameters and fields of the public API, but for those that are left out with a reason', () => {
  expect(compared.length).toBeGreaterThan(400);
  const found = compared.flatMap(({ endpoint, operation }) =>
    differencesOf(endpoint, operation).map((place) => `${endpoint.id} ${place}`),
  );
  const expected = leftOut.flatMap(({ operationIds, places }) =>
    operationIds.flatMap((id) => places.map((place) => `${id} ${place}`)),
  );
  expect(found.sort()).toEqual(expected.sort());
});

/** The declared schemas at a location, such as `/name` or `?/name`. */
function declaredAt({ id, query, body }: Endpoint, place: string): Side {
  const start = declared(place.startsWith('?') ? query : body, id);
  const names = place.replace(/^\?/, '').split('/').slice(1);
  return names.reduce((side, name) => (name === '*' ? itemsOf(side) : propertyOf(side, name)), start);
}

const isField = (place: string): boolean => !place.includes('=') && !place.endsWith('!');

test('what is left out is refused, unless the list says that it may be ignored', () => {
  const byId = new Map(allEndpoints.map((endpoint) => [endpoint.id, endpoint]));
  const wrong = leftOut.flatMap(({ operationIds, places, ignored = false }) =>
    operationIds.flatMap((id) =>
      places.filter(isField).flatMap((place) => {
        const endpoint = byId.get(id);
        return endpoint && isRefused(declaredAt(endpoint, place)) === !ignored ? [] : [`${id} ${place}`];
      }),
    ),
  );
  expect(wrong).toEqual([]);
});

test('a difference is found, wherever it is', () => {
  const side = (schema: Schema) => sideOf([schema], resolveWithin(schema));
  const known = side({
    type: 'object',
    properties: {
      name: { type: 'string' },
      kind: { type: 'string', enum: ['a', 'b'] },
      more: {
        type: 'array',
        items: { oneOf: [{ type: 'string' }, { type: 'object', properties: { id: { type: 'integer' } } }] },
      },
    },
  });
  const own = side({
    type: 'object',
    required: ['name', 'kind'],
    properties: {
      name: { type: 'string', default: 'x' },
      kind: { enum: ['b', 'c'] },
      more: { type: 'array', items: { type: 'string' } },
    },
  });
  expect([...lacking(known, own, '')]).toEqual(['/kind!', '/kind=a', '/more/*/id']);
  expect([...lacking(known, known, '')]).toEqual([]);
  expect([...lacking(known, side(empty), '')]).toEqual(['/name', '/kind', '/more']);
});
