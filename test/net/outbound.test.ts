import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Outbound, openOutbound } from '#net/outbound.ts';
import type { Resolver } from '#net/target.ts';

const opened: (() => void)[] = [];
afterAll(() => {
  for (const close of opened) close();
});

function outbound(options: { allow?: string[]; resolve?: Resolver } = {}): Outbound {
  const made = openOutbound({ allow: options.allow ?? [], ...(options.resolve ? { resolve: options.resolve } : {}) });
  opened.push(() => made.close());
  return made;
}

async function listening<S extends Server | http.Server | https.Server>(server: S): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const post = (by: Outbound, url: string, more: { timeout?: number; anyCertificate?: boolean; maxBytes?: number } = {}) =>
  by.post({ url: new URL(url), headers: { 'X-One': '1' }, body: Buffer.from('body'), timeout: 60_000, maxBytes: 100, ...more });

let reached = 0;
const port = await listening(
  http.createServer((request, response) => {
    reached++;
    response.setHeader('x-host', request.headers.host ?? '').end(`${request.method} ${request.url}`);
  }),
);

/** Every way to write loopback and its kin in a URL, each at the port of a server that would answer. */
const hosts = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '0x7f.1',
  '0x7f000001',
  '0x7f.0x0.0x0.0x1',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '0177.1',
  '127.0.0.1.',
  '①②⑦.⓪.⓪.①',
  '１２７.0.0.1',
  '127。0。0。1',
  '127%2e0%2e0%2e1',
  '0',
  '0.0.0.0',
  '0x0',
  '00000',
  '127.127.127.127',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[2002:7f00:1::]',
  '[fe80::1]',
  '[fd00::1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '10.0.0.1',
  '192.168.1.1',
  '172.16.0.1',
  '100.64.0.1',
  '224.0.0.1',
  '255.255.255.255',
];
const vectors = hosts.flatMap((host) =>
  ['http', 'https'].flatMap((scheme) => [
    `${scheme}://${host}:${port}/`,
    `${scheme}://${host}:${port}/a?b#c`,
    `${scheme}:\\\\${host}:${port}\\`,
    `${scheme}:${host}:${port}`,
  ]),
);

test(`none of ${vectors.length} ways to write a closed address is reached`, async () => {
  expect(vectors.length).toBeGreaterThan(300);
  const by = outbound();
  const before = reached;
  for (const vector of vectors) {
    const url = URL.parse(vector);
    if (!url) continue;
    expect(by.refuses(vector), vector).toMatch(/Internet/);
    await expect(post(by, vector), vector).rejects.toThrow(/not allowed|resolved/);
  }
  expect(reached).toBe(before);
});

test('with loopback allowed, the same server is reached: the vectors lead somewhere', async () => {
  const by = outbound({ allow: ['127.0.0.0/8'] });
  for (const host of ['127.0.0.1', '0x7f.1', '2130706433', '①②⑦.⓪.⓪.①'])
    expect(await post(by, `http://${host}:${port}/x`)).toMatchObject({ status: 200, headers: { 'x-host': `127.0.0.1:${port}` } });
});

test('a name with one closed address among many is refused', async () => {
  for (const addresses of [
    ['8.8.8.8', '127.0.0.1'],
    ['127.0.0.1'],
    ['2606:4700::1', '::1'],
    ['::ffff:127.0.0.1'],
    ['not an address'],
  ]) {
    const by = outbound({ resolve: async () => addresses });
    await expect(post(by, `http://rebound.example:${port}/`)).rejects.toThrow('not allowed');
  }
});

test('1,000 names that lead outside when checked and inside when asked again reach nothing inside', async () => {
  const before = reached;
  let asked = 0;
  const resolve: Resolver = async () => (asked++ % 2 === 0 ? ['192.0.2.1'] : ['127.0.0.1']);
  const by = outbound({ allow: ['192.0.2.0/24'], resolve });
  const outcomes = await Promise.all(
    Array.from({ length: 1_000 }, () =>
      post(by, `http://rebound.example:${port}/`, { timeout: 2_000 }).catch((error) => error.kind),
    ),
  );
  expect(asked).toBe(1_000); // each delivery asks once, and connects to the answer that it checked
  // Half of the names lead to an address that nobody answers at: what that looks like is the network's affair.
  expect(outcomes.filter((kind) => kind === 'refused_address')).toHaveLength(500);
  expect(outcomes.filter((kind) => kind === 'connection' || kind === 'timeout')).toHaveLength(500);
  expect(reached).toBe(before);
});

test('a name is sent as the host, though the connection is made to its address', async () => {
  const by = outbound({ allow: ['127.0.0.1'], resolve: async () => ['127.0.0.1'] });
  expect(await post(by, `http://hooks.example:${port}/x?y=1`)).toMatchObject({
    status: 200,
    headers: { 'x-host': `hooks.example:${port}` },
    body: Buffer.from('POST /x?y=1'),
  });
});

test('when one address doesn’t answer, the next is tried', async () => {
  const by = outbound({ allow: ['127.0.0.0/8'], resolve: async () => ['127.0.0.77', '127.0.0.1'] });
  const other = await listening(http.createServer((_, response) => response.end('here')));
  expect((await post(by, `http://two.example:${other}/`)).body.toString()).toBe('here');
});

test('a proxy of the environment is not used', async () => {
  process.env.http_proxy = process.env.HTTP_PROXY = 'http://127.0.0.1:1';
  try {
    expect((await post(outbound({ allow: ['127.0.0.1'] }), `http://127.0.0.1:${port}/`)).status).toBe(200);
  } finally {
    delete process.env.http_proxy;
    delete process.env.HTTP_PROXY;
  }
});

test('a redirect is an answer', async () => {
  const other = await listening(
    http.createServer((_, response) => response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end()),
  );
  const before = reached;
  expect((await post(outbound({ allow: ['127.0.0.1'] }), `http://127.0.0.1:${other}/`)).status).toBe(307);
  expect(reached).toBe(before);
});

test.each([
  ['never answers', () => undefined],
  [
    'sends its head a byte at a time',
    (socket: import('node:net').Socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX: '.padEnd(900, 'y')),
  ],
  [
    'sends its body a byte at a time',
    (socket: import('node:net').Socket) => drip(socket, `HTTP/1.1 200 OK\r\n\r\n${'z'.repeat(900)}`),
  ],
])('a receiver that %s is cut off in time', async (_, answer) => {
  const other = await listening(createServer((socket) => socket.on('error', () => undefined).once('data', () => answer(socket))));
  const began = performance.now();
  await expect(
    post(outbound({ allow: ['127.0.0.1'] }), `http://127.0.0.1:${other}/`, { timeout: 400, maxBytes: 10_000 }),
  ).rejects.toThrow('timed out');
  // The drops would last for 18 seconds.
  expect(performance.now() - began).toBeLessThan(9_000);
});

function drip(socket: import('node:net').Socket, text: string): void {
  const timer = setInterval(() => {
    socket.write(text.slice(0, 1));
    text = text.slice(1);
  }, 20);
  socket.on('close', () => clearInterval(timer));
}

test('a name whose resolution hangs is cut off in time', async () => {
  const by = outbound({ resolve: () => new Promise(() => undefined) });
  await expect(post(by, 'http://slow.example/', { timeout: 200 })).rejects.toThrow('timed out');
});

test('as much of a reply is kept as was asked for, and the rest isn’t read', async () => {
  const other = await listening(
    http.createServer((_, response) => {
      const more = setInterval(() => response.write('x'.repeat(10_000)), 1);
      response.on('close', () => clearInterval(more));
    }),
  );
  const reply = await post(outbound({ allow: ['127.0.0.1'] }), `http://127.0.0.1:${other}/`, { maxBytes: 25_000 });
  expect(reply.body.length).toBe(25_000);
});

test('a kept connection that the receiver closed meanwhile is made anew', async () => {
  const server = http.createServer((_, response) => response.end('ok'));
  server.keepAliveTimeout = 30;
  const other = await listening(server);
  const by = outbound({ allow: ['127.0.0.1'] });
  for (let i = 0; i < 8; i++) {
    expect((await post(by, `http://127.0.0.1:${other}/`)).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 25 + i * 2));
  }
});

test('a certificate is checked, by the name in the URL, unless that hook says otherwise', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-net-'));
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
  const subject = ['-subj', '/CN=hooks.example', '-addext', 'subjectAltName=DNS:hooks.example'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '2', ...subject],
    { stdio: 'ignore' },
  );
  const names: string[] = [];
  const SNICallback = (name: string, done: (error: null) => void): void => {
    names.push(name);
    done(null);
  };
  const server = https.createServer({ key: readFileSync(key), cert: readFileSync(cert), SNICallback }, (_, response) =>
    response.end('safe'),
  );
  const other = await listening(server);
  rmSync(folder, { recursive: true });
  const by = outbound({ allow: ['127.0.0.1'], resolve: async () => ['127.0.0.1'] });
  const url = `https://hooks.example:${other}/`;
  await expect(post(by, url)).rejects.toThrow(/self-signed|self signed/);
  expect((await post(by, url, { anyCertificate: true })).body.toString()).toBe('safe');
  await expect(post(by, url)).rejects.toThrow(/self-signed|self signed/); // one hook's choice is not another's
  expect(new Set(names)).toEqual(new Set(['hooks.example']));
});

test.each([
  'ftp://a.example',
  'file:///etc/passwd',
  'javascript:1',
  '//a.example',
  'http://',
  'https://u@a.example',
  'http://u:p@a.example',
])('%s is no address for a webhook', (url) => expect(outbound().refuses(url)).toMatch(/http or https/));
