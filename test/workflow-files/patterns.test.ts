import { expect, test } from 'vitest';
import { computing } from '#test/support/time.ts';
import { compilePattern, matchesPattern } from '#workflow-files/pattern.ts';
import { beginFilterWork, filterProblem, openFilter, passes } from '#workflow-files/patterns.ts';

const isPassed = (patterns: readonly string[], name: string) => passes(openFilter(patterns), name, beginFilterWork());

test.each([
  ['main', 'main', true],
  ['main', 'maintenance', false],
  ['*', 'main', true],
  ['*', 'feature/a', false],
  ['**', 'feature/a', true],
  ['feature/*', 'feature/a', true],
  ['feature/*', 'feature/a/b', false],
  ['feature/**', 'feature/a/b', true],
  ['*feature', 'my-feature', true],
  ['v2*', 'v2.1', true],
  ['v[12].[0-9]+.[0-9]+', 'v1.10.1', true],
  ['v[12].[0-9]+.[0-9]+', 'v3.1.0', false],
  ['*.jsx?', 'page.js', true],
  ['*.jsx?', 'page.jsx', true],
  ['*.jsx?', 'page.ts', false],
  ['docs/*', 'docs/a/b', false],
  ['docs/**', 'docs/a/b', true],
  ['docs/**/*.md', 'docs/readme.md', true],
  ['docs/**/*.md', 'docs/a/b/readme.md', true],
  ['**/docs/**', 'my/docs/x', true],
  ['**/docs/**', 'docs/x', true],
  ['**/README.md', 'js/README.md', true],
  ['**/README.md', 'README.md', true],
  ['**/*src/**', 'app/my-src/x.js', true],
  ['a.b', 'axb', false],
  ['(a|b)', 'a', false],
  ['(a|b)', '(a|b)', true],
  ['\\*', '*', true],
  ['\\*', 'x', false],
  ['**/', 'a/b/', true],
  ['**/', 'a', false],
  ['a/**/b', 'a/b', true],
  ['a/**/b', 'a/x/y/b', true],
  ['a/**/b', 'a/xb', false],
  ['[a-c_]+x', 'ab_cx', true],
  ['[a-c_]+x', 'x', false],
  ['[c-a]', 'b', false],
  ['?a', '?a', true],
  ['+', '+', true],
  ['a?b?', '', true],
  ['a?b?', 'ab', true],
  ['a?b?', 'ba', false],
  ['*+', 'aa', false],
  ['a*?b', 'axxb', true],
  ['\u{1f600}+', '\u{1f600}\u{1f600}', true],
  ['*', '', true],
  ['ab*ba', 'aba', false],
])('%s on %s: %s', async (pattern, name, expected) => {
  expect(await isPassed([pattern], name)).toBe(expected);
});

test('the last pattern that matches decides', async () => {
  expect(await isPassed(['releases/**', '!releases/**-alpha'], 'releases/10-alpha')).toBe(false);
  expect(await isPassed(['releases/**', '!releases/**-alpha', 'releases/10-alpha'], 'releases/10-alpha')).toBe(true);
  expect(await isPassed(['!main'], 'topic')).toBe(false);
});

test('steps grow with the pattern times the name, whatever is written in it', () => {
  const steps = { left: 10_000_000 };
  const [stars, optional] = [
    compilePattern(`${'a**'.repeat(50)}b?`),
    compilePattern(`${'a?'.repeat(100)}${'[ab]+'.repeat(100)}`),
  ];
  expect(stars && matchesPattern(stars, 'a'.repeat(5_000), steps)).toBe(true);
  expect(optional && matchesPattern(optional, `${'a'.repeat(5_000)}c`, steps)).toBe(false);
  expect(10_000_000 - steps.left).toBeLessThan(2 * (100 + 200) * 5_000);
});

test('a text inside of a pattern is looked for in a time that grows with both lengths alone', () => {
  const pattern = compilePattern(`*${'a'.repeat(20_000)}b${'a'.repeat(20_000)}*`);
  expect(
    computing(() => expect(pattern && matchesPattern(pattern, 'a'.repeat(150_000), { left: 1e7 })).toBe(false)),
  ).toBeLessThan(200);
});

test('a pattern that takes more steps than there are gives no answer', async () => {
  const hard = `*${'a?'.repeat(300)}b`;
  expect(await isPassed([hard], `${'a'.repeat(50_000)}cb`)).toBeUndefined();
  expect(await isPassed([hard], `${'a'.repeat(100)}cb`)).toBe(true);
});

test('500 patterns are compiled once for 500 paths', async () => {
  const patterns = Array.from({ length: 500 }, (_, at) => `src/**/part-${at}/*.t[sx]+`);
  const paths = Array.from({ length: 500 }, (_, at) => `src/a/b/c/part/of/it/file-${at}.ts`);
  const filter = openFilter(patterns);
  const work = beginFilterWork();
  const before = process.cpuUsage();
  let passed = 0;
  for (const path of paths) if ((await passes(filter, path, work)) !== false) passed++;
  expect(passed).toBe(0);
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
});

test('a filter is bounded in patterns and in bytes', () => {
  expect(filterProblem(Array(1_000).fill('docs/**'))).toBeUndefined();
  expect(filterProblem(Array(1_001).fill('docs/**'))).toBe('has more than 1000 patterns');
  expect(filterProblem(['a'.repeat(4_097)])).toBe('has a pattern of more than 4096 characters');
  expect(filterProblem(Array(65).fill('a'.repeat(1_024)))).toBe('has patterns of more than 64 KiB');
});

test('a class that names a character over and over costs no more than one that does so once', () => {
  const pattern = compilePattern(`**[${'zy'.repeat(30_000)}]**`);
  const start = process.threadCpuUsage();
  expect(pattern && matchesPattern(pattern, 'a'.repeat(4_000), { left: 1e7 })).toBe(false);
  expect(pattern && matchesPattern(pattern, `${'a'.repeat(4_000)}y`, { left: 1e7 })).toBe(true);
  expect(process.threadCpuUsage(start).user / 1_000, 'milliseconds').toBeLessThan(200);
});
