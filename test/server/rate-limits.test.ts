import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { defaultLimits } from '#access/rate-limits.ts';
import { world } from '#test/support/world.ts';

const { as, user, token, db, url } = await world({ limits: { ...defaultLimits, core: 50, coreAnonymous: 3, codeSearch: 2 } });

test('the headers count down, and the reset lies within the hour', async () => {
  const client = await as(await user());
  const { headers } = await client.get('/user');
  const again = await client.get('/user');
  expect(headers).toMatchObject({
    'x-ratelimit-limit': '50',
    'x-ratelimit-remaining': '49',
    'x-ratelimit-used': '1',
    'x-ratelimit-resource': 'core',
  });
  expect(again.headers).toMatchObject({ 'x-ratelimit-remaining': '48', 'x-ratelimit-used': '2' });
  const left = Number(headers['x-ratelimit-reset']) - Date.now() / 1000;
  expect(left).toBeGreaterThan(3590);
  expect(left).toBeLessThanOrEqual(3601);
});

test('of 100 requests at once exactly as many pass as are allowed, over all tokens of the account', async () => {
  const one = await user();
  const tokens = [await token(one), await token(one)];
  const statuses = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      const reply = await fetch(`${url}/api/v3/user`, { headers: { authorization: `Bearer ${tokens[i % 2]}` } });
      await reply.text();
      return reply.status;
    }),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(50);
  expect(statuses.filter((status) => status === 403)).toHaveLength(50);
});

test('who is over the limit is told when to come back, and passes again in the next window', async () => {
  const one = await user('limited');
  const client = await as(one);
  await client.get('/user');
  await sql`update rate_limits set used = 50 where key = ${`account:${one.id}`}`.execute(db);
  const refused = await client.get('/user');
  expect(refused).toMatchObject({ status: 403, body: { message: 'API rate limit exceeded for limited.' } });
  expect(refused.headers).toMatchObject({ 'x-ratelimit-remaining': '0', 'x-ratelimit-used': '50' });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3500);
  await sql`update rate_limits set window_ends = now() where key = ${`account:${one.id}`}`.execute(db);
  expect((await client.get('/user')).headers).toMatchObject({ 'x-ratelimit-used': '1' });
});

test('a 304 costs nothing, a refusal costs one', async () => {
  const client = await as(await user());
  const first = await client.get('/user');
  const same = await client.get('/user', { headers: { 'if-none-match': first.headers.etag ?? '' } });
  expect(same.status).toBe(304);
  expect(same.headers).toMatchObject({
    'x-ratelimit-used': '1',
    'x-ratelimit-remaining': first.headers['x-ratelimit-remaining'],
  });
  await client.get('/repos/nobody/nothing');
  expect((await client.get('/user')).headers).toMatchObject({ 'x-ratelimit-used': '3' });
});

test('each bucket counts by itself', async () => {
  const client = await as(await user());
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await client.get('/search/code?q=engine')).status);
  expect(statuses).toEqual([200, 200, 403]);
  expect((await client.get('/user')).headers).toMatchObject({ 'x-ratelimit-used': '1', 'x-ratelimit-resource': 'core' });
});

test('without a credential the address is counted', async () => {
  await user('known');
  const nobody = await as(undefined);
  const statuses = [];
  for (let i = 0; i < 4; i++) statuses.push((await nobody.get('/users/known')).status);
  expect(statuses).toEqual([200, 200, 200, 403]);
});
