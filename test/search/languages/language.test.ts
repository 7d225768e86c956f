import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { makeTable } from '#search/languages/generate.ts';
import { findLanguage, groupOf, languageOf } from '#search/languages/language.ts';

test.each([
  ['src/a.ts', '', 'TypeScript'],
  ['src/a.tsx', '', 'TSX'],
  ['lib/a.h', '', 'C'],
  ['Makefile', '', 'Makefile'],
  ['a/Dockerfile', '', 'Dockerfile'],
  ['A.PY', '', 'Python'],
  ['types.d.ts', '', 'TypeScript'],
  ['bin/run', '#!/bin/sh', 'Shell'],
  ['bin/run', '#!/usr/bin/env -S node --no-warnings', 'JavaScript'],
  ['bin/run', '#!/usr/bin/python3.11', 'Python'],
  ['bin/run', 'plain text', undefined],
  ['constructor', '', undefined],
])('%s beginning with %j is %s', (path, line, language) => {
  expect(languageOf(path, line)).toBe(language);
});

test('languages are known by their aliases, in any case', () => {
  expect(['js', 'CPP', 'c++', 'golang', 'visual-basic-.net', 'nothing'].map(findLanguage)).toEqual([
    'JavaScript',
    'C++',
    'C++',
    'Go',
    'Visual Basic .NET',
    undefined,
  ]);
  expect(groupOf('TSX')).toBe('TypeScript');
});

test('the committed table belongs to the installed data', async () => {
  const committed = await readFile(new URL('../../../src/search/languages/table.json', import.meta.url), 'utf8');
  expect(committed).toBe(`${JSON.stringify(makeTable())}\n`);
});
