import { expect, test } from 'vitest';
import { QueryError } from '#search/query/errors.ts';
import { parse } from '#search/query/parser.ts';
import { searchKinds } from '#search/query/qualifiers.ts';
import { computing } from '#test/support/time.ts';

function problemOf(q: string, options: { advanced?: boolean } = {}, kind: (typeof searchKinds)[number] = 'issues') {
  try {
    parse(kind, q, options);
    return undefined;
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return error.problem;
  }
}

test('rule 5: 256 characters pass and 257 fail, operators and qualifiers not counted', () => {
  expect(problemOf('x'.repeat(256))).toBeUndefined();
  expect(problemOf('x'.repeat(257))).toBe('too_long');
  expect(problemOf(`${'x'.repeat(128)} ${'y'.repeat(127)}`)).toBeUndefined();
  expect(problemOf(`${'x'.repeat(128)} ${'y'.repeat(128)}`)).toBe('too_long');
  expect(problemOf(`${'x'.repeat(128)} OR ${'y'.repeat(127)} label:"${'z'.repeat(400)}" repo:a/b`)).toBeUndefined();
  expect(problemOf('😀'.repeat(256))).toBeUndefined();
});

test('rule 5: five operators pass and six fail', () => {
  expect(problemOf('a AND b OR c NOT d OR e AND f')).toBeUndefined();
  expect(problemOf('a AND b OR c NOT d OR e AND f AND g')).toBe('too_many_operators');
  expect(problemOf('a "AND" "OR" "NOT" "AND" "OR" "NOT" -label:x -label:y -label:z')).toBeUndefined();
});

test.each([
  ['', 'missing'],
  [' \u0000\t ""', 'missing'],
  ['created:2023-02-29', 'invalid_value'],
  ['created:2024-13', 'invalid_value'],
  ['created:2024-01-01T25:00:00Z', 'invalid_value'],
  ['comments:many', 'invalid_value'],
  ['repo:octo', 'invalid_value'],
  ['repo:a/b/c', 'invalid_value'],
  ['is:purple', 'invalid_value'],
  ['draft:maybe', 'invalid_value'],
  ['label:a,', 'invalid_value'],
  ['author:"a b"', 'invalid_value'],
  ['AND a', 'dangling_operator'],
  ['a OR', 'dangling_operator'],
  ['a AND OR b', 'dangling_operator'],
  ['NOT', 'dangling_operator'],
])('%j is refused as %s, with a message', (q, problem) => {
  expect(problemOf(q)).toBe(problem);
});

test.each([
  ['(a', 'unbalanced_parentheses'],
  ['a)', 'unbalanced_parentheses'],
  ['a ()', 'unbalanced_parentheses'],
  ['(((((a)))))', undefined],
  ['((((((a))))))', 'too_deep'],
])('%j is %s in the advanced grammar', (q, problem) => {
  expect(problemOf(q, { advanced: true })).toBe(problem);
});

test.each(searchKinds)('%s: very long inputs are read in linear time', (kind) => {
  const pieces = [
    'a',
    ' ',
    '"',
    '(',
    '-(',
    'a:',
    'repo:',
    'label:a,',
    '-',
    '\\',
    'NOT ',
    '\u0000',
    'repo:a/b ',
    '"a',
    ':"',
    'created:2024..',
    '9',
  ];
  for (const piece of pieces) {
    for (const advanced of [false, true]) {
      // Quadratic work over 400,000 characters would take minutes.
      expect(computing(() => problemOf(piece.repeat(400_000 / piece.length), { advanced }, kind))).toBeLessThan(2_000);
    }
  }
});

test('more qualifiers than a statement should hold are refused, but repositories may be many', () => {
  expect(problemOf('label:x '.repeat(101))).toBe('too_many_qualifiers');
  expect(problemOf('repo:a/b '.repeat(500))).toBeUndefined();
  expect(problemOf('repo:a/b '.repeat(101), { advanced: true })).toBe('too_many_qualifiers');
});
