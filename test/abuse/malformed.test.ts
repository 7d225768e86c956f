import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientSecretPrefix } from '#access/authenticate.ts';
import { newToken } from '#lib/token.ts';
import { world } from '#test/support/world.ts';
import { exchangeRaw, type RawRequest, rawRequest, sendRaw } from './raw-requests.ts';

const here = await world({ trustedProxies: ['127.0.0.1'] });
const ada = await here.user('ada');
await here.repo(ada, { name: 'engine' });
const former = await here.repo(ada, { name: 'former' });
expect((await (await here.as(ada)).patch(`/repos/ada/${former.name}`, { name: 'present' })).status).toBe(200);

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const credentials = [
  `Bearer ${await here.token(ada, ['repo', 'user'])}`, // it deletes no repository
  `Basic ${btoa(`\0:${newToken(clientSecretPrefix)}`)}`,
  `Bearer ${encoded({ alg: 'RS256' })}.${encoded({ iss: '\0' })}.AA`,
].map((value) => `Authorization: ${value}`);

const head = (lines: string[]): RawRequest => ({ head: lines.join('\r\n'), body: '' });
const get = (path: string, ...headers: string[]): RawRequest => head([`GET ${path} HTTP/1.1`, ...headers]);
const form = (path: string, body: string, ...headers: string[]): RawRequest => ({
  head: [`POST ${path} HTTP/1.1`, 'Host: localhost', `Content-Length: ${body.length}`, ...headers].join('\r\n'),
  body,
});

test.each([
  ['a host with a space', get('/api/v3/users/ada', 'Host: a b'), 400],
  ['a host with a path', get('/api/v3/users/ada', 'Host: a/b'), 400],
  ['a host that is no address', get('/api/v3/users/ada', 'Host: [::1'), 400],
  ['a port that is none', get('/api/v3/users/ada', 'Host: localhost:99999'), 400],
  ['an API host of nothing', get('/users/ada', 'Host: api.'), 400],
  ['a host of a proxy that is none', get('/api/v3/users/ada', 'Host: localhost', 'X-Forwarded-Host: a b'), 400],
  ['a scheme of a proxy that is none', get('/api/v3/users/ada', 'Host: localhost', 'X-Forwarded-Proto: javascript'), 400],
  ['no host', head(['GET /api/v3/users/ada HTTP/1.0']), 200],
  ['an empty host', get('/api/v3/users/ada', 'Host:'), 200],
  ['an address of nobody', get('/api/v3/users/ada', 'Host: localhost', `X-Forwarded-For: ${'x'.repeat(9_000)}`), 200],
  ['a whole address', get('http://localhost/api/v3/users/ada', 'Host: localhost'), 200],
  ['a path of a list with two slashes', get('//api/v3/users/ada', 'Host: localhost'), 404],
  ['a parameter twice', get('/login/oauth/authorize?client_id=a&client_id=b', 'Host: localhost'), 400],
  ['a field twice', form('/login/device/code', 'client_id=a&client_id=b'), 400],
  ['a login twice', form('/login', 'login=a&login=b&password=c'), 400],
  ['a NUL', form('/login/device/code', 'client_id=%00'), 400],
  ['a NUL in a credential', form('/login/oauth/access_token', '', `Authorization: Basic ${btoa('\0:x')}`), 400],
  ['a NUL for a client', get('/api/v3/user', 'Host: localhost', credentials[1] ?? ''), 401],
  ['a NUL for an issuer', get('/api/v3/user', 'Host: localhost', credentials[2] ?? ''), 401],
  [
    'a version twice',
    get('/api/v3/meta', 'Host: localhost', 'X-Service-Api-Version: 2022-11-28', 'X-Service-Api-Version: x'),
    400,
  ],
  [
    'a push that says nothing of its kind',
    form('/ada/engine/git-receive-pack', '0000', 'Content-Type: a', 'Content-Type: b'),
    415,
  ],
  ['a push of no kind', form('/ada/engine/git-receive-pack', '0000', 'Content-Type: 5, 5'), 415],
] as const)('%s is answered with its status', async (_what, request, status) => {
  expect(await sendRaw(here.url, request)).toEqual([status]);
});

test('whatever is sent, the server finds no fault in itself, and closes the connection', async () => {
  const requests = fc.array(rawRequest(credentials), { minLength: 16, maxLength: 16 });
  await fc.assert(
    fc.asyncProperty(requests, async (sent) => {
      const replies = await Promise.all(sent.map((request) => sendRaw(here.url, request)));
      const faults = sent.filter((_, at) => replies[at]?.some((status) => status >= 500));
      expect(faults, 'answered with a status of 500 or above').toEqual([]);
    }),
    { numRuns: 150 },
  );
  expect((await fetch(`${here.url}/readyz`)).status).toBe(200);
});

test.each(['http://elsewhere.example', ''])(
  'the links of a list lead to the server, also where the first line begins with "%s"',
  async (origin) => {
    const reply = await exchangeRaw(here.url, get(`${origin}/api/v3/users/ada/repos?per_page=1`, 'Host: code.example:81'));
    expect(reply).toContain('link: <http://code.example:81/api/v3/users/ada/repos?per_page=1&page=2>; rel="next"');
  },
);
