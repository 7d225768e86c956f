import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fresh } from '#test/support/world.ts';
import { hasOpenSsh, sshWorld } from './support.ts';

const greeting = (name: string) => ({ code: 1, err: expect.stringContaining(`Hi ${name}! You've successfully authenticated`) });
const denied = { code: 255, err: expect.stringContaining('Permission denied (publickey)') };

test.skipIf(!hasOpenSsh).each([
  ['ed25519', undefined],
  ['ecdsa', 256],
  ['ecdsa', 384],
  ['ecdsa', 521],
  ['rsa', 2048],
  ['rsa', 4096],
])('%s %s: a key lets in who has added it, and nobody before nor afterwards', async (type, bits) => {
  const { here, ssh, keyFile } = await sshWorld();
  const user = await here.user();
  const client = await here.as(user);
  const key = keyFile(type, bits);
  expect(await ssh(key)).toMatchObject(denied);
  const { body } = await client.post('/user/keys', { key: key.line });
  expect(body.last_used).toBeNull();
  expect(await ssh(key)).toMatchObject(greeting(user.login));
  await expect.poll(async () => (await client.get(`/user/keys/${body.id}`)).body.last_used).toBe('2026-01-01T00:00:00Z');
  await client.delete(`/user/keys/${body.id}`);
  expect(await ssh(key)).toMatchObject(denied);
});

test.skipIf(!hasOpenSsh)('a short RSA key, a signature by SHA-1 and a wrong private key are refused', async () => {
  const { here, ssh, keyFile, run } = await sshWorld();
  const user = await here.user();
  const client = await here.as(user);
  expect((await client.post('/user/keys', { key: keyFile('rsa', 1024).line })).status).toBe(422);
  const rsa = keyFile('rsa', 2048);
  await client.post('/user/keys', { key: rsa.line });
  expect(await ssh(rsa, [], ['-o', 'PubkeyAcceptedAlgorithms=ssh-rsa'])).toMatchObject({ code: 255 });
  // The public part of one key beside the private part of another.
  const [known, other] = [keyFile(), keyFile()];
  await client.post('/user/keys', { key: known.line });
  await run('cp', [`${known.file}.pub`, `${other.file}.pub`]);
  expect(await ssh(other)).toMatchObject({ code: 255 });
});

test.skipIf(!hasOpenSsh)('a key of an agent', async () => {
  const { here, ssh, keyFile, run, folder } = await sshWorld();
  const user = await here.user();
  const key = keyFile();
  await (await here.as(user)).post('/user/keys', { key: key.line });
  const socket = join(folder, fresh('agent'));
  const started = await run('ssh-agent', ['-a', socket]);
  const pid = /SSH_AGENT_PID=(\d+)/.exec(started.out)?.[1] ?? '';
  onTestFinished(() => void process.kill(Number(pid)));
  const env = { SSH_AUTH_SOCK: socket };
  expect(await run('ssh-add', ['-q', key.file], { env })).toMatchObject({ code: 0 });
  await run('rm', [key.file]);
  expect(await ssh(undefined, [], ['-o', 'IdentitiesOnly=no'], { env })).toMatchObject(greeting(user.login));
});

const field = (content: Buffer | string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(content));
  return Buffer.concat([length, Buffer.from(content)]);
};
const positive = (number: Buffer): Buffer => {
  const digits = number.subarray(number.findIndex((byte) => byte !== 0));
  return field((digits[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.alloc(1), digits]) : digits);
};
const digest = (content: Buffer): Buffer => createHash('sha256').update(content).digest();

type DeviceKey = { type: string; publicPart: Buffer; signed(data: Buffer): Buffer };

const onEd25519 = (): DeviceKey => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const point = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  return { type: 'sk-ssh-ed25519@openssh.com', publicPart: field(point), signed: (data) => sign(null, data, privateKey) };
};
const onP256 = (): DeviceKey => {
  const pair: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return {
    type: 'sk-ecdsa-sha2-nistp256@openssh.com',
    publicPart: Buffer.concat([field('nistp256'), field(point)]),
    signed(data) {
      const made = sign('sha256', data, { key: pair.privateKey, dsaEncoding: 'ieee-p1363' });
      return Buffer.concat([positive(made.subarray(0, 32)), positive(made.subarray(32))]);
    },
  };
};

/** An agent with a security key, whose device signs with these flags (1: somebody touched it). */
async function deviceAgent(path: string, device: DeviceKey, flags: number): Promise<string> {
  const application = 'ssh:';
  const blob = Buffer.concat([field(device.type), device.publicPart, field(application)]);
  const answer = (request: Buffer): Buffer => {
    if (request[0] === 11) return Buffer.concat([Buffer.from([12, 0, 0, 0, 1]), field(blob), field('device')]);
    if (request[0] !== 13) return Buffer.from([5]);
    const start = 1 + 4 + request.readUInt32BE(1);
    const data = request.subarray(start + 4, start + 4 + request.readUInt32BE(start));
    const counter = Buffer.from([flags, 0, 0, 0, 7]);
    const made = device.signed(Buffer.concat([digest(Buffer.from(application)), counter, digest(data)]));
    return Buffer.concat([Buffer.from([14]), field(Buffer.concat([field(device.type), field(made), counter]))]);
  };
  const server = createServer((socket) => {
    let pending: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 4 && pending.length >= 4 + pending.readUInt32BE(0)) {
        const end = 4 + pending.readUInt32BE(0);
        socket.write(field(answer(pending.subarray(4, end))));
        pending = pending.subarray(end);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  return `${device.type} ${blob.toString('base64')}`;
}

test.skipIf(!hasOpenSsh).each([
  ['Ed25519', onEd25519],
  ['ECDSA', onP256],
])('a security key of %s, if somebody touched it', async (_name, make) => {
  const { here, ssh, folder } = await sshWorld();
  for (const [flags, isLetIn] of [
    [1, true],
    [5, true],
    [4, false],
    [0, false],
  ] as const) {
    const user = await here.user();
    const socket = join(folder, fresh('device'));
    const key = await deviceAgent(socket, make(), flags);
    const more = ['-o', 'IdentitiesOnly=no', '-o', `IdentityAgent=${socket}`];
    expect(await ssh(undefined, [], more)).toMatchObject(denied);
    expect((await (await here.as(user)).post('/user/keys', { key })).status).toBe(201);
    expect(await ssh(undefined, [], more)).toMatchObject(isLetIn ? greeting(user.login) : denied);
  }
});

test.skipIf(!hasOpenSsh)(
  'the keys of the server are those that /meta tells, by their fingerprints, and ssh-keyscan finds',
  async () => {
    const { here, run, known, port } = await sshWorld();
    const { body } = await (await here.as(undefined)).get('/meta');
    expect(body.ssh_keys).toHaveLength(3);
    const scanned = await run('ssh-keyscan', ['-p', String(port), '127.0.0.1']);
    const lines = scanned.out.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.map((line) => line.split(' ').slice(1).join(' ')).sort()).toEqual([...body.ssh_keys].sort());
    const { out } = await run('ssh-keygen', ['-l', '-f', known]);
    const prints = Object.fromEntries(
      out
        .trim()
        .split('\n')
        .map((line) => /SHA256:(\S+) .*\((\w+)\)/.exec(line)?.slice(1).reverse() ?? []),
    );
    expect(body.ssh_key_fingerprints).toEqual({
      SHA256_ED25519: prints.ED25519,
      SHA256_ECDSA: prints.ECDSA,
      SHA256_RSA: prints.RSA,
    });
  },
);

test.skipIf(!hasOpenSsh)('each kind of host key is proved', async () => {
  const { here, ssh, keyFile } = await sshWorld();
  const user = await here.user();
  const key = keyFile();
  await (await here.as(user)).post('/user/keys', { key: key.line });
  for (const kind of ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'rsa-sha2-512', 'rsa-sha2-256'])
    expect(await ssh(key, [], ['-o', `HostKeyAlgorithms=${kind}`]), kind).toMatchObject(greeting(user.login));
  for (const weak of ['Ciphers=aes128-cbc', 'MACs=hmac-sha1', 'KexAlgorithms=diffie-hellman-group14-sha1'])
    expect(await ssh(key, [], ['-o', weak]), weak).toMatchObject({ code: 255 });
});
