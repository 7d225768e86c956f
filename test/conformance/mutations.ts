import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { wordsOf } from '#endpoint/path-words.ts';
import { samplePath } from './callers.ts';

/** A request that no endpoint may accept, or that only reads. */
export type Bad = { method: string; path: string; headers?: Record<string, string>; body?: string; what: string };

type Random = (bound: number) => number;
type Shape = {
  type?: string;
  properties?: Record<string, Shape>;
  required?: string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Shape[];
  items?: Shape;
  minItems?: number;
};

const ajv = formats.default(new Ajv({ strict: false, coerceTypes: false }));
/** A random item. */
export const pick = <T>(from: readonly T[], random: Random): T => from[random(from.length)] as T;

/** Path segments that name nothing here, as written in a request line. */
const oddSegments = [
  '%00',
  '%0d%0aX-Injected:%201',
  '%ff%fe',
  '%',
  '%zz',
  '%2e%2e',
  '..%2f..%2fetc%2fpasswd',
  '-1',
  '0',
  '1e9',
  '0x10',
  '99999999999999999999',
  '9007199254740993',
  '1.5',
  'NaN',
  "'%20or%20''='",
  '%F0%9F%92%A9',
  '%ed%a0%80',
  '%E2%80%AE',
  '--upload-pack=touch',
  '@%7Bu%7D',
  'refs%2fheads%2f..%2f..',
  'a'.repeat(3000),
  '%25%32%65',
  '~',
  '*',
  '$(id)',
  '%5c..%5c',
  '__proto__',
  'constructor',
];

const oddTexts = [
  '',
  '\0',
  '%',
  '\ud800',
  '￿',
  "'",
  '"',
  '\\',
  '`',
  '{x}',
  '--',
  '..',
  '\n',
  '‮',
  'x'.repeat(5000),
  '💩'.repeat(500),
];
const oddNumbers = ['-1', '0', '1e309', '99999999999999999999', '1.5', 'NaN', '-0', '0x1f', '٣'];

/** Numbers at the limits of columns and of JavaScript. */
const largeNumbers = [0, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 10_764_335_617, Number.MAX_SAFE_INTEGER];

const wrongValues: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  1.5,
  Number.MAX_SAFE_INTEGER,
  [],
  [[]],
  [null],
  {},
  { $ne: null },
  'x'.repeat(70_000),
  'not one of these',
  [{}],
  ['\0'],
  'a\0b',
];

const malformed = [
  '{',
  '{"a":',
  '[1,',
  '{"a":1}}',
  "{'a':1}",
  '\0',
  '{"a":\u0001}',
  'undefined',
  '{"a":01}',
  '﻿{',
  'NaN',
  '{"a":"\n"}',
];
const notObjects = ['1', '"text"', 'true', 'false'];
const deep = (random: Random): string => {
  const depth = 65 + random(20_000);
  return pick(
    [`${'['.repeat(depth)}${']'.repeat(depth)}`, `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`, '['.repeat(depth)],
    random,
  );
};

/** A request for an endpoint that is wrong in one respect. */
export function badRequest(endpoint: Endpoint, random: Random): Bad {
  const { method, body } = endpoint;
  const words = wordsOf(endpoint.path);
  const ways = [
    ...(words.length > 0 ? [oddPath] : []),
    ...(method === 'GET' ? [oddQuery, oddQuery, oddHeaders] : [refusedHeaders]),
    ...(body ? [wrongBody, wrongBody, wrongBody, brokenBody] : []),
  ];
  return pick(ways, random)(endpoint, random);
}

/** Writes have a body that isn't JSON, so that nothing changes even if an odd path is valid. */
function oddPath({ method, path, body }: Endpoint, random: Random): Bad {
  const word = pick(wordsOf(path), random);
  const made = samplePath(path, { [word]: pick(oddSegments, random) });
  return { method, path: made, ...(body ? { body: '{' } : {}), what: 'odd path' };
}

function oddQuery({ method, path, query }: Endpoint, random: Random): Bad {
  const declared = Object.keys((query as Shape | undefined)?.properties ?? {});
  const names = ['per_page', 'page', 'cursor', 'since', 'before', 'after', '__proto__', ...declared, ...declared];
  const parameters = Array.from({ length: 1 + random(3) }, () => {
    const value = pick([...oddNumbers, ...oddTexts], random).toWellFormed();
    return (
      pick([`${pick(names, random)}=`, `${pick(names, random)}[]=`, `${pick(names, random)}[a]=`], random) +
      encodeURIComponent(value)
    );
  });
  const broken = random(8) === 0 ? pick(['&&&', '%', '=', '%00=%00', '?', '&page=%ff'], random) : '';
  return { method, path: `${samplePath(path)}?${parameters.join('&')}${broken}`, what: 'odd query' };
}

function oddHeaders({ method, path }: Endpoint, random: Random): Bad {
  const headers = pick<Record<string, string>>(
    [
      { accept: pick(['*', ';;;', 'application/vnd.service.+json', 'text/html;q=x', 'a/b,'.repeat(500)], random) },
      { 'if-none-match': pick(['"', 'W/', '*,*,*', '"a",'.repeat(1000)], random) },
      { 'if-modified-since': pick(['never', '99999-01-01', '-1', 'Thu, 32 Foo 2026 25:61:61 GMT'], random) },
      { 'x-service-api-version': pick(['', '2022-11-29', 'latest', '9'.repeat(400)], random) },
      {
        authorization: pick(
          ['Bearer', 'Basic !!!', 'Basic Og==', 'Digest x', `Bearer ${'a.b.c'}`, `Bearer ${'x'.repeat(8000)}`],
          random,
        ),
      },
    ],
    random,
  );
  return { method, path: samplePath(path), headers, what: 'odd headers' };
}

/** Headers that get any request refused before it is processed. */
function refusedHeaders({ method, path }: Endpoint, random: Random): Bad {
  const headers = pick<Record<string, string>>(
    [
      { accept: 'image/png' },
      { 'x-service-api-version': pick(['2022-11-29', 'latest', '9'.repeat(400)], random) },
      { authorization: pick(['Bearer', 'Basic !!!', 'Basic Og==', 'Digest x', 'Bearer a.b.c', 'token hrp_1'], random) },
    ],
    random,
  );
  return { method, path: samplePath(path), headers, what: 'refused headers' };
}

function brokenBody({ method, path }: Endpoint, random: Random): Bad {
  const body = random(4) === 0 ? deep(random) : pick([...malformed, ...notObjects], random);
  return { method, path: samplePath(path), body, what: 'broken body' };
}

/** The example or an empty body, with one declared field that its own schema refuses, or without a required one. */
function wrongBody(endpoint: Endpoint, random: Random): Bad {
  const { method, path, example } = endpoint;
  const { properties = {} } = (endpoint.body ?? {}) as Shape;
  const name = pick(Object.keys(properties), random);
  const start = typeof example === 'object' && example !== null ? example : {};
  const refused = name === undefined ? [] : wrongValues.filter((value) => !accepts(properties[name] ?? {}, value));
  if (name === undefined || refused.length === 0) return brokenBody(endpoint, random);
  const body = { ...start, [name]: pick(refused, random), ...(random(4) === 0 ? { unknown: { a: 1 } } : {}) };
  const text = JSON.stringify(body);
  return {
    method,
    path: samplePath(path),
    body: random(8) === 0 ? `${text.slice(0, -1)},"__proto__":{"admin":true}}` : text,
    what: `wrong ${name}`,
  };
}

const accepts = (schema: object, value: unknown): boolean =>
  ajv.validate(schema, value) && !JSON.stringify(value).includes('\\u0000');

/** A value that matches a schema, with only the required fields. `leaf` chooses texts and numbers. */
function sampleOf(schema: Shape, leaf: (schema: Shape) => unknown): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return sampleOf(schema.anyOf[0] ?? {}, leaf);
  if (schema.type === 'boolean') return false; // nothing is archived or suspended
  if (schema.type === 'array') return Array.from({ length: schema.minItems ?? 1 }, () => sampleOf(schema.items ?? {}, leaf));
  if (schema.type === 'object') {
    const { properties = {}, required = [] } = schema;
    return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {}, leaf)]));
  }
  return leaf(schema);
}

/** A body with correct types and strange texts and numbers. It may be accepted or refused, but must not cause a fault. */
export function strangeRequest({ method, path, body, example }: Endpoint, random: Random): Bad {
  const { properties = {}, required = [] } = (body ?? {}) as Shape;
  const strange = (schema: Shape): unknown => {
    const isNumber = schema.type === 'integer' || schema.type === 'number';
    const fitting = (isNumber ? largeNumbers : oddTexts).filter((value) => ajv.validate(schema, value));
    return fitting.length === 0 || random(3) === 0 ? (isNumber ? 1 : 'plain') : pick(fitting, random);
  };
  const chosen = Object.entries(properties).filter(([name]) => required.includes(name) || random(3) === 0);
  const made = Object.fromEntries(chosen.map(([name, schema]) => [name, sampleOf(schema, strange)]));
  const start = typeof example === 'object' && example !== null ? example : {};
  return { method, path: samplePath(path), body: JSON.stringify({ ...start, ...made }), what: 'strange values' };
}
