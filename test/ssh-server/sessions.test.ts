import { readFileSync } from 'node:fs';
import { Client, type ClientChannel } from 'ssh2';
import { expect, test } from 'vitest';
import { hasOpenSsh, sshWorld } from './support.ts';

const { here, port, keyFile, ssh } = await sshWorld();

/** What a channel of the library gives access to, so that a client can send what no ordinary client sends. */
type Raw = { outgoing: { id: number } };
type RawClient = {
  _protocol: {
    exec(channel: number, command: string, wantReply: boolean): void;
    shell(channel: number, wantReply: boolean): void;
  };
};

test.skipIf(!hasOpenSsh)('a session runs one command: further requests in it change nothing', async () => {
  const user = await here.user();
  const repo = await here.repo(user);
  const key = keyFile();
  await (await here.as(user)).post('/user/keys', { key: key.line });
  const command = `git-upload-pack '${user.login}/${repo.name}'`;
  const client = new Client();
  const ready = new Promise((resolve, reject) => client.once('ready', () => resolve(true)).once('error', reject));
  client.connect({ host: '127.0.0.1', port, username: 'git', privateKey: readFileSync(key.file) });
  await ready;
  const channel = await new Promise<ClientChannel>((resolve, reject) => {
    const env = { GIT_PROTOCOL: 'version=2' };
    client.exec(command, { env }, (error, opened) => (error ? reject(error) : resolve(opened)));
  });
  const { outgoing } = channel as unknown as Raw;
  const { _protocol: protocol } = client as unknown as RawClient;
  for (let at = 0; at < 20; at++) {
    protocol.exec(outgoing.id, command, at % 2 === 0);
    protocol.shell(outgoing.id, at % 2 === 0);
  }
  const closed = new Promise((resolve) => channel.once('close', resolve));
  let received = '';
  channel.on('data', (data: Buffer) => {
    received += data.toString('latin1');
  });
  channel.end('0000');
  expect(await closed).toBe(0);
  expect(received.split('version 2').length).toBe(2);
  client.end();
  expect(await ssh(key)).toMatchObject({ code: 1, err: expect.stringContaining(`Hi ${user.login}!`) });
});
