import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openProxy } from '#net/proxy.ts';

async function listening(server: Server | TcpServer): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A server that answers with what it was asked. */
async function target() {
  const requests: { method: string | undefined; url: string | undefined; headers: IncomingHttpHeaders; body: string }[] = [];
  const port = await listening(
    createServer(async (request, response) => {
      const { method, url, headers } = request;
      requests.push({ method, url, headers, body: await text(request) });
      response.setHeader('connection', 'close').end('answered');
    }),
  );
  return { port, requests };
}

const proxyFor = (options: Partial<Parameters<typeof openProxy>[0]> = {}) =>
  listening(openProxy({ always: { host: 'code.example.test', port: 1 }, internet: true, allow: [], ...options }));

/** Sends a request by the proxy, as programs do for plain HTTP. */
async function by(proxy: number, url: string, { body, ...options }: { method?: string; headers?: object; body?: string } = {}) {
  const sent = httpRequest({
    host: '127.0.0.1',
    port: proxy,
    path: url,
    ...options,
    headers: { host: new URL(url).host, ...options.headers },
  });
  sent.end(body);
  const [reply] = await once(sent, 'response');
  return { status: reply.statusCode as number, body: await text(reply) };
}

/** Opens a tunnel, and gives the first line of the reply and what came through for a request. */
async function tunnel(proxy: number, authority: string): Promise<string> {
  const socket = connect(proxy, '127.0.0.1');
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n`);
  const [first] = await once(socket, 'data');
  if (!String(first).startsWith('HTTP/1.1 200')) return String(first);
  socket.write('GET /in HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  return text(socket);
}

test('a range that is allowed is reached by requests and tunnels, at any port', async () => {
  const { port, requests } = await target();
  const proxy = await proxyFor({ allow: ['127.0.0.0/8'] });
  const headers = { 'proxy-authorization': 'Basic eDp5', 'x-own': 'kept', connection: 'keep-alive' };
  expect(await by(proxy, `http://127.0.0.1:${port}/a?b`, { method: 'POST', headers, body: 'sent' })).toEqual({
    status: 200,
    body: 'answered',
  });
  expect(requests).toMatchObject([
    { method: 'POST', url: '/a?b', body: 'sent', headers: { host: `127.0.0.1:${port}`, 'x-own': 'kept', connection: 'close' } },
  ]);
  expect(requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  expect(await tunnel(proxy, `127.0.0.1:${port}`)).toMatch(/answered/);
});

test.each([
  ['127.0.0.1', 'is not allowed'],
  ['[::1]', 'is not allowed'],
  ['10.0.0.1', 'is not allowed'],
  ['169.254.169.254', 'is not allowed'],
  ['[::ffff:127.0.0.1]', 'is not allowed'],
  ['0x7f.1', 'is not allowed'],
  ['inner.example.test', 'is not allowed'],
  ['none.example.test', 'could not be resolved'],
])('%s is not reached', async (host, reason) => {
  const resolve = async (name: string) => (name.startsWith('inner') ? ['93.184.216.34', '10.1.2.3'] : []);
  const proxy = await proxyFor({ resolve });
  expect((await by(proxy, `http://${host}/`)).body).toContain(reason);
  expect(await tunnel(proxy, `${host}:443`)).toContain(reason);
});

test('public addresses are reached at the ports of the web alone, and those of this machine not at all', async () => {
  const connected: string[] = [];
  const resolve = async (name: string) => {
    connected.push(name);
    return ['93.184.216.34'];
  };
  const proxy = await proxyFor({ resolve });
  for (const port of [22, 25, 5432]) expect(await tunnel(proxy, `public.example.test:${port}`)).toContain('is not allowed');
  const own = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.filter(({ family, internal }) => family === 'IPv4' && !internal),
  );
  for (const { address } of own) expect(await tunnel(proxy, `${address}:443`)).toContain('is not allowed');
  expect(connected).toHaveLength(3);
});

test('without the internet, the server alone is reached, by its exact name and port', async () => {
  const { port } = await target();
  const proxy = await proxyFor({ always: { host: '127.0.0.1', port }, internet: false });
  expect(await by(proxy, `http://127.0.0.1:${port}/`)).toEqual({ status: 200, body: 'answered' });
  expect(await tunnel(proxy, `127.0.0.1:${port}`)).toContain('answered');
  expect(await tunnel(proxy, `127.0.0.1:${port + 1}`)).toContain('jobs reach no other server');
  expect(await tunnel(proxy, 'example.com:443')).toContain('jobs reach no other server');
  expect(await by(proxy, 'http://example.com/')).toMatchObject({ status: 403 });
});

test('what is no request for a proxy is refused', async () => {
  const proxy = await proxyFor();
  expect(await by(proxy, 'https://example.com/')).toMatchObject({ status: 403, body: 'Refused: not an http address\n' });
  for (const authority of ['example.com', 'a@b:443', 'example.com:99999999', '/x:1'])
    expect(await tunnel(proxy, authority)).toMatch(/^HTTP\/1\.1 (403|400) /);
  const closed = await proxyFor({ always: { host: '127.0.0.1', port: 1 } });
  expect(await by(closed, 'http://127.0.0.1:1/')).toEqual({ status: 502, body: 'The connection could not be opened\n' });
});

test('a client that goes away ends its connection to the target', async () => {
  const server = createTcpServer();
  const port = await listening(server);
  const proxy = await proxyFor({ allow: ['127.0.0.0/8'] });
  const socket = connect(proxy, '127.0.0.1');
  socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nhost: x\r\n\r\n`);
  const [[upstream]] = await Promise.all([once(server, 'connection'), once(socket, 'data')]);
  upstream.on('error', () => undefined);
  const closed = once(upstream.resume(), 'close');
  socket.destroy();
  await closed;
});
