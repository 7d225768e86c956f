import { expect, test } from 'vitest';
import { passes } from '#workflow-files/patterns.ts';

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
])('%s on %s: %s', (pattern, name, expected) => {
  expect(passes([pattern], name)).toBe(expected);
});

test('the last pattern that matches decides', () => {
  expect(passes(['releases/**', '!releases/**-alpha'], 'releases/10-alpha')).toBe(false);
  expect(passes(['releases/**', '!releases/**-alpha', 'releases/10-alpha'], 'releases/10-alpha')).toBe(true);
  expect(passes(['!main'], 'topic')).toBe(false);
});

test('many stars take no longer than few', () => {
  const began = process.cpuUsage();
  expect(passes([`${'a**'.repeat(50)}b`], 'a'.repeat(5_000))).toBe(false);
  expect(process.cpuUsage(began).user / 1_000).toBeLessThan(2_000);
});
