import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { hasOpenSsh, sshWorld } from './support.ts';

const limits = { strangers: 6, strangersPerAddress: 3, authenticationTime: 600_000, failures: 1_000 };
const { here, port, ssh, keyFile } = await sshWorld({ resourceLimits: { ssh: limits } });

const isLinux = process.platform === 'linux';

/** Connects from an address of loopback, and says nothing. */
async function silent(localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  socket.resume();
  onTestFinished(() => void socket.destroy());
  await once(socket, 'data');
  return socket;
}

/** How many of these are still connected. */
const connected = (sockets: Socket[]): number => sockets.filter(({ closed }) => !closed).length;

async function newKey() {
  const key = keyFile();
  await (await here.as(await here.user())).post('/user/keys', { key: key.line });
  return key;
}

test.runIf(isLinux && hasOpenSsh)('silent connections that fill every slot keep nobody out', async () => {
  const key = await newKey();
  const addresses = ['127.0.0.10', '127.0.0.11'].flatMap((address) => [address, address, address]);
  const sockets = await Promise.all(addresses.map(silent));
  expect(await ssh(key)).toMatchObject({ code: 1, err: expect.stringContaining('successfully authenticated') });
  await expect.poll(() => connected(sockets)).toBe(5);
  await here.hearth.app.limitRefusals.flush();
  const refused = await here.db.selectFrom('limit_refusals').select(['limit_name', 'caller']).execute();
  expect(refused).toContainEqual({ limit_name: 'ssh.strangers', caller: expect.stringMatching(/^address:127\.0\.0\.1[01]$/) });
});

test.runIf(isLinux && hasOpenSsh)('an address that authenticated lately keeps its connections while others come', async () => {
  expect((await ssh(await newKey())).code).toBe(1);
  const known = [await silent('127.0.0.1'), await silent('127.0.0.1')];
  const others: Socket[] = [];
  for (let host = 20; host < 30; host++) others.push(await silent(`127.0.0.${host}`));
  await expect.poll(() => connected(others)).toBe(4);
  expect(connected(known)).toBe(2);
  expect(others.slice(-4).every(({ closed }) => !closed)).toBe(true);
});
