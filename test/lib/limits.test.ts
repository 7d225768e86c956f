import { expect, test } from 'vitest';
import { limitGroup, limitTable, moreLimits, resourceLimits } from '#lib/limits.ts';

const limit = { value: 3, unit: 'count', of: 'things', past: '422' } as const;
const things = limitGroup('things', 'Things', { number: limit });
const parts = moreLimits('things', { parts: limit });

test('groups that several declare are one, and each reads its values from it', () => {
  const table = limitTable([things, parts]);
  expect([...table]).toEqual([['things', { title: 'Things', limits: { number: limit, parts: limit } }]]);
  const limits = resourceLimits(table, { things: { parts: 5 } });
  expect(limits.of(things).number).toBe(3);
  expect(limits.of(parts).parts).toBe(5);
});

test.each([
  [[parts], 'The limits things must have one title'],
  [[things, limitGroup('things', 'Others', { others: limit })], 'The limits things must have one title'],
  [[things, parts, parts], 'A limit of things is declared twice'],
])('a table is refused: %#', (groups, message) => {
  expect(() => limitTable(groups)).toThrow(message);
});
