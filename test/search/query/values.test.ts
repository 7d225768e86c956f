import { expect, test } from 'vitest';
import { readDateRange } from '#search/query/dates.ts';
import { readNumberRange } from '#search/query/numbers.ts';
import { issueSorts } from '#search/query/sorts.ts';
import { readValue } from '#search/query/values.ts';

test.each([
  ['10', { min: 10, max: 10 }],
  ['>10', { min: 11 }],
  ['>=10', { min: 10 }],
  ['<10', { max: 9 }],
  ['<=10', { max: 10 }],
  ['10..20', { min: 10, max: 20 }],
  ['10..*', { min: 10 }],
  ['*..20', { max: 20 }],
  ['-1', undefined],
  ['1.5', undefined],
  ['>>1', undefined],
  ['1..', undefined],
])('the numbers of %s', (text, range) => {
  expect(readNumberRange(text)).toEqual(range);
});

const at = (text: string) => Date.parse(text);

test.each([
  ['2024-02-29', { from: at('2024-02-29T00:00:00Z'), until: at('2024-03-01T00:00:00Z') }],
  ['2024-12', { from: at('2024-12-01T00:00:00Z'), until: at('2025-01-01T00:00:00Z') }],
  ['2024', { from: at('2024-01-01T00:00:00Z'), until: at('2025-01-01T00:00:00Z') }],
  ['>2024-01-01', { from: at('2024-01-02T00:00:00Z') }],
  ['>=2024-01-01', { from: at('2024-01-01T00:00:00Z') }],
  ['<2024-01-01', { until: at('2024-01-01T00:00:00Z') }],
  ['<=2024-01-01', { until: at('2024-01-02T00:00:00Z') }],
  ['2024-01-01..2024-01-31', { from: at('2024-01-01T00:00:00Z'), until: at('2024-02-01T00:00:00Z') }],
  ['2024-01-01..*', { from: at('2024-01-01T00:00:00Z') }],
  ['*..2024-01-01', { until: at('2024-01-02T00:00:00Z') }],
  ['2024-01-01T10:00:00+02:00', { from: at('2024-01-01T08:00:00Z'), until: at('2024-01-01T08:00:01Z') }],
  ['2024-01-01T10:00-0530', { from: at('2024-01-01T15:30:00Z'), until: at('2024-01-01T15:31:00Z') }],
  ['2024-01-01T10:00:00', { from: at('2024-01-01T10:00:00Z'), until: at('2024-01-01T10:00:01Z') }],
  ['>2024-01-01T10:00:00Z', { from: at('2024-01-01T10:00:01Z') }],
  ['0000-01-01..*', { from: at('0000-01-01T00:00:00Z') }],
  ['2023-02-29', undefined],
  ['2024-00-10', undefined],
  ['2024-1-1', undefined],
  ['2024-01-01T24:00:00Z', undefined],
  ['2024-01-01T10:00:00+15:00', undefined],
  ['yesterday', undefined],
  ['2024-01-01..', undefined],
])('the dates of %s', (text, range) => {
  expect(readDateRange(text)).toEqual(range);
});

test('accounts, repositories and teams by their names', () => {
  expect(readValue({ type: 'login' }, ['@octo'])).toEqual({ type: 'login', login: 'octo' });
  expect(readValue({ type: 'login' }, ['@ME'])).toEqual({ type: 'login', login: '@me' });
  expect(readValue({ type: 'login' }, ['app/helper'])).toEqual({ type: 'login', login: 'helper[bot]' });
  expect(readValue({ type: 'repository' }, ['octo/hello.js'])).toEqual({ type: 'repository', owner: 'octo', name: 'hello.js' });
  expect(readValue({ type: 'team' }, ['@octo/writers'])).toEqual({ type: 'team', organization: 'octo', slug: 'writers' });
  expect(readValue({ type: 'hash' }, ['ABCDEF0'])).toEqual({ type: 'hash', prefix: 'abcdef0' });
});

test.each([
  ['comments', { by: 'comments', order: 'desc' }],
  ['comments-desc', { by: 'comments', order: 'desc' }],
  ['Comments-ASC', { by: 'comments', order: 'asc' }],
  ['reactions--1', { by: 'reactions--1', order: 'desc' }],
  ['reactions--1-asc', { by: 'reactions--1', order: 'asc' }],
  ['reactions-+1-desc', { by: 'reactions-+1', order: 'desc' }],
  ['relevance-desc', { by: 'relevance', order: 'desc' }],
  ['best-match', { by: 'best-match', order: 'desc' }],
  ['comments-asc-asc', undefined],
  ['-asc', undefined],
  ['taste', undefined],
])('the order of %s', (text, order) => {
  expect(readValue({ type: 'sort', of: issueSorts }, [text])).toEqual(order && { type: 'sort', ...order });
});

test('anybody is a value where it is allowed', () => {
  expect(readValue({ type: 'login', any: true }, ['*'])).toEqual({ type: 'login', login: '*' });
  expect(readValue({ type: 'login' }, ['*'])).toBeUndefined();
});
