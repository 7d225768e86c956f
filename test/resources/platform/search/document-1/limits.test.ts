import { beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { commitFiles } from '#test/support/commit.ts';
import { kinds, search, searchable, setting } from './setting.ts';

const w = await searchable();

let bob: Account;
beforeAll(async () => {
  const { ada, ...made } = await setting();
  bob = made.bob;
  const many = Array.from({ length: 1_010 }, (_, i) => [`many/f${i}.txt`, `manifold ${i}\n`]);
  await commitFiles(w, await w.repo(ada, { name: 'many' }), Object.fromEntries(many));
  await w.settle();
});

describe('rule 4: at most 1,000 results', () => {
  const page = (per_page: number, number: number) =>
    search('code', 'manifold', { who: bob, more: `&per_page=${per_page}&page=${number}` });

  test('the last page ends with the thousandth, however many match', async () => {
    const paths = new Set<string>();
    for (let number = 1; number <= 10; number++) for (const { path } of (await page(100, number)).body.items) paths.add(path);
    expect(paths.size).toBe(1_000);
    const { body, headers } = await page(30, 34);
    expect([body.total_count, body.items.length]).toEqual([1_010, 10]);
    expect(headers.link).not.toContain('rel="next"');
    expect((await page(30, 1)).headers.link).toMatch(/[?&]page=34[^>]*>; rel="last"/);
  });

  test.each(kinds)('%s: a page beyond them is refused', async (kind) => {
    for (const more of ['&per_page=100&page=11', '&page=35', '&per_page=1&page=1001']) {
      const { status, body } = await search(kind, 'widget', { who: bob, more });
      expect([status, body.message]).toEqual([422, 'Only the first 1000 search results are available.']);
    }
    expect((await search(kind, 'widget', { who: bob, more: '&per_page=100&page=10' })).status).toBe(200);
  });
});

test('limits: per_page is 30, and 100 at most; page is 1', async () => {
  const count = async (more: string) => (await search('code', 'manifold', { who: bob, more })).body.items.length;
  expect([await count(''), await count('&per_page=100'), await count('&per_page=101')]).toEqual([30, 100, 100]);
  const first = async (more: string) => (await search('code', 'manifold', { who: bob, more })).body.items[0].path;
  expect(await first('')).toBe(await first('&page=1'));
});
