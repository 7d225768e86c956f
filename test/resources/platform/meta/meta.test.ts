import { expect, test } from 'vitest';
import { defaultLimits } from '#access/rate-limits.ts';
import { world } from '#test/support/world.ts';

const { as, user, url } = await world({ limits: defaultLimits });
const ada = await user('ada');

test('the root tells where everything is', async () => {
  const { body } = await (await as(undefined)).get('/');
  expect(body.repository_url).toBe(`${url}/api/v3/repos/{owner}/{repo}`);
});

test('meta and versions', async () => {
  const client = await as(undefined);
  expect((await client.get('/meta')).body).toEqual({
    verifiable_password_authentication: false,
    installed_version: '0.0.0-test',
  });
  expect((await client.get('/versions')).body).toEqual(['2026-03-10', '2022-11-28']);
});

test('the limits of the caller are told without counting', async () => {
  const client = await as(ada);
  await client.get('/user');
  await client.get('/user');
  for (let at = 0; at < 3; at++) {
    const { body } = await client.get('/rate_limit');
    expect(body.rate).toMatchObject({ limit: 5000, used: 2, remaining: 4998 });
    expect(body.resources.search).toMatchObject({ limit: 30, used: 0 });
    expect(body.resources.code_search.limit).toBe(10);
  }
});
