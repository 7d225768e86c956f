import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { world } from '#test/support/world.ts';

const here = await world({
  resourceLimits: {
    requests: {
      connections: 40,
      connectionsPerAddress: 8,
      headersTime: 500,
      perConnection: 3,
      replyIdle: 500,
      replyRate: 50_000_000,
    },
  },
});
const { url } = here;
const { hostname, port } = new URL(url);

/** A connection from an address of this machine; it is closed with the test. */
async function open(localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const isOpen = (socket: Socket): boolean => !socket.closed && !socket.readableEnded;
const refused = async (limit: string): Promise<number> => {
  const metrics = await (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text();
  return Number(new RegExp(`hearth_limit_refusals_total\\{limit="${limit}"\\} (\\d+)`).exec(metrics)?.[1] ?? 0);
};
const running = async (): Promise<number> => {
  const metrics = await (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text();
  return Number(/hearth_limiter_places\{limit="requests.concurrent",state="running"\} (\d+)/.exec(metrics)?.[1]);
};
const get = (path: string, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n');

test('one address has few connections, and others are served meanwhile', async () => {
  const sockets = await Promise.all(Array.from({ length: 20 }, () => open('127.0.0.2')));
  for (const socket of sockets) socket.resume();
  await expect.poll(() => sockets.filter(isOpen).length).toBeLessThanOrEqual(8);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(await refused('requests.connectionsPerAddress')).toBeGreaterThanOrEqual(12);
});

test('the process has a bounded number of connections', async () => {
  // All at once: those that are silent for longer are closed by themselves.
  const sockets = await Promise.all(Array.from({ length: 60 }, (_, index) => open(`127.0.0.${10 + (index % 10)}`)));
  for (const socket of sockets) socket.resume();
  await expect.poll(() => sockets.filter(isOpen).length).toBeLessThanOrEqual(40);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => refused('requests.connections').catch(() => 0)).toBeGreaterThanOrEqual(20);
});

test('silent connections that fill every slot keep nobody out', async () => {
  const sockets = await Promise.all(Array.from({ length: 40 }, (_, index) => open(`127.0.0.${20 + (index % 5)}`)));
  for (const socket of sockets) socket.resume();
  const fetched = Array.from({ length: 6 }, () => fetch(`${url}/healthz`, { headers: { connection: 'close' } }));
  for (const reply of await Promise.all(fetched)) expect(reply.status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

test.each(['', 'GET / HTTP/1.1\r\nHost: localhost\r\nX-', 'GET '])(
  'headers that do not come (%j) are not waited for',
  async (begun) => {
    const socket = await open('127.0.0.3');
    socket.write(begun);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  },
);

test('a connection is closed after a number of requests, with the last reply', async () => {
  const socket = await open('127.0.0.4');
  const replies = text(socket);
  for (let request = 0; request < 5; request++) socket.write(get('/healthz'));
  const said = await replies;
  expect(said.match(/^HTTP\/1\.1 200 OK/gm)).toHaveLength(3);
  expect(said.match(/^connection: close/gim)).toHaveLength(1);
});

test('a client that reads nothing of its replies loses its connections, and its places are free again', async () => {
  const ada = await here.user();
  const repo = await here.repo(ada);
  const client = await here.as(ada);
  // Together they are more than the buffers of a connection take.
  const body = '\u20ac'.repeat(65_000);
  for (let more = 0; more < 100; more++)
    expect((await client.post(`/repos/${ada.login}/${repo.name}/issues`, { title: 'An issue', body })).status).toBe(201);
  const authorization = `Authorization: Bearer ${await here.token(ada)}`;
  const sockets = await Promise.all(Array.from({ length: 6 }, () => open('127.0.0.5')));
  for (const socket of sockets) {
    socket.pause();
    socket.write(get(`/api/v3/repos/${ada.login}/${repo.name}/issues?per_page=100`, authorization));
  }
  await expect.poll(running).toBe(6);
  await expect.poll(running).toBe(0);
  expect((await refused('requests.replyIdle')) + (await refused('requests.replyRate'))).toBe(6);
});
