import { createConfig, lintFromString } from '@redocly/openapi-core';
import { validate } from '@scalar/openapi-parser';
import { expect, test } from 'vitest';
import { positionsOf } from '#endpoint/paging.ts';
import { makeDocument } from '#openapi/document.ts';
import { allEndpoints, allSchemas } from '#resources/all.ts';
import { documented } from '#test/conformance/matrix.ts';
import { publicOperation } from '#test/support/public-schema.ts';
import { vocabularies } from '#vocabulary/words.ts';

type Operation = {
  operationId: string;
  parameters: { name: string; in: string; required?: boolean; schema: object }[];
  responses: Record<string, unknown>;
  security: object[];
};
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, object> } };

const documentIn = (vocabulary: (typeof vocabularies)[number]): Document =>
  JSON.parse(
    JSON.stringify(
      makeDocument({
        endpoints: allEndpoints,
        schemas: allSchemas,
        vocabulary,
        version: '1.0.0',
        server: 'https://x.example/api/v3',
      }),
    ),
  );

test.each(vocabularies)('the description in the %s vocabulary is valid OpenAPI 3.1', async (vocabulary) => {
  const { valid, errors } = await validate(JSON.stringify(documentIn(vocabulary)));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
});

/** Rules of redocly that aren't about what is wrong: the paths are the public API's, and families need no description. */
const otherRules = { 'no-ambiguous-paths': 'off', 'tag-description': 'off' } as const;

test.each(vocabularies)('redocly finds nothing in the description in the %s vocabulary', async (vocabulary) => {
  const config = await createConfig({ extends: ['recommended'], rules: otherRules });
  const problems = await lintFromString({ source: JSON.stringify(documentIn(vocabulary)), config });
  expect(problems.map(({ message, location }) => `${location[0]?.pointer}: ${message}`)).toEqual([]);
});

/** Every value of a keyword in a document. */
function* valuesOf(keyword: string, value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name === keyword) yield inner;
    yield* valuesOf(keyword, inner);
  }
}

test('its patterns mean the same in all kinds of regular expressions', () => {
  const patterns = [...valuesOf('pattern', documentIn('service').components)].filter((value) => typeof value === 'string');
  expect(patterns.length).toBeGreaterThan(5);
  for (const pattern of patterns) {
    expect(pattern).not.toMatch(/\\p\{/i);
    expect(() => [new RegExp(pattern), new RegExp(pattern, 'u')]).not.toThrow();
  }
});

test('an operation answers by what it declares, and by the statuses that the documents name', () => {
  const { paths } = documentIn('service');
  const missing = documented.flatMap(({ method, path, other = [] }) => {
    const responses = paths[path]?.[method.toLowerCase()]?.responses;
    // A change is never answered by 304, which the documents list for some.
    const answered = other.filter((status) => status !== 304 || method === 'GET');
    return responses ? answered.filter((status) => !(status in responses)).map((status) => `${method} ${path}: ${status}`) : [];
  });
  expect(missing).toEqual([]);
});

test('it lists every endpoint, each with its replies and how to sign in', () => {
  const { paths } = documentIn('service');
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, responses, security }]) => ({
      id: operationId,
      route: `${method.toUpperCase()} ${path}`,
      statuses: Object.keys(responses),
      security: security.length,
    })),
  );
  expect(listed.map(({ route }) => route).sort()).toEqual(allEndpoints.map(({ method, path }) => `${method} ${path}`).sort());
  expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
  for (const { id, statuses, security } of listed) {
    const endpoint = allEndpoints.find((one) => one.id === id);
    expect(statuses, id).toEqual(expect.arrayContaining(Object.keys(endpoint?.replies ?? {})));
    expect(security, id).toBeGreaterThan(0);
  }
});

test('every reference leads to a named schema, and every named schema is used', () => {
  const document = documentIn('service');
  const text = JSON.stringify(document);
  const references = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name));
  expect([...references].sort()).toEqual(Object.keys(document.components.schemas).sort());
});

test('it names every parameter: the words of the path, those of the query, and how the list is paged', () => {
  const { paths } = documentIn('service');
  for (const { id, method, path, query, paging } of allEndpoints) {
    const named = paths[path]?.[method.toLowerCase()]?.parameters.map((parameter) => `${parameter.in} ${parameter.name}`) ?? [];
    const words = [...path.matchAll(/\{(\w+)\}/g)].map(([, word]) => `path ${word}`);
    const asked = Object.keys((query as { properties?: object } | undefined)?.properties ?? {}).map((name) => `query ${name}`);
    const paged = paging ? ['query per_page', ...positionsOf[paging.style].map((name) => `query ${name}`)] : [];
    expect([id, named.toSorted()]).toEqual([id, [...words, ...asked, ...paged].toSorted()]);
  }
});

test('numbers of pages that are out of range are taken, so no parameter of a list has bounds', () => {
  for (const { get } of Object.values(documentIn('service').paths))
    for (const { name, schema } of get?.parameters ?? [])
      if (name === 'per_page' || name === 'page')
        expect(schema).toEqual({ type: 'integer', default: name === 'page' ? 1 : expect.any(Number) });
});

test('it demands the parameters that the public description demands, and tells of a 304 where that does', () => {
  const { paths } = documentIn('service');
  for (const { id, method, path } of allEndpoints) {
    const own = paths[path]?.[method.toLowerCase()];
    const known = publicOperation(method, path)?.operation;
    const demanded = (known?.parameters ?? []).filter((parameter) => parameter.in === 'query' && parameter.required === true);
    for (const { name } of demanded)
      expect([id, own?.parameters.find((parameter) => parameter.name === name)]).toMatchObject([id, { required: true }]);
    // A reply without a body has no ETag, by which a client could ask whether it is another one.
    const mayBeSame = known !== undefined && 304 in known.responses && 200 in known.responses;
    if (method === 'GET' && mayBeSame) expect([id, own?.responses]).toMatchObject([id, { 304: {} }]);
  }
});

test('a search demands a query, and has no usual one', () => {
  const { paths } = documentIn('service');
  for (const kind of ['code', 'commits', 'issues', 'repositories']) {
    const { parameters = [], responses } = paths[`/search/${kind}`]?.get ?? {};
    const q = parameters.find(({ name }) => name === 'q');
    expect(q).toEqual({ name: 'q', in: 'query', required: true, schema: { type: 'string', maxLength: 20_000 } });
    expect(responses).toHaveProperty('304');
  }
});

test('what document 1 says is being closed down is deprecated', () => {
  const { paths } = documentIn('service');
  const deprecated = (kind: string) =>
    (paths[`/search/${kind}`]?.get?.parameters ?? []).filter(({ schema }) => 'deprecated' in schema).map(({ name }) => name);
  expect(deprecated('code').toSorted()).toEqual(['order', 'sort']);
  expect(deprecated('issues')).toEqual([]);
});
