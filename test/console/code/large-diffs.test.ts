import { expect, test } from 'vitest';
import { type PullSetting, pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { lines } from '#test/resources/collaboration/reviews/setting.ts';
import { pagesAs, sessionCookie } from '#test/support/page-client.ts';
import { inGoodTime, longestTurn } from '#test/support/time.ts';
import { world } from '#test/support/world.ts';

const w = await world();

/** A pull request of a thousand files with a file of 50,000 changed lines among them. */
async function setting(): Promise<PullSetting & { number: number; path: string }> {
  const given = await pullSetting(w);
  const files = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`src/part-${at % 40}/file-${at}.ts`, lines(12)]));
  await given.commit('large', { ...files, 'a-huge.txt': lines(50_000) });
  const number = await given.open('large');
  await w.settle();
  return { ...given, number, path: `/${given.owner.login}/${given.repo.name}/pull/${number}/files` };
}

test('a pull request of a thousand files shows its first screen soon, and holds the event loop for short turns only', async () => {
  const { ada, path } = await setting();
  const cookie = await sessionCookie(w, ada);
  const ask = (query = '') =>
    w.hearth.app.inject({ method: 'GET', url: `${path}${query}`, headers: { accept: 'text/html', cookie } });
  const before = performance.now();
  const first = await ask();
  const cold = performance.now() - before;
  expect(first.statusCode).toBe(200);
  expect(first.payload).toContain('1,001 changed files');
  expect(first.payload).toContain('This file has many changes.');
  expect(first.payload).toContain('This file is not read yet.');
  expect(first.payload).toContain('Page 1 of 6');
  await inGoodTime(200, () => ask());
  await inGoodTime(500, () => ask('?file=a-huge.txt'));
  const turns: Record<string, number> = {};
  for (const query of ['', '?page=2', '?diff=split', '?file=a-huge.txt', '?file=a-huge.txt&row=40000', '?w=1']) {
    const { result, longest } = await longestTurn(() => ask(query));
    expect(result.statusCode).toBe(200);
    turns[query] = longest;
  }
  expect(Math.max(...Object.values(turns)), JSON.stringify({ cold, turns })).toBeLessThan(20);
});

test('each page of the files is found, and the last lines of the largest', async () => {
  const { ada, path } = await setting();
  const pages = await pagesAs(w, ada);
  expect((await pages.get(`${path}?page=6`)).text).toContain('Page 6 of 6');
  expect((await pages.get(`${path}?file=a-huge.txt&row=49900`)).text).toContain('line 50000');
});
