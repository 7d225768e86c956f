import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { openOutbound } from '#net/outbound.ts';
import { findApi, possibleApis, readAddress } from '#resources/platform/repository-imports/index.ts';
import { receiver } from '#test/support/receiver.ts';
import { sourceAt } from './support.ts';

const Row = Type.Object({ id: Type.Integer() });

type Reply = { status?: number; headers?: Record<string, string>; body?: unknown };

/** A server that gives these replies one after the other, the last one from then on. */
async function answering(...replies: Reply[]) {
  let count = 0;
  const server = await receiver((response) => {
    const { status = 200, headers = {}, body = [] } = replies[Math.min(count++, replies.length - 1)] ?? {};
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  return { ...server, url: new URL(server.url).origin, count: () => count };
}

const at2026 = Date.UTC(2026, 0, 1) / 1000;

test.each<[string, Reply, string]>([
  ['Retry-After in seconds', { status: 429, headers: { 'retry-after': '7' } }, 'rate limit 7'],
  ['Retry-After as a date', { status: 403, headers: { 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' } }, 'rate limit 60'],
  [
    'X-RateLimit-Reset',
    { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(at2026 + 90) } },
    'rate limit 91',
  ],
  ['a text alone', { status: 403, body: { message: 'You have exceeded a secondary rate limit' } }, 'rate limit 60'],
  ['a server that fails', { status: 502 }, 'failure 1'],
  ['a server that names a time', { status: 503, headers: { 'retry-after': '5' } }, 'failure 5'],
])('waits as the source wants, by %s', async (_name, reply, wait) => {
  const server = await answering(reply, { body: [{ id: 1 }] });
  const { source, waits } = sourceAt(server.url);
  expect(await source.readPage(`${server.url}/rows`, Row)).toEqual({ rows: [{ id: 1 }], next: undefined, remaining: 0 });
  expect(waits).toEqual([wait]);
});

test('gives up on a source that goes on failing, or that wants a day of waiting', async () => {
  const failing = sourceAt((await answering({ status: 500, body: { message: 'No' } })).url);
  await expect(failing.source.readOne(`${failing.source.api}/x`, Row)).rejects.toThrow('answered 500 to GET /api/v3/x: No');
  expect(failing.waits).toEqual([1, 2, 4, 8, 16].map((seconds) => `failure ${seconds}`));
  const limiting = sourceAt((await answering({ status: 429, headers: { 'retry-after': '1' } })).url);
  await expect(limiting.source.readOne(limiting.source.api, Row)).rejects.toThrow('answered 429');
  expect(limiting.waits).toHaveLength(10);
  const slow = sourceAt((await answering({ status: 429, headers: { 'retry-after': '86400' } })).url);
  await expect(slow.source.readOne(slow.source.api, Row)).rejects.toThrow('answered 429');
  expect(slow.waits).toEqual([]);
});

test('follows Link, and a redirect on the same host with the token', async () => {
  const server = await answering(
    {
      body: [{ id: 1 }],
      headers: { link: '<http://127.0.0.1:1/rows?page=2>; rel="next", <http://127.0.0.1:1/rows?page=4>; rel="last"' },
    },
    { status: 301, headers: { location: '/renamed' } },
    { body: [] },
  );
  const { source } = sourceAt(server.url, { token: 'secret' });
  const first = await source.readPage(`${server.url}/rows`, Row);
  expect(first).toEqual({ rows: [{ id: 1 }], next: 'http://127.0.0.1:1/rows?page=2', remaining: 300 });
  await source.readPage(`${server.url}/moved`, Row);
  expect(server.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ['/rows', 'Bearer secret'],
    ['/moved', 'Bearer secret'],
    ['/renamed', 'Bearer secret'],
  ]);
});

test('the token goes to no other host, and a link to a private address leads nowhere', async () => {
  const other = await answering({ body: [{ id: 2 }] });
  const server = await answering({ status: 307, headers: { location: `${other.url}/rows` } });
  const { source } = sourceAt(server.url, { token: 'secret' });
  expect((await source.readPage(`${server.url}/rows`, Row)).rows).toEqual([{ id: 2 }]);
  expect((await source.readPage(`${other.url}/rows`, Row)).rows).toEqual([{ id: 2 }]);
  expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);

  const guarded = sourceAt(server.url, { token: 'secret', elsewhere: openOutbound({ allow: [] }) });
  await expect(guarded.source.readPage(`${server.url}/rows`, Row)).rejects.toThrow('not allowed');
  expect([other.count(), guarded.waits]).toEqual([2, []]);
});

test.each<[string, Reply, string | undefined, string]>([
  [
    'a refused token',
    { status: 401, body: { message: 'Bad credentials' } },
    'secret',
    "doesn't accept the token: Bad credentials",
  ],
  ['no token', { status: 401 }, undefined, 'wants a token'],
  ['nothing', { status: 404 }, 'secret', 'has nothing at /api/v3/x (or the token may not read it)'],
  [
    'too few rights',
    { status: 403, body: { message: 'Not accessible' } },
    'secret',
    'answered 403 to GET /api/v3/x: Not accessible',
  ],
  ['another shape', { body: { id: 'one' } }, undefined, "isn't what the public API answers (/id must be integer)"],
  [
    'redirects without end',
    { status: 302, headers: { location: '/api/v3/x' } },
    undefined,
    "is redirected to an address that can't be read",
  ],
])('says what is wrong: %s', async (_name, reply, token, message) => {
  const server = await answering(reply);
  const { source, waits } = sourceAt(server.url, { token });
  const outcome = await source.readOne(`${source.api}/x`, Row).catch(String);
  expect(outcome).toContain(message);
  expect(outcome).not.toContain('secret');
  expect(waits).toEqual([]);
});

test('a server that never answered is said to be unreachable at once', async () => {
  const { source, waits } = sourceAt('http://127.0.0.1:1');
  await expect(source.readOne(source.api, Row)).rejects.toThrow("127.0.0.1:1 can't be reached");
  expect(waits).toEqual([]);
});

test('reads addresses of repositories, and finds the API below the address or on a host of its own', async () => {
  const parts = { origin: 'https://git.example.com', host: 'git.example.com', owner: 'acme', name: 'engine' };
  for (const address of ['', '/', '.git', '.git/'].map((end) => `https://git.example.com/acme/engine${end}`))
    expect(readAddress(address)).toEqual(parts);
  for (const wrong of [
    'https://git.example.com/acme',
    'https://ada:x@git.example.com/acme/engine',
    'https://h/a/b/c',
    'ftp://h/a/b',
  ])
    expect(() => readAddress(wrong)).toThrow('of the form https://git.example.com/owner/name');
  expect(possibleApis(parts)).toEqual(['https://git.example.com/api/v3', 'https://api.git.example.com']);
  expect(possibleApis({ origin: 'http://127.0.0.1:3000' })).toEqual(['http://127.0.0.1:3000/api/v3']);

  const outbound = openOutbound({ allow: ['127.0.0.0/8'] });
  const page = await answering({ status: 404, headers: { 'content-type': 'text/html' } });
  const api = await answering({ status: 401 });
  const found = findApi([`${page.url}/api/v3`, api.url], { outbound, userAgent: 'test' });
  expect(await found).toBe(api.url);
  expect([...page.requests, ...api.requests].map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  await expect(findApi([page.url], { outbound, userAgent: 'test' })).rejects.toThrow('say by --api where it is');
  await expect(findApi(['http://127.0.0.1:1'], { outbound, userAgent: 'test' })).rejects.toThrow("can't be reached");
  outbound.close();
});
