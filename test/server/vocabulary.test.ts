import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { as, user, org, repo, url, token, fineGrained, db } = await world({ vocabulary: 'github' });
const ada = await user('ada');
await org(ada, 'acme');
await repo(ada, { name: 'engine' });

const ask = async (path: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/api/v3${path}`, { headers: { authorization: `Bearer ${await token(ada)}`, ...headers } });

test('headers go out in the words of the vocabulary', async () => {
  const reply = await ask('/user');
  expect(reply.headers.get('x-github-media-type')).toBe('github.v3; format=json');
  expect(reply.headers.get('x-github-api-version-selected')).toBe('2022-11-28');
  expect(reply.headers.get('x-github-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect([...reply.headers.keys()].filter((name) => name.includes('service'))).toEqual([]);
  expect(reply.headers.get('vary')).toContain('X-GitHub-OTP');
});

test('a fine-grained token is told the permission in the words of the vocabulary', async () => {
  const acme = await db.selectFrom('accounts').selectAll().where('login', '=', 'acme').executeTakeFirstOrThrow();
  const reply = await (await as(await fineGrained(ada, acme, {}))).get('/orgs/acme/hooks');
  expect([reply.status, reply.headers['x-accepted-github-permissions']]).toEqual([403, 'organization_hooks=read']);
  expect(reply.headers).not.toHaveProperty('x-accepted-service-permissions');
});

test.each<Record<string, string>>([
  { accept: 'application/vnd.github+json', 'x-github-api-version': '2026-03-10' },
  { accept: 'application/vnd.service+json', 'x-service-api-version': '2026-03-10' },
])('requests may use either vocabulary: %o', async (headers) => {
  const reply = await ask('/user', headers);
  expect([reply.status, reply.headers.get('x-github-api-version-selected')]).toEqual([200, '2026-03-10']);
});

test('an unknown version is refused', async () => {
  expect((await ask('/user', { 'x-github-api-version': '2020-01-01' })).status).toBe(400);
});

test('replies conform in both vocabularies alike', async () => {
  const { body } = await (await as(ada)).get('/repos/ada/engine');
  expect(body.full_name).toBe('ada/engine');
});
