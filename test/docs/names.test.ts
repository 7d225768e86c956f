import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { expect, test } from 'vitest';
import { loadCommands } from '#cli/commands/all.ts';
import { settings } from '#cli/settings.ts';
import { allEndpoints } from '#resources/all.ts';
import { neutralRoute } from '#vocabulary/paths.ts';
import { found, pages, root } from './pages.ts';

const commands = await loadCommands();

/** The variables by which tests are made longer. */
const ofTests = (): string[] =>
  readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('spec/'))
    .flatMap((name) => [...readFileSync(join(root, 'test', name), 'utf8').matchAll(/process\.env\.(HEARTH_TEST_\w+)/g)])
    .map(([, name = '']) => name);

test('every variable that a page names is a setting, what runners are told, or one of a test', () => {
  const variables = Object.values(settings).map(({ variable }) => variable);
  const known = new Set<string>([...variables, 'HEARTH_RUNNER_PUBLISH', ...ofTests()]);
  const named = found(/\b(HEARTH_[A-Z_]*[A-Z]|DATABASE_URL)\b/g);
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ is }) => !known.has(is))).toEqual([]);
});

/** The command that words name, as far as they name one, with the words that follow. */
function commandOf(words: readonly string[]): { command: CommandUnknownOpts | undefined; rest: readonly string[] } {
  let command: CommandUnknownOpts | undefined;
  let below: readonly CommandUnknownOpts[] = commands;
  for (const [at, word] of words.entries()) {
    const next = below.find((one) => one.name() === word);
    if (!next) return { command, rest: words.slice(at) };
    command = next;
    below = next.commands;
  }
  return { command, rest: [] };
}

test('every command line that a page shows has a command, and its flags', () => {
  const shown = found(/(?:^| |`|\()(?:\.\/)?hearth ([a-z][^\n`]*)/gm).filter(({ is }) => /^[a-z-]+(?: |$)/.test(is));
  const lines = shown.filter(
    ({ file, is }) => !(file === 'CHANGELOG.md') && commands.some((one) => is.split(' ')[0] === one.name()),
  );
  expect(lines.length).toBeGreaterThan(30);
  const wrong = lines.filter(({ is }) => {
    const { command, rest } = commandOf(is.split(/[\s)]+/));
    const isGroup = (command?.commands.length ?? 0) > 0;
    const flags = rest.filter((word) => /^--[a-z]/.test(word)).map((word) => word.replace(/[^a-z-].*$/, ''));
    const known = ['--help', ...(command?.options ?? []).map(({ long }) => long)];
    return isGroup || flags.some((flag) => !known.includes(flag));
  });
  expect(wrong).toEqual([]);
});

test('every command that a page runs by ./hearth exists', () => {
  const names = found(/\.\/hearth ([a-z][a-z-]*)/g);
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter(({ is }) => !commands.some((one) => one.name() === is))).toEqual([]);
});

const manifest: { scripts: object; dependencies: object; devDependencies: object } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

test('docs/dependencies.md gives a reason for every package, and for no other', () => {
  const installed = [manifest.dependencies, manifest.devDependencies].flatMap((given) => Object.keys(given));
  const rows = found(
    /^\| (`.*?`) \|/gm,
    pages.filter(({ file }) => file === 'docs/dependencies.md'),
  );
  const explained = rows.flatMap(({ is }) => is.replaceAll('`', '').split(', '));
  const isTypes = (name: string): boolean => name.startsWith('@types/');
  expect(explained.filter((name) => !isTypes(name)).sort()).toEqual(installed.filter((name) => !isTypes(name)).sort());
});

// The machine's own Node may be too old for TypeScript.
test('every program of the checkout is run by the Node that npm ci brought', () => {
  expect(found(/npx node \w+\/[\w/]+\.ts/g).length).toBeGreaterThan(5);
  expect(found(/(?<!npx )\bnode \w+\/[\w/]+\.ts/g)).toEqual([]);
});

test('every npm script that a page names exists', () => {
  const named = found(/\bnpm (?:run )?((?!ci\b|install\b|packages\b|run\b)[a-z]+)\b/g).filter(({ is }) => is !== 'and');
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ is }) => !Object.hasOwn(manifest.scripts, is))).toEqual([]);
});

const words = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^$|()[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')}$`);
const patterns = allEndpoints.map(({ method, path }) => ({ method, path: words(path) }));
const answers = (path: string, method?: string): boolean =>
  patterns.some((one) => (method === undefined || one.method === method) && one.path.test(neutralRoute(path)));

test('every address of the API that a page shows has an endpoint', () => {
  const shown = found(/\/api\/v3(\/[^\s'"`?]+)/g).filter(({ is }) => is !== '/openapi.json' && !is.includes('…'));
  expect(shown.length).toBeGreaterThan(15);
  expect(shown.filter(({ is }) => !answers(is.replace(/[.,;)]+$/, '')))).toEqual([]);
});

test('every path of the API that a page names has an endpoint', () => {
  const named = found(/`(\/(?:orgs|repos|users?|apps?|admin|search|installation)\/[^`\s…]+)`/g);
  expect(named.length).toBeGreaterThan(1);
  expect(named.filter(({ is }) => !answers(is))).toEqual([]);
});

test('every endpoint that a page names exists', () => {
  const named = found(
    /(?<!\| )`?\b((?:GET|POST|PUT|PATCH|DELETE) \/[^\s`|]+)/g,
    pages.filter(({ file }) => file !== 'docs/permissions.md'),
  );
  expect(named.length).toBeGreaterThan(8);
  const missing = named.filter(({ is }) => {
    const [method = '', path = ''] = is.replace(/[.,;)]+$/, '').split(' ');
    const isOfGit = path.endsWith('/git-receive-pack'); // Git's addresses are none of the API
    return !isOfGit && !answers(path.replace(/^\/api\/v3/, ''), method);
  });
  expect(missing).toEqual([]);
});

test('no page holds what a merge left behind', () => {
  expect(found(/^(<{7}|>{7}) /gm)).toEqual([]);
});
