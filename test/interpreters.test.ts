import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { interpreterTable, ownFiles } from '#lib/limits/interpreter-table.ts';
import { limitTable } from '#lib/limits.ts';

const root = new URL('../src', import.meta.url).pathname;

/** Packages that interpret texts, and the modules of our own that do so for others. */
const interpreting =
  /^(?:(?:yaml|smol-toml|fast-xml-parser|markdown-it|sanitize-html|semver|croner|re2js|packageurl-js|ae-cvss-calculator|tar-stream|yauzl|ssh2|@renovatebot\/pep440|@actions\/[\w-]+)(?:\/.*)?|#lib\/(?:regular-expression|path-pattern|json-reader|ssh-key|openpgp\/\w+)\.ts)$/;

const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.includes('/generated/'),
);

/** What a file calls that interprets texts. */
function interpretersIn(text: string): string[] {
  const imports = [...text.matchAll(/^import\b(?!\s*type\b)([^;']*?)\s*'([^']+)'|\bimport\('([^']+)'\)/gm)].flatMap(
    ([, names = '', from, later]) =>
      /^\s*\{(?:\s*type \w+(?: as \w+)?,?)+\s*\}\s*from$/.test(names) ? [] : [from ?? later ?? ''],
  );
  return [...imports.filter((name) => interpreting.test(name)), ...(/\bJSON\.parse\(/.test(text) ? ['JSON.parse'] : [])];
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
