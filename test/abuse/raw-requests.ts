import { connect } from 'node:net';
import fc from 'fast-check';

/** Bytes that go over a connection, and whether they carry what a server may take for a request. */
export type RawRequest = { head: string; body: string };

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'get', 'NONE', ''];
const versions = ['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', ''];

/** Paths of every kind of route, with pieces that are put into them. */
const paths = [
  '/',
  '/api/v3',
  '/api/v3/user',
  '/api/v3/meta',
  '/api/v3/rate_limit',
  '/api/v3/openapi.json',
  '/api/v3/repositories',
  '/api/v3/organizations',
  '/api/v3/repos/ada/engine',
  '/api/v3/repos/ada/former',
  '/api/v3/repos/ada/engine/issues',
  '/api/v3/repos/ada/engine/contents/a/b',
  '/api/v3/search/repositories',
  '/api/v3/search/code',
  '/api/v3/users/ada',
  '/api/v3/user/keys',
  '/api/v3/markdown',
  '/docs',
  '/healthz',
  '/metrics',
  '/login',
  '/logout',
  '/login/website',
  '/login/oauth/authorize',
  '/login/oauth/access_token',
  '/login/device',
  '/login/device/code',
  '/ada/engine/info/refs',
  '/ada/engine.git/git-upload-pack',
  '/ada/engine.git/git-receive-pack',
  '/ada/former.git/info/refs',
];
const pieces = [
  '/',
  '//',
  '/.',
  '/..',
  '/%2e%2e',
  '%',
  '%zz',
  '%00',
  '%2f',
  '%ff',
  '%E0%A4%A',
  '\\',
  ';',
  ':',
  '*',
  '@',
  '[',
  '|',
  '\xe9',
  'x'.repeat(5_000),
];
const parameters = [
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code',
  'code_challenge',
  'code_challenge_method',
  'return_to',
  'user_code',
  'login',
  'password',
  'csrf',
  'answer',
  'grant_type',
  'device_code',
  'refresh_token',
  'client_secret',
  'page',
  'per_page',
  'q',
  'sort',
  'labels',
  'since',
  'service',
  'ref',
  'state',
  '__proto__',
  'constructor',
  'a[b]',
  '',
];
const values = [
  '',
  '1',
  '2',
  '-1',
  '0',
  '1e9',
  '99999999999999999999',
  'a',
  'ada',
  'ada/engine',
  'git-upload-pack',
  'urn:ietf:params:oauth:grant-type:device_code',
  'refresh_token',
  'https://x.example/',
  'javascript:x',
  '/docs',
  '//x',
  '%zz',
  '%00',
  '%',
  '+',
  '&',
  '=',
  '[]',
  '{}',
  '\xff',
  'x'.repeat(3_000),
  '%F0%9F%98%80',
];

const names = [
  'Host',
  'Authorization',
  'Accept',
  'X-Service-Api-Version',
  'X-GitHub-Api-Version',
  'Content-Type',
  'Content-Encoding',
  'Cookie',
  'Origin',
  'Referer',
  'If-None-Match',
  'If-Modified-Since',
  'If-Match',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Forwarded-Port',
  'Forwarded',
  'Connection',
  'Upgrade',
  'Range',
  'Accept-Encoding',
  'Git-Protocol',
  'X-HTTP-Method-Override',
  'Access-Control-Request-Method',
  'User-Agent',
  '__proto__',
  'Constructor',
];
const contents = [
  '',
  ' ',
  ',',
  ';',
  ':',
  '/',
  '?',
  '#',
  '@',
  '*',
  '[',
  '[::1',
  '[::1]',
  '[::1]:x',
  'a b',
  'a@b',
  'a/b',
  'a?b',
  'a#b',
  'localhost',
  'localhost:99999',
  'localhost:-1',
  ':80',
  'api.',
  'api.localhost',
  'api.[',
  'api.a b',
  'API.localhost',
  '-',
  '%',
  '%zz',
  'x.example,y.example',
  '<script>',
  '"',
  '\xe9',
  '\t',
  '1',
  '-1',
  '0x10',
  '1e3',
  '5, 5',
  'null',
  'http',
  'https',
  'ftp',
  'javascript',
  'http,https',
  'unknown',
  '127.0.0.1',
  '::1',
  '999.1.1.1',
  '1.2.3.4:80',
  '1.2.3.4, 5.6.7.8',
  'fe80::1%eth0',
  'Bearer',
  'Bearer ',
  'Bearer a.b.c',
  'Bearer eyJhbGciOiJSUzI1NiJ9.e30.AA',
  'Bearer hrp_',
  'Basic',
  'Basic !',
  'Basic Og==',
  'Basic OnBhc3M=',
  'Token x',
  'token ',
  'application/json',
  'application/x-www-form-urlencoded',
  'application/x-git-upload-pack-request',
  'application/x-git-receive-pack-request',
  'multipart/form-data',
  'text/html',
  'application/vnd.service.raw',
  'application/vnd.github.v9.nope+json;q=x',
  '*/*;q=-1',
  '2022-11-28',
  '2026-03-10',
  'version=2',
  'gzip',
  'deflate',
  'chunked',
  'identity',
  'close',
  'keep-alive',
  'upgrade',
  'h2c',
  'websocket',
  '100-continue',
  'bytes=0-',
  'W/"x"',
  '"',
  'Thu, 01 Jan 1970 00:00:00 GMT',
  'hearth_session',
  'hearth_session=',
  'hearth_session=%zz',
  'hearth_session=a; hearth_session=b',
  'hearth_session="',
  '=x; ;; a',
  'x'.repeat(9_000),
];
const bodies = [
  '',
  '{',
  '{}',
  '[]',
  'null',
  '"x"',
  '{"client_id":{"a":1}}',
  '{"client_id":["a","b"]}',
  '{"__proto__":{"x":1}}',
  '\x00\x01\xff',
  '0000',
  '0032want 0000000000000000000000000000000000000000\n',
  '--x\r\n\r\n--x--',
  'a=1',
  '%zz=%zz',
  '&&&&',
  '0\r\n\r\n',
  'zz\r\nx\r\n0\r\n\r\n',
  '\x1f\x8b\x08',
  '['.repeat(1_000),
];

const pair = fc.tuple(fc.constantFrom(...parameters), fc.constantFrom(...values)).map(([name, value]) => `${name}=${value}`);
const form = fc.array(pair, { maxLength: 6 }).map((pairs) => pairs.join('&'));
/** The same parameter twice, as clients never send it. */
const repeated = fc
  .tuple(fc.constantFrom(...parameters), fc.constantFrom(...values), fc.constantFrom(...values))
  .map(([name, one, other]) => `${name}=${one}&${name}=${other}`);

const path = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...paths) },
  fc
    .tuple(fc.constantFrom(...paths), fc.constantFrom(...pieces), fc.nat({ max: 40 }))
    .map(([whole, piece, at]) => whole.slice(0, at) + piece + whole.slice(at)),
);
const target = fc
  .tuple(
    fc.oneof(
      { weight: 12, arbitrary: fc.constant('') },
      fc.constantFrom('http://x.example', 'http://', 'https://[', 'x', '*', '?', '#', 'http://a@b:99999', '//x'),
    ),
    path,
    fc.oneof(
      fc.constant(''),
      form.map((text) => `?${text}`),
      repeated.map((text) => `?${text}`),
    ),
  )
  .map((parts) => parts.join(''));
const header = fc.tuple(fc.constantFrom(...names), fc.constantFrom(...contents)).map(([name, value]) => `${name}: ${value}`);
const twice = fc
  .tuple(fc.constantFrom(...names), fc.constantFrom(...contents), fc.constantFrom(...contents))
  .map(([name, one, other]) => `${name}: ${one}\r\n${name}: ${other}`);
/** How long the body is. Most of these are refused before anything else is looked at. */
const framing = fc
  .tuple(fc.constantFrom('Content-Length', 'Transfer-Encoding', 'Expect'), fc.constantFrom(...contents))
  .map(([name, value]) => `${name}: ${value}`);
const headers = fc.array(
  fc.oneof({ weight: 12, arbitrary: header }, { weight: 8, arbitrary: twice }, { weight: 1, arbitrary: framing }),
  { maxLength: 4 },
);
const body = fc.oneof(fc.constantFrom(...bodies), form, repeated);

/**
 * Requests with something wrong in them, or several things. `good` are headers that many of them have, such as a credential, so
 * that they come further.
 */
export const rawRequest = (good: readonly string[]): fc.Arbitrary<RawRequest> =>
  fc
    .record({
      method: fc.oneof({ weight: 3, arbitrary: fc.constantFrom('GET', 'POST') }, fc.constantFrom(...methods)),
      target,
      version: fc.oneof({ weight: 12, arbitrary: fc.constant('HTTP/1.1') }, fc.constantFrom(...versions)),
      host: fc.oneof({ weight: 12, arbitrary: fc.constant('Host: localhost') }, fc.constant(undefined)),
      credential: fc.option(fc.constantFrom(...good), { nil: undefined }),
      sized: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
      headers,
      body,
    })
    .map(({ method, target, version, host, credential, sized, headers, body }) => {
      const length = sized && body !== '' ? [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`] : [];
      const lines = [`${method} ${target} ${version}`, host, credential, ...headers, ...length];
      return { head: lines.filter((line) => line !== undefined).join('\r\n'), body };
    });

/** What a connection waits for before it says that nothing more comes: the server may wait for a body that was announced. */
const patienceMs = 300;

/**
 * Sends a request over a connection of its own, and gives all that came until the server closed it: nothing where it closed it at
 * once.
 * @throws Error where the server leaves the connection open.
 */
export async function exchangeRaw(url: string, { head, body }: RawRequest): Promise<string> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: hostname, port: Number(port) });
  let reply = '';
  const done = setTimeout(() => socket.end(), patienceMs);
  socket.setTimeout(20_000, () => reject(new Error(`The connection stays open after ${JSON.stringify({ head, body, reply })}`)));
  socket.on('data', (chunk) => {
    reply += chunk.toString('latin1');
    if (statusesOf(reply).length > 0 && reply.includes('\r\n\r\n')) socket.end();
  });
  socket.once('error', () => undefined); // its close follows
  socket.once('close', () => {
    clearTimeout(done);
    resolve(reply);
  });
  socket.write(Buffer.from(`${head}\r\n\r\n${body}`, 'latin1'));
  return promise.finally(() => socket.destroy());
}

const statusesOf = (reply: string): number[] =>
  [...reply.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status)).filter((status) => status >= 200);

/** The statuses of the replies to a request. */
export const sendRaw = async (url: string, request: RawRequest): Promise<number[]> => statusesOf(await exchangeRaw(url, request));
