import { expect, test } from 'vitest';
import type { Json } from '#workflow-files/expressions.ts';
import { combinationsOf, MatrixProblem, nameOfCombination } from '#workflow-files/matrix.ts';

test('lists are crossed in their order', () => {
  expect(combinationsOf({ os: ['a', 'b'], node: [1, 2] })).toEqual([
    { os: 'a', node: 1 },
    { os: 'a', node: 2 },
    { os: 'b', node: 1 },
    { os: 'b', node: 2 },
  ]);
});

test('what is excluded is taken away, by a part of its values too', () => {
  expect(combinationsOf({ os: ['a', 'b'], node: [1, 2], exclude: [{ os: 'a', node: 1 }, { os: 'b' }] })).toEqual([
    { os: 'a', node: 2 },
  ]);
});

// The example of the public API's documentation.
test('what is included extends combinations that keep their values, or is one of its own', () => {
  const include: Json = [
    { color: 'green' },
    { color: 'pink', animal: 'cat' },
    { fruit: 'apple', shape: 'circle' },
    { fruit: 'banana' },
    { fruit: 'banana', animal: 'cat' },
  ];
  expect(combinationsOf({ fruit: ['apple', 'pear'], animal: ['cat', 'dog'], include })).toEqual([
    { fruit: 'apple', animal: 'cat', color: 'pink', shape: 'circle' },
    { fruit: 'apple', animal: 'dog', color: 'green', shape: 'circle' },
    { fruit: 'pear', animal: 'cat', color: 'pink' },
    { fruit: 'pear', animal: 'dog', color: 'green' },
    { fruit: 'banana' },
    { fruit: 'banana', animal: 'cat' },
  ]);
});

test('a matrix of nothing but includes makes a job for each', () => {
  expect(combinationsOf({ include: [{ site: 'a' }, { site: 'b' }] })).toEqual([{ site: 'a' }, { site: 'b' }]);
});

test.each([
  ['no lists', {}],
  ['all excluded', { os: ['a'], exclude: [{ os: 'a' }] }],
  ['an empty list', { os: [] }],
  ['a value that is no list', { os: 'a' }],
  [
    'too many',
    {
      a: Array(16)
        .fill(0)
        .map((_, at) => at),
      b: Array(17)
        .fill(0)
        .map((_, at) => at),
    },
  ],
  ['far too many', Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, Array(200).fill(1)]))],
])('a matrix is refused: %s', (_, matrix) => {
  expect(() => combinationsOf(matrix)).toThrow(MatrixProblem);
});

test('256 jobs are allowed', () => {
  const numbers = Array.from({ length: 16 }, (_, at) => at);
  expect(combinationsOf({ a: numbers, b: numbers })).toHaveLength(256);
});

test('jobs are named after their values', () => {
  expect(nameOfCombination('build', { os: 'a', on: true, with: { x: 1, y: ['z'] }, empty: '' })).toBe('build (a, true, 1, z)');
});
