import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesPath, pathOf } from '#lib/path-pattern.ts';
import { stepsOfWork } from '#lib/pattern-steps.ts';
import { patternOf, patternProblem } from '#resources/collaboration/code-owners/pattern.ts';

const matches = (pattern: string, path: string) => matchesPath(patternOf(pattern), pathOf(path), stepsOfWork());

test.each<[string, string[], string[]]>([
  ['*', ['a', 'a/b/c.txt'], []],
  ['*.js', ['a.js', 'src/deep/a.js', 'lib.js/readme'], ['a.jsx', 'js', 'a.JS']],
  ['/build/logs/', ['build/logs/today.txt', 'build/logs/old/x'], ['build/logs', 'a/build/logs/x', 'build/other']],
  ['docs/*', ['docs/guide.md'], ['docs/deep/guide.md', 'a/docs/guide.md', 'docs']],
  ['docs/*.md', ['docs/guide.md'], ['docs/deep/guide.md', 'docs/guide.txt']],
  ['apps/', ['apps/x', 'a/b/apps/x/y'], ['apps', 'myapps/x']],
  ['/apps', ['apps', 'apps/x/y'], ['a/apps', 'apps2']],
  ['apps', ['apps', 'a/apps', 'a/apps/b'], ['apps.txt']],
  ['apps/server', ['apps/server', 'apps/server/x'], ['a/apps/server']],
  ['**/logs', ['logs', 'build/logs', 'a/b/logs/c'], ['logs2', 'build/mylogs']],
  ['a/**/z', ['a/z', 'a/b/z', 'a/b/c/z/more'], ['a/b', 'b/a/z']],
  ['a/**', ['a/b', 'a/b/c'], ['a', 'b/a/c']],
  ['**', ['a', 'a/b'], []],
  ['/*', ['a'], ['a/b']],
  ['/docs/*/', ['docs/a/b', 'docs/a/b/c'], ['docs/a', 'docs']],
  ['file?.txt', ['file1.txt', 'a/file2.txt', 'fileé.txt', 'file😀.txt'], ['file.txt', 'file12.txt', 'file/.txt']],
  ['a\\ b', ['a b', 'x/a b/c'], ['a', 'b', 'a\\ b']],
  ['what\\?', ['what?'], ['whats', 'what']],
  ['\\*', ['*'], ['a', '**']],
  ['a//b', ['a/b'], ['a/x/b']],
  ['.github/', ['.github/CODEOWNERS'], ['github/x']],
])('%s', (pattern, matched, others) => {
  expect(patternProblem(pattern)).toBeUndefined();
  expect(matched.filter((path) => !matches(pattern, path))).toEqual([]);
  expect(others.filter((path) => matches(pattern, path))).toEqual([]);
});

test.each(['!a', '[ab].txt', 'a]', '\\#a', '/', '//'])('%s is no pattern', (pattern) => {
  expect(patternProblem(pattern)).toEqual({ suggestion: null });
});

test('too many stars are no pattern, and there is a suggestion', () => {
  expect(patternProblem('***/*.rb')).toEqual({ suggestion: 'Did you mean **/*.rb?' });
  expect(patternProblem('\\***')).toBeUndefined();
});

/** The same meaning, tried in every possible way: a text of wildcards, and a list of names. */
function fits(pattern: string, name: string): boolean {
  if (pattern === '') return name === '';
  if (pattern.startsWith('*')) return fits(pattern.slice(1), name) || (name !== '' && fits(pattern, name.slice(1)));
  return name !== '' && (pattern[0] === '?' || pattern[0] === name[0]) && fits(pattern.slice(1), name.slice(1));
}

function fitsAll(names: string[], path: string[]): boolean {
  const [first, ...rest] = names;
  if (first === undefined) return path.length === 0;
  if (first === '**') return fitsAll(rest, path) || (path.length > 0 && fitsAll(names, path.slice(1)));
  return path.length > 0 && fits(first, path[0] ?? '') && fitsAll(rest, path.slice(1));
}

/** By the rules one after the other: any depth, folders, and the last star. */
function model(pattern: string, path: string[]): boolean {
  const names = pattern.split('/').filter((name) => name !== '');
  const isAnchored = pattern.replace(/\/+$/, '').includes('/');
  const starts = isAnchored ? [0] : path.map((_, at) => at);
  return starts.some((from) =>
    path.some((_, at) => {
      const [own, below] = [path.slice(from, at + 1), path.slice(at + 1)];
      if (at < from || !fitsAll(names, own)) return false;
      if (pattern.endsWith('/')) return below.length > 0;
      return below.length === 0 || (names.at(-1) !== '*' && names.at(-1) !== '**');
    }),
  );
}

const name = fc
  .string({ unit: fc.constantFrom('a', 'b', '*', '?'), minLength: 1, maxLength: 4 })
  .filter((text) => !text.includes('**'));
const patterns = fc
  .tuple(
    fc.boolean(),
    fc.array(fc.oneof(name, fc.constant('a'), fc.constant('**')), { minLength: 1, maxLength: 4 }),
    fc.boolean(),
  )
  // A star for folders at the end, which means at least one of them, is in the cases above.
  .filter(([, names]) => names.at(-1) !== '**')
  .map(([root, names, folder]) => `${root ? '/' : ''}${names.join('/')}${folder ? '/' : ''}`);
const paths = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 4,
});

test('a pattern matches what the rules say, tried in every way', () => {
  fc.assert(
    fc.property(patterns, paths, (pattern, path) => {
      expect(matches(pattern, path.join('/'))).toBe(model(pattern, path));
    }),
    { numRuns: 3_000 },
  );
});

test('a pattern of many stars is matched in few steps', () => {
  const start = process.cpuUsage();
  expect(matches(`${'*a'.repeat(500)}b`, 'a'.repeat(1_000))).toBe(false);
  expect(matches(`${'**/a/'.repeat(500)}b`, 'a/'.repeat(1_000).slice(0, -1))).toBe(false);
  const { user } = process.cpuUsage(start);
  expect(user).toBeLessThan(1_000_000);
});
