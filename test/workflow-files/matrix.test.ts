import { expect, test } from 'vitest';
import { computing } from '#test/support/time.ts';
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

test('mappings are excluded by a part of their values, whatever the order of their keys', () => {
  const os: Json = [{ name: 'a', arch: { bits: 64, kind: 'arm' } }, { name: 'b', arch: { bits: 64, kind: 'x86' } }, 'c'];
  const left = (exclude: Json) => combinationsOf({ os, exclude }).map(({ os: one }) => one);
  expect(left([{ os: { arch: { kind: 'arm' } } }])).toEqual([os[1], 'c']);
  expect(left([{ os: { arch: { kind: 'arm', bits: 64 }, name: 'b' } }])).toEqual(os);
  expect(left([{ os: 'c' }, { os: { name: 'b' } }, { unknown: 1 }, { os: 'd' }])).toEqual([os[0]]);
  expect(combinationsOf({ v: [{ a: 1, b: [2] }], include: [{ v: { b: [2], a: 1 }, x: 1 }] })).toEqual([
    { v: { a: 1, b: [2] }, x: 1 },
  ]);
});

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

test('1,000 entries of exclude and 10,201 combinations are compared in little time', () => {
  const text = (at: number) => `version ${at}`;
  const lists = { a: numbers(101).map(text), b: numbers(101).map(text) };
  const exclude = numbers(1_000).map((at) => ({ a: text(at % 100), b: text(at % 90) }));
  const all = [...numbers(100).map((at) => ({ a: text(at) })), ...exclude.slice(100)];
  expect(computing(() => expect(() => combinationsOf({ ...lists, exclude })).toThrow('more than 256 jobs'))).toBeLessThan(400);
  expect(computing(() => expect(combinationsOf({ ...lists, exclude: all })).toHaveLength(101))).toBeLessThan(400);
  const same = numbers(1_000).map((at) => ({ a: text(1), b: text(at), c: 0 }));
  const wide = { a: numbers(2).map(text), b: numbers(5_000).map(text), c: [0] };
  expect(computing(() => expect(() => combinationsOf({ ...wide, exclude: same })).toThrow(MatrixProblem))).toBeLessThan(400);
});

test('what a matrix holds is bounded where it is compared and where it is multiplied', () => {
  const many = numbers(1_001).map((at) => ({ os: at }));
  const long = 'x'.repeat(10_000);
  const deep: Json = JSON.parse(`${'['.repeat(200)}1${']'.repeat(200)}`);
  const mappings = numbers(5_000).map((at) => ({ same: 1, at }));
  const wanted = numbers(1_000).map((at) => ({ os: { same: 1, at: -at - 1 } }));
  expect(() => combinationsOf({ os: ['a'], exclude: many })).toThrow('exclude of the matrix has more than 1000 entries');
  expect(() => combinationsOf({ os: ['a'], include: many })).toThrow('include of the matrix has more than 1000 entries');
  expect(() => combinationsOf({ os: numbers(200), text: [long] })).toThrow('values of more than 1024 KiB');
  expect(() => combinationsOf({ os: numbers(200), include: [{ text: long }] })).toThrow('values of more than 1024 KiB');
  expect(() => combinationsOf({ os: [deep] })).toThrow('more than 100 levels');
  expect(
    computing(() => expect(() => combinationsOf({ os: mappings, exclude: wanted })).toThrow('too many comparisons')),
  ).toBeLessThan(2_000);
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
