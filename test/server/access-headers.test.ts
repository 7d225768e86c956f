import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { user, token, fineGrained, url } = await world();
const ada = await user('ada');
const fine = await fineGrained(ada, ada, { issues: 'read' });

const ask = async (method: string, path: string, credential: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/api/v3${path}`, { method, headers: { authorization: `Bearer ${credential}`, ...headers } });

test.each([
  ['GET', '/nowhere', 404, ''],
  ['PUT', '/user', 404, ''],
  ['GET', '/repos/ada/engine/branches/main/protection', 404, 'administration=read'],
  ['GET', '/openapi.json', 200, ''],
  ['GET', '/users/%zz', 400, ''],
  ['GET', '/repos/ada/nothing', 404, 'metadata=read'],
  ['POST', '/repos/ada/nothing/issues', 404, 'issues=write'],
])('%s %s tells a fine-grained token which permissions it needs', async (method, path, status, needed) => {
  const reply = await ask(method, path, fine);
  expect([reply.status, reply.headers.get('x-accepted-service-permissions')]).toEqual([status, needed]);
});

test('a refused version and a refused media type tell it too', async () => {
  const asked: Record<string, string>[] = [{ 'x-service-api-version': '1' }, { accept: 'image/png' }];
  for (const headers of asked)
    expect((await ask('GET', '/user', fine, headers)).headers.has('x-accepted-service-permissions')).toBe(true);
});

test('where nobody needs a credential, a classic token learns its scopes, and a wrong one changes nothing', async () => {
  const known = await ask('GET', '/nowhere', await token(ada, ['repo']));
  expect([known.status, known.headers.get('x-oauth-scopes'), known.headers.get('x-accepted-oauth-scopes')]).toEqual([
    404,
    'repo',
    '',
  ]);
  const wrong = await ask('GET', '/openapi.json', 'hrp_0000000000000000000000000000000');
  expect([wrong.status, wrong.headers.has('x-accepted-service-permissions'), wrong.headers.has('x-oauth-scopes')]).toEqual([
    200,
    false,
    false,
  ]);
});
