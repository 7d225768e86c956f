import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { Client } from 'ssh2';
import { expect, test } from 'vitest';
import { hasOpenSsh, sshWorld } from './support.ts';

const { here, port, ssh, keyFile, options, run } = await sshWorld({
  resourceLimits: { ssh: { authenticationTime: 2_000, failures: 5, sessions: 2, strangersPerAddress: 4 } },
});

/** A connection that says this and no more. Resolves with what it was told, once it is closed. */
async function stranger(says: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let told = '';
  socket.on('data', (chunk) => {
    told += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  socket.write(says);
  await once(socket, 'close');
  return told;
}

/** Waits until so many failures are counted. */
async function counted(failures: number): Promise<void> {
  const find = () => here.db.selectFrom('rate_limits').select('used').where('bucket', '=', 'ssh_failures').executeTakeFirst();
  await expect.poll(async () => (await find())?.used).toBe(failures);
}
const forget = () => here.db.deleteFrom('rate_limits').execute();

test('a connection that does not authenticate is closed, whatever it sends, and others are served meanwhile', async () => {
  const sent = ['', 'SSH-2.0-slow\r\n', 'GET / HTTP/1.1\r\n\r\n', `SSH-2.0-x\r\n${'\0'.repeat(100_000)}`];
  const strangers = Promise.all(sent.map(stranger));
  expect((await (await here.as(undefined)).get('/meta')).status).toBe(200);
  for (const told of await strangers) expect(told).toMatch(/^(SSH-2\.0-Hearth|$)/);
  await counted(sent.length);
  await forget();
});

test('more strangers of one address than allowed are closed at once', async () => {
  const waiting = Array.from({ length: 4 }, () => connect(port, '127.0.0.1'));
  for (const socket of waiting) await once(socket, 'data');
  const since = here.hearth.app.limitRefusals;
  expect(await stranger('SSH-2.0-one-more\r\n')).toBe('');
  for (const socket of waiting) socket.destroy();
  await since.flush();
  const refused = await here.db.selectFrom('limit_refusals').select(['limit_name', 'caller']).execute();
  expect(refused).toContainEqual({ limit_name: 'ssh.strangersPerAddress', caller: 'address:127.0.0.1' });
  await counted(4);
  await forget();
});

test.skipIf(!hasOpenSsh)('an address that failed too often is refused, with a good key too, until its time is over', async () => {
  const user = await here.user();
  const [known, unknown] = [keyFile(), keyFile()];
  await (await here.as(user)).post('/user/keys', { key: known.line });
  for (let tried = 0; tried < 5; tried++) expect((await ssh(unknown)).code).toBe(255);
  await counted(5);
  const refused = await ssh(known, [], ['-v']);
  expect(refused).toMatchObject({
    code: 255,
    err: expect.stringMatching(/Too many connections of your address failed .* \d+ s/),
  });
  await forget();
  expect(await ssh(known)).toMatchObject({ code: 1, err: expect.stringContaining(`Hi ${user.login}!`) });
});

test.skipIf(!hasOpenSsh)('a client that goes away in the middle of a push changes nothing', async () => {
  const user = await here.user();
  const key = keyFile();
  await (await here.as(user)).post('/user/keys', { key: key.line });
  const repo = await here.repo(user);
  const oid = '1'.repeat(40);
  const line = `${'0'.repeat(40)} ${oid} refs/heads/main\0report-status`;
  const half = `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000PACK\0\0\0\x02`;
  const command = `git-receive-pack '${user.login}/${repo.name}.git'`;
  const pushed = await run('ssh', [...options(key), '-T', 'git@127.0.0.1', command], { input: half });
  expect(pushed.out).toMatch(/unpack (?!ok)/);
  await expect.poll(() => here.db.selectFrom('ref_changes').select('id').execute()).toEqual([]);
  expect((await (await here.as(user)).get(`/repos/${user.login}/${repo.name}/branches`)).body).toEqual([]);
});

test('a connection that exchanges keys again and again is closed', async () => {
  const user = await here.user();
  const known = keyFile();
  await (await here.as(user)).post('/user/keys', { key: known.line });
  const client = new Client();
  let exchanges = 0;
  const closed = once(client, 'close');
  client
    .on('error', () => undefined)
    .on('handshake', () => {
      if (++exchanges > 1) setImmediate(again);
    });
  // The library's types don't know the method.
  const again = () => (client as unknown as { _protocol: { rekey(): void } })._protocol.rekey();
  client.connect({ host: '127.0.0.1', port, username: 'git', privateKey: await readFile(known.file) });
  await once(client, 'ready');
  again();
  await closed;
  expect(exchanges).toBeGreaterThan(15);
  expect(exchanges).toBeLessThanOrEqual(22);
});
