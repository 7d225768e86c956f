import { expect, test } from 'vitest';
import { stepsOfAllWork } from '#lib/pattern-steps.ts';
import { directoriesOf, manifestFolders } from '#resources/security/dependency-bot/config/directories.ts';
import { longestTurn } from '#test/support/time.ts';

const paths = [
  'package.json',
  'packages/a/package.json',
  'packages/a/sub/package.json',
  'packages/b/package.json',
  'packages/c/requirements.txt',
  'node_modules/x/package.json',
  'web/src/index.ts',
  'svc/go.mod',
];

test.each<[string, 'npm' | 'pip' | 'gomod', readonly string[], readonly string[]]>([
  ['what is named, also without a manifest', 'npm', ['/', '/none'], ['/', '/none']],
  ['one level', 'npm', ['/packages/*'], ['/packages/a', '/packages/b']],
  ['all levels', 'npm', ['/**'], ['/', '/packages/a', '/packages/a/sub', '/packages/b']],
  ['levels below a folder', 'npm', ['/packages/**'], ['/packages/a', '/packages/a/sub', '/packages/b']],
  ['parts of names', 'pip', ['/pack*/c'], ['/packages/c']],
  ['another ecosystem', 'gomod', ['/*'], ['/svc']],
  ['the same once', 'npm', ['/packages/a', '/packages/*'], ['/packages/a', '/packages/b']],
  ['nothing', 'npm', ['/x/*'], []],
  ['a pattern that takes too many steps', 'npm', [`/${'*a'.repeat(400)}*b`], []],
])('%s', async (_what, ecosystem, directories, found) => {
  const long = `${'a'.repeat(900)}/package.json`;
  const folders = await manifestFolders(ecosystem, [...paths, ...(directories[0]?.includes('*a*a') ? [long] : [])]);
  expect(await directoriesOf({ directories }, folders, stepsOfAllWork())).toEqual(found);
});

test('many slow patterns with many folders keep nobody waiting, and end', async () => {
  const directories = Array.from({ length: 100 }, (_, at) => `/*${'a'.repeat(118)}b${at}`);
  const folders = new Set(Array.from({ length: 10_000 }, (_, at) => `/${'a'.repeat(236)}${at}`));
  const work = { left: 20_000_000, limit: 'a' };
  const { result, longest } = await longestTurn(() => directoriesOf({ directories: ['/named', ...directories] }, folders, work));
  expect(result).toEqual(['/named']);
  expect(work.left).toBeLessThanOrEqual(0);
  expect(longest).toBeLessThan(100);
});
