import { expect, test } from 'vitest';
import { pathProblem } from '#git/objects/paths.ts';

test.each([
  'a',
  'a/b',
  '-x',
  '.gitignore',
  '.github/x',
  'a.git',
  'git',
  '...',
  ':(glob)*',
  'a b',
  'ü',
  '.gitmodules',
  'x/.gitattributes',
])('the path %j is fine', (path) => {
  expect(pathProblem(path)).toBeUndefined();
});

test.each([
  ...['', '/a', 'a/', 'a//b', '.', '..', 'a/../b', './a', 'a\0b', '\ud800', 'x'.repeat(4097)],
  ...[
    '.git',
    '.git/config',
    'a/.GIT/config',
    '.g\u200cit/x',
    '\ufeff.git',
    'git~1',
    'GIT~1/x',
    '.git.',
    '.git /x',
    '.git::$DATA',
    'a\\.git\\x',
  ],
])('path escape: %j is none', (path) => {
  expect(pathProblem(path)).toBeDefined();
});
