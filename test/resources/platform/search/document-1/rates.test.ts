import { expect, test } from 'vitest';
import { defaultLimits } from '#access/rate-limits.ts';
import type { Account } from '#access/viewer.ts';
import { world } from '#test/support/world.ts';

const { as, user } = await world({ limits: defaultLimits, embeddings: { provider: 'builtin' } });

/** How many requests for these targets, in turn, pass before the first is refused. */
async function passing(who: Account | undefined, ...targets: string[]): Promise<number> {
  const client = await as(who);
  for (let passed = 0; ; passed++) {
    const { status, headers } = await client.get(`/search/${targets[passed % targets.length]}`);
    if (status === 200) continue;
    expect(status).toBe(403);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(61);
    return passed;
  }
}

test('limits: 30 searches a minute for who signs in, over all searches but those below', async () => {
  const one = await user();
  expect(await passing(one, 'commits?q=a', 'issues?q=a', 'repositories?q=a')).toBe(30);
  expect((await (await as(one)).get('/search/code?q=a')).status).toBe(200);
  expect((await (await as(one)).get('/search/issues?q=a&search_type=hybrid')).status).toBe(200);
  expect((await (await as(one)).get('/user')).status).toBe(200);
});

test('limits: 10 code searches a minute', async () => {
  expect(await passing(await user(), 'code?q=a')).toBe(10);
});

test('limits: 10 semantic and hybrid searches a minute', async () => {
  expect(await passing(await user(), 'issues?q=a&search_type=semantic', 'issues?q=a&search_type=hybrid')).toBe(10);
});

test('limits: 10 searches a minute without authentication', async () => {
  expect(await passing(undefined, 'commits?q=a', 'issues?q=a', 'repositories?q=a')).toBe(10);
});
