import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allFamilies } from '#resources/all.ts';
import { limitsOf } from '#resources/family.ts';
import { layerLimits } from '#resources/layers.ts';

const root = new URL('../src', import.meta.url).pathname;

/** The layers, lowest first, each with those that it may import; `types` are layers of which it may import types alone. */
const layers: Readonly<Record<string, { may: readonly string[]; types?: readonly string[] }>> = {
  lib: { may: [] },
  text: { may: ['lib'] },
  html: { may: ['text', 'lib'] },
  vocabulary: { may: ['lib'] },
  net: { may: ['lib'] },
  objects: { may: ['net', 'lib'] },
  database: { may: ['lib'] },
  git: { may: ['lib'] },
  jobs: { may: ['database', 'lib'] },
  events: { may: ['jobs', 'database', 'lib'] },
  access: { may: ['database', 'lib'] },
  search: { may: ['git', 'net', 'database', 'lib'] },
  'webhook-delivery': { may: ['events', 'jobs', 'net', 'vocabulary', 'database', 'lib'] },
  'runner-providers': { may: ['net', 'database', 'lib'] },
  endpoint: {
    may: ['access', 'vocabulary', 'database', 'lib'],
    types: ['jobs', 'git', 'net', 'objects', 'search', 'webhook-delivery', 'runner-providers'],
  },
  'workflow-files': { may: ['lib'], types: ['access'] },
  openapi: { may: ['endpoint', 'access', 'vocabulary', 'lib'] },
  resources: {
    may: [
      'openapi',
      'endpoint',
      'workflow-files',
      'runner-providers',
      'webhook-delivery',
      'search',
      'access',
      'events',
      'jobs',
      'git',
      'net',
      'objects',
      'database',
      'vocabulary',
      'html',
      'text',
      'lib',
    ],
  },
  console: { may: ['resources', 'endpoint', 'html', 'lib'], types: ['access', 'text'] },
  'runner-protocol': { may: ['resources', 'endpoint', 'access', 'database', 'lib'] },
  'results-service': { may: ['resources', 'endpoint', 'access', 'database', 'lib'] },
  backup: { may: ['objects', 'git', 'database', 'lib'] },
  server: {
    may: [
      'console',
      'html',
      'runner-protocol',
      'results-service',
      'resources',
      'openapi',
      'endpoint',
      'runner-providers',
      'webhook-delivery',
      'search',
      'access',
      'events',
      'jobs',
      'git',
      'net',
      'objects',
      'database',
      'vocabulary',
      'lib',
    ],
  },
  'ssh-server': {
    may: ['server', 'resources', 'endpoint', 'access', 'git', 'database', 'lib'],
  },
  'pages-server': {
    may: ['server', 'resources', 'endpoint', 'access', 'git', 'database', 'lib'],
  },
  cli: {
    may: [
      'pages-server',
      'ssh-server',
      'server',
      'backup',
      'resources',
      'endpoint',
      'runner-providers',
      'search',
      'access',
      'events',
      'jobs',
      'git',
      'net',
      'objects',
      'database',
      'vocabulary',
      'lib',
    ],
  },
};

type Import = { file: string; from: string; isType: boolean };

const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  // Generated files hold what a `.proto` file says.
  (name) => name.endsWith('.ts') && !name.includes('/generated/'),
);
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const imports: Import[] = [...texts].flatMap(([file, text]) =>
  [...text.matchAll(/^(?:import|export)\b([^;']*?)\s*'([^']+)'|\bimport\('([^']+)'\)/gm)].map(([, names = '', from, later]) => ({
    file,
    from: from ?? later ?? '',
    isType: /^\s*type\b/.test(names),
  })),
);

const folderOf = (file: string): string => file.split('/')[0] ?? '';
const ours = imports.filter(({ from }) => from.startsWith('#')).map((one) => ({ ...one, to: one.from.slice(1) }));
const show = ({ file, from }: Import): string => `src/${file} imports ${from}`;

test('the imports of every file were found', () => {
  const written = [...texts.values()].join('\n').match(/from '#|import\('#/g) ?? [];
  expect(ours.length).toBe(written.length);
  expect(Object.keys(layers)).toEqual(expect.arrayContaining([...new Set(files.map(folderOf))]));
});

test('layers import downward only', () => {
  const order = Object.keys(layers);
  for (const [layer, { may }] of Object.entries(layers))
    for (const other of may) expect(order.indexOf(other), `${other} below ${layer}`).toBeLessThan(order.indexOf(layer));
  const wrong = ours.filter(({ file, to, isType }) => {
    const [here, there] = [folderOf(file), folderOf(to)];
    const allowed = layers[here];
    return here !== there && !allowed?.may.includes(there) && !(isType && allowed?.types?.includes(there));
  });
  expect(wrong.map(show)).toEqual([]);
});

const familyOf = (file: string): string | undefined => /^resources\/[\w-]+\/([\w-]+)\//.exec(file)?.[1];
const productOf = (file: string): string | undefined => /^resources\/([\w-]+)\//.exec(file)?.[1];
const betweenFamilies = ours
  .map((one) => ({ ...one, here: familyOf(one.file), there: familyOf(one.to) }))
  .filter(({ here, there }) => here !== undefined && there !== undefined && here !== there);

test('lib names no family', () => {
  const names = new Set(allFamilies.map(({ name }) => name));
  const wrong = [...texts].flatMap(([file, text]) => {
    if (folderOf(file) !== 'lib') return [];
    const folders = text.match(/resources\/[\w-]+\/[\w-]+/g) ?? [];
    const words = [...text.matchAll(/\b(?:limitGroup|moreLimits)\('([\w-]+)'/g)].map(([, group = '']) => group);
    return [...[file.split('/').at(-1)?.replace('.ts', '') ?? '', ...words].filter((one) => names.has(one)), ...folders].map(
      (one) => `src/${file} names ${one}`,
    );
  });
  expect(wrong).toEqual([]);
});

test('a family calls another only through its index', () => {
  expect(betweenFamilies.filter(({ to }) => !to.endsWith('/index.ts')).map(show)).toEqual([]);
});

/** The products, lowest first. `docs/architecture.md` has a page for them. */
const products = ['identity', 'repositories', 'code', 'collaboration', 'security', 'platform', 'actions'];

test('a product imports only products below it', () => {
  expect([...new Set(files.flatMap((file) => productOf(file) ?? []))].toSorted()).toEqual(products.toSorted());
  const wrong = betweenFamilies.filter(
    ({ file, to }) => products.indexOf(productOf(to) ?? '') > products.indexOf(productOf(file) ?? ''),
  );
  expect(wrong.map(show)).toEqual([]);
});

test('families import earlier families only', () => {
  const order = allFamilies.map(({ name }) => name);
  expect(order.toSorted()).toEqual([...new Set(files.flatMap((file) => familyOf(file) ?? []))].toSorted());
  const later = betweenFamilies.filter(({ here = '', there = '' }) => order.indexOf(there) > order.indexOf(here));
  expect(later.map(show)).toEqual([]);
});

test('no family leads back to itself', () => {
  const below = Map.groupBy(betweenFamilies, ({ here }) => here ?? '');
  const done = new Set<string>();
  // What was looked at as a whole leads to no circle by another way either.
  const reached = (family: string, path: readonly string[]): string[] => {
    if (done.has(family)) return [];
    const circles = (below.get(family) ?? []).flatMap(({ there = '' }) =>
      path.includes(there) ? [[...path, there].join(' → ')] : reached(there, [...path, there]),
    );
    done.add(family);
    return circles;
  };
  expect([...new Set([...below.keys()].flatMap((family) => reached(family, [family])))]).toEqual([]);
});

test('no import climbs out of its folder, but from inside a subfolder of a family, of the commands or of git', () => {
  const climbing = imports.filter(({ from }) => from.startsWith('../') && !from.endsWith('/package.json'));
  const wrong = climbing.filter(
    ({ file, from }) =>
      !/^(resources\/[\w-]+\/[\w-]+|cli|git)\/[\w-]+\/[\w.-]+$/.test(file) || !/^\.\.\/([\w-]+\/)?[\w.-]+$/.test(from),
  );
  expect(wrong.map(show)).toEqual([]);
});

test('one layer each runs programs, speaks HTTP to others, and reads the environment', () => {
  const importing = (name: string): string[] =>
    imports.filter(({ from, isType }) => from === name && !isType).map(({ file }) => file);
  const saying = (pattern: RegExp): string[] => [...texts].filter(([, text]) => pattern.test(text)).map(([file]) => file);
  // The demonstration is a client of the server that it started.
  const foldersOf = (found: readonly string[]): string[] =>
    [...new Set(found.filter((file) => file !== 'cli/commands/demo.ts').map(folderOf))].sort();
  // database/ starts the embedded server, runner-providers/ the processes of runners; cli/ is where the process begins.
  expect(foldersOf(importing('node:child_process'))).toEqual(['database', 'git', 'runner-providers']);
  expect(foldersOf([...importing('node:http'), ...importing('node:https'), ...saying(/\bfetch\(/)])).toEqual(['net']);
  expect(foldersOf(saying(/process\.env/))).toEqual(['cli', 'database']);
});

test('no file is longer than 400 lines, except tables of data', () => {
  const long = [...texts].filter(([file, text]) => text.split('\n').length > 401 && file !== 'database/tables.ts');
  expect(long.map(([file]) => file)).toEqual([]);
});

/** The tables of the database, by the type of them all. */
const tables = new Set(
  [...(texts.get('database/tables.ts')?.split('export interface DB {')[1] ?? '').matchAll(/^ {2}(\w+): /gm)].map(
    ([, table = '']) => table,
  ),
);

test('a table is written by one family', () => {
  const writers = new Map<string, Set<string>>();
  for (const [file, text] of texts) {
    const family = familyOf(file);
    if (family === undefined) continue;
    const written = [
      ...text.matchAll(/\b(?:insertInto\(|updateTable\(|deleteFrom\(|removeSome\(\s*tx,)\s*(?:'(\w+)|[^'\s])/g),
      ...text.matchAll(/\b(?:insert into|update|delete from|merge into|truncate)\s+(?:only\s+)?(?:(\w+)|\$)/g),
    ];
    for (const [statement, table] of written) {
      expect(table, `src/${file} names the table of each statement: ${statement}`).toBeDefined();
      if (table !== undefined && tables.has(table)) writers.set(table, (writers.get(table) ?? new Set()).add(family));
    }
  }
  expect(writers.size).toBeGreaterThan(30);
  const several = [...writers].filter(([, families]) => families.size > 1);
  expect(several.map(([table, families]) => `${table}: ${[...families].sort().join(', ')}`)).toEqual([]);
});

test('every subscription and job is in the manifest of its family', () => {
  const declared = Map.groupBy(
    [...texts].flatMap(([file, text]) =>
      (text.match(/[=>]\s+(?:subscription|batchSubscription|job)[<(]/g) ?? []).map(() => familyOf(file) ?? ''),
    ),
    (family) => family,
  );
  expect(declared.size).toBeGreaterThan(5);
  for (const { name, subscriptions = [], jobs = [] } of allFamilies)
    expect(subscriptions.length + jobs.length, `jobs in the manifest of ${name}`).toBe(declared.get(name)?.length ?? 0);
});

test('every group of limits is in the manifest of its family, or among those of the layers', () => {
  const declared = new Map<string, number>();
  for (const [file, text] of texts) {
    const groups = text.match(/ = (?:limitGroup|moreLimits)\(/g)?.length ?? 0;
    if (groups > 0) declared.set(familyOf(file) ?? '', (declared.get(familyOf(file) ?? '') ?? 0) + groups);
  }
  expect(declared.get('')).toBe(layerLimits.length);
  for (const family of allFamilies)
    expect(limitsOf(family).length, `limits of ${family.name}`).toBe(declared.get(family.name) ?? 0);
});

test('each search index is brought up to date from one file of a family', () => {
  const exported = [
    ...(texts.get('search/index.ts') ?? '').matchAll(/^export \{([^}]*)\} from '\.\/(\w+)\/index-[\w-]+\.ts'/gm),
  ].map(([, names = '', index = '']) => ({ index, functions: names.match(/\b(?:re)?index\w+/g) ?? [] }));
  const updating = exported.map(({ index, functions }) => {
    const named = new RegExp(`\\b(?:${functions.join('|')})\\b`);
    return [index, [...texts].filter(([file, text]) => familyOf(file) !== undefined && named.test(text)).map(([file]) => file)];
  });
  expect(Object.fromEntries(updating)).toEqual({
    code: ['resources/code/pushes/jobs.ts'],
    commits: ['resources/code/pushes/jobs.ts'],
    issues: ['resources/collaboration/issues/search-jobs.ts'],
    repositories: ['resources/platform/search/jobs.ts'],
    users: ['resources/identity/accounts/store.ts'],
  });
});
