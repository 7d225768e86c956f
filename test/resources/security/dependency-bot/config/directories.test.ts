import { expect, test } from 'vitest';
import { directoriesOf } from '#resources/security/dependency-bot/config/directories.ts';

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
])('%s', (_what, ecosystem, directories, found) => {
  const long = `${'a'.repeat(900)}/package.json`;
  expect(directoriesOf({ ecosystem, directories }, [...paths, ...(directories[0]?.includes('*a*a') ? [long] : [])])).toEqual(
    found,
  );
});
