import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { user, org, repo, url, token } = await world();
const ada = await user('ada');
await org(ada, 'acme');
await repo(ada, { name: 'engine' });
const authorization = `Bearer ${await token(ada)}`;

const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<Response> =>
  fetch(`${url}/api/v3${path}`, { method, headers: { authorization, ...headers }, ...(body === undefined ? {} : { body }) });

const told = async (reply: Response): Promise<unknown> => [reply.status, ((await reply.json()) as { message: string }).message];

test.each([
  ['GET', '/nowhere'],
  ['GET', '/repos/ada/engine/nowhere'],
  ['PUT', '/user'],
  ['DELETE', '/user'],
  ['PUT', '/repos/ada/engine'],
])('%s %s: a path or method that is not declared answers 404', async (method, path) => {
  const reply = await ask(method, path);
  expect(await told(reply)).toEqual([404, 'Not Found']);
  expect(reply.headers.get('x-service-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('HEAD answers as GET does, without the body', async () => {
  const [get, head] = await Promise.all([ask('GET', '/repos/ada/engine'), ask('HEAD', '/repos/ada/engine')]);
  expect([head.status, await head.text()]).toEqual([200, '']);
  for (const name of ['etag', 'last-modified', 'content-type', 'content-length', 'x-oauth-scopes', 'x-service-media-type'])
    expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
  expect((await ask('HEAD', '/repos/ada/nothing')).status).toBe(404);
});

test('a browser may call from another origin, and is told so beforehand', async () => {
  const before = await fetch(`${url}/api/v3/repos/ada/engine`, {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-method': 'PATCH' },
  });
  expect([before.status, await before.text()]).toEqual([204, '']);
  expect(before.headers.get('access-control-allow-origin')).toBe('*');
  expect(before.headers.get('access-control-allow-methods')).toBe('GET, POST, PATCH, PUT, DELETE');
  expect(before.headers.get('access-control-allow-headers')).toContain('Authorization');
  const reply = await ask('GET', '/user', { origin: 'https://app.example' });
  expect(reply.headers.get('access-control-allow-origin')).toBe('*');
  expect(reply.headers.get('access-control-allow-credentials')).toBeNull();
  for (const name of ['ETag', 'Link', 'X-RateLimit-Remaining', 'X-Accepted-Service-Permissions'])
    expect(reply.headers.get('access-control-expose-headers')).toContain(name);
});

test.each([
  ['image/png', 415],
  ['text/html, image/png', 200],
  ['application/vnd.service+json', 200],
  ['application/vnd.github+json', 200],
  ['application/json', 200],
  ['*/*', 200],
])('Accept: %s answers %i', async (accept, status) => {
  expect((await ask('GET', '/user', { accept })).status).toBe(status);
});

test.each([
  [undefined, 200, '2022-11-28'],
  ['2022-11-28', 200, '2022-11-28'],
  ['2026-03-10', 200, '2026-03-10'],
  ['2022-11-29', 400, null],
  ['latest', 400, null],
])('API version %s answers %i', async (version, status, selected) => {
  const reply = await ask('GET', '/user', version === undefined ? {} : { 'x-service-api-version': version });
  expect([reply.status, reply.headers.get('x-service-api-version-selected')]).toEqual([status, selected]);
});

test.each([
  ['{', 400, 'Problems parsing JSON'],
  ['[]', 400, 'Body should be a JSON object'],
  ['"null"', 400, 'Body should be a JSON object'],
  ['['.repeat(65) + ']'.repeat(65), 400, 'Problems parsing JSON: it is nested too deeply'],
  [`{"blog":"${'x'.repeat(1_100_000)}"}`, 413, 'The request body is too large: 1048576 bytes are allowed (requests.body)'],
  ['{"blog":7}', 422, 'Validation Failed'],
  ['{"blog":"a\\u0000b"}', 422, 'Validation Failed'],
])('the body %.20s is refused with %i', async (body, status, message) => {
  expect(await told(await ask('PATCH', '/user', { 'content-type': 'application/json' }, body))).toEqual([status, message]);
});

test('a body that is no JSON by its own word is refused', async () => {
  expect((await ask('PATCH', '/user', { 'content-type': 'multipart/form-data; boundary=x' }, '--x--')).status).toBe(415);
});

test('a refusal names the field, the code and the thing', async () => {
  const reply = await ask('PATCH', '/user', {}, '{"blog":7,"hireable":"yes","unknown":1}');
  expect(await reply.json()).toEqual({
    message: 'Validation Failed',
    errors: [
      { resource: 'User', field: 'blog', code: 'invalid', message: 'blog must be string' },
      { resource: 'User', field: 'hireable', code: 'invalid', message: 'hireable must be boolean' },
    ],
    documentation_url: `${url}/docs`,
    status: '422',
  });
});

test.each([['access_token'], ['token']])('a token in the query (%s) is no credential', async (name) => {
  const reply = await fetch(`${url}/api/v3/user?${name}=${authorization.slice('Bearer '.length)}`);
  expect(await told(reply)).toEqual([401, 'Requires authentication']);
});

test.each([
  ['a wrong token', 'Bearer hrp_0000000000000000000000000000000'],
  ['another scheme', 'Digest username="ada"'],
  ['Basic without a token', 'Basic Og=='],
  ['a JSON web token of nobody', 'Bearer eyJhbGciOiJub25lIn0.eyJpc3MiOiIxIn0.'],
])('%s is refused even where nobody needs to sign in', async (_what, credential) => {
  const reply = await ask('GET', '/users/ada', { authorization: credential });
  expect(reply.status).toBe(401);
});

test('names are found whatever the case of their letters', async () => {
  const reply = await ask('GET', '/repos/ADA/Engine');
  expect((await reply.json()) as object).toMatchObject({ full_name: 'ada/engine' });
});

test.each([
  [
    `GET /${'x'.repeat(140_000)} HTTP/1.1\r\n\r\n`,
    '431 Request Header Fields Too Large',
    'The address and the headers of the request are too long',
  ],
  ['this is no HTTP\r\n\r\n', '400 Bad Request', 'The request could not be read'],
])('%.20j is answered in the shape of other errors', async (request, status, message) => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(request);
  const reply = await text(socket);
  expect(reply.startsWith(`HTTP/1.1 ${status}\r\n`)).toBe(true);
  expect(JSON.parse(reply.slice(reply.indexOf('\r\n\r\n')))).toEqual({
    message,
    documentation_url: '/docs',
    status: status.slice(0, 3),
  });
});
