import { expect, test } from 'vitest';
import { formerOf, gather, getOptional } from '#lib/collections.ts';

test('gather takes the fields of each row, row after row', () => {
  const rows = [
    { id: 1, author: 7, closer: null },
    { id: 2, author: 8, closer: 7 },
  ];
  expect(gather(rows, 'author', 'closer')).toEqual([7, null, 8, 7]);
});

test('maybe finds nothing without a key', () => {
  const map = new Map([[1, 'one']]);
  expect([getOptional(map, 1), getOptional(map, 2), getOptional(map, null), getOptional(map, undefined)]).toEqual([
    'one',
    undefined,
    undefined,
    undefined,
  ]);
});

test('formerOf tells the former values of the named fields that differ, and of no others', () => {
  const before = { title: 'one', body: null, color: 'red' };
  expect(formerOf(before, { title: 'two', body: null, color: 'blue' }, 'title', 'body')).toEqual({ title: 'one' });
});
