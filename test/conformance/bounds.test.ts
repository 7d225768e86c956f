import { expect, test } from 'vitest';
import { wordSchemasOf } from '#endpoint/path-resource.ts';
import { allEndpoints } from '#resources/all.ts';

type Schema = {
  readonly type?: string;
  readonly const?: unknown;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
};

/** The locations of integers in a schema that may exceed PostgreSQL's range. */
function unbounded(schema: Schema | undefined, place: string): string[] {
  if (!schema) return [];
  const isBounded = schema.enum !== undefined || (schema.minimum !== undefined && schema.maximum !== undefined);
  return [
    ...(schema.type === 'integer' && !isBounded ? [place] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => unbounded(inner, `${place}.${name}`)),
    ...unbounded(schema.items, `${place}[]`),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((inner) => unbounded(inner, place)),
  ];
}

test('every whole number that a request may hold has bounds, or a huge one would break a statement', () => {
  const found = allEndpoints.flatMap(({ id, body, query }) => [
    ...unbounded(body as Schema | undefined, `${id} body`),
    ...unbounded(query as Schema | undefined, `${id} query`),
  ]);
  // In the public API, a title may be a number. It is stored as text.
  expect(found).toEqual(['issues/create body.title', 'issues/update body.title']);
  const words = allEndpoints.flatMap((endpoint) => [...wordSchemasOf(endpoint)]);
  expect(words.flatMap(([word, schema]) => unbounded(schema as Schema, word))).toEqual([]);
});

/** A pattern with a fixed number of characters. */
const isShort = (pattern: string | undefined): boolean => /^\^[^*+]*\{\d+\}\$$/.test(pattern ?? '');

/** The locations of texts and lists in a schema without their own limit. */
function endless(schema: Schema | undefined, place: string): string[] {
  if (!schema) return [];
  const isClosed = schema.enum !== undefined || schema.const !== undefined;
  const text = schema.type === 'string' && !isClosed && schema.maxLength === undefined && !isShort(schema.pattern);
  const list = schema.type === 'array' && schema.maxItems === undefined;
  return [
    ...(text || list ? [place] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => endless(inner, `${place}.${name}`)),
    ...endless(schema.items, `${place}[]`),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((inner) => endless(inner, place)),
  ];
}

test('every text and list of a body has a bound, but for contents of files', () => {
  const found = allEndpoints.flatMap(({ id, body }) => endless(body as Schema | undefined, id));
  expect(found).toEqual([
    'git/create-blob.content',
    'git/create-tree.tree[].content',
    'repos/create-or-update-file-contents.content',
  ]);
});
