import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { writeBlob } from '#git/objects/write-objects.ts';
import { packet } from '#git/transport/pkt-line.ts';
import { git, scratch } from '#test/git/support.ts';
import { diskOf, point } from '#test/resources/code/commits/setting.ts';
import { addressOf } from '#test/server/git-http/support.ts';
import { world } from '#test/support/world.ts';
import { commitFiles, commitTree } from './support/bombs.ts';
import { loopbackAddresses, openGitRequest, wantsOf } from './support/git-requests.ts';

const limits = {
  transfers: 8,
  transfersPerCaller: 2,
  transfersAnonymous: 5,
  transfersPerAddress: 2,
  transferRate: 32_768,
  transferRateTime: 2_000,
};
const w = await world({ resourceLimits: { git: limits } });
const { transfers } = w.hearth.services.git;

const owner = await w.user();
const repo = await w.repo(owner);
const gitRepository = diskOf(w, repo);
// More than what the connections between hold.
const blobs = await Promise.all([1, 2, 3, 4, 5, 6].map(() => writeBlob(gitRepository, randomBytes(8_000_000))));
const entries = blobs.map((oid, index) => Buffer.concat([Buffer.from(`100644 f${index}\0`), Buffer.from(oid, 'hex')]));
const tip = await commitTree(gitRepository, Buffer.concat(entries), []);
await point(w, repo, 'refs/heads/main', tip);
// What lies in a pack uncompressed is sent as it is.
await git(gitRepository.path, '-c', 'core.compression=0', 'repack', '-a', '-d', '-q');
const path = `/${owner.login}/${repo.name}.git`;
const small = await w.repo(owner);
await point(w, small, 'refs/heads/main', await commitFiles(diskOf(w, small), { a: 'a\n' }));

const wants = wantsOf(tip);

/** From here to the end of the test, slow transfers are cut off after so many milliseconds. */
function cutOffAfter(transferRateTime: number): void {
  const inForce: { transferRateTime: number } = w.hearth.services.git.limits;
  inForce.transferRateTime = transferRateTime;
  onTestFinished(() => {
    inForce.transferRateTime = limits.transferRateTime;
  });
}

const open = (service: string, localAddress: string) => openGitRequest(`${w.url}${path}`, service, localAddress);

/** Begins a clone, and reads nothing of it. */
function clone(localAddress: string) {
  const opened = open('upload-pack', localAddress);
  opened.sending.end(wants);
  return opened;
}

test('sixteen clones that nobody reads leave others their turn, and are cut off', async () => {
  const slow = loopbackAddresses.map(clone);
  await expect.poll(() => transfers.running).toBeGreaterThanOrEqual(limits.transfersPerCaller);
  // Of itself, git signs in where it is asked to alone, which it isn't for what is public.
  const basic = Buffer.from(`x:${await w.token(await w.user())}`).toString('base64');
  const signedIn = ['-c', `http.extraHeader=Authorization: Basic ${basic}`];
  expect(await git(await scratch(), ...signedIn, 'ls-remote', addressOf(w, repo))).toContain(tip);
  await git(await scratch(), ...signedIn, 'clone', '-q', addressOf(w, small), '.');
  // Anonymous callers see the refs, too: these don't wait for clones.
  const refs = await fetch(`${w.url}${path}/info/refs?service=git-upload-pack`);
  expect(await refs.text()).toContain(tip);

  cutOffAfter(200);
  await expect.poll(() => transfers.running + transfers.waiting).toBe(0);
  for (const { response } of slow) {
    const reply = await response;
    await Array.fromAsync(reply).catch(() => undefined);
    expect(reply.statusCode).toBe(200);
    expect(reply.complete).toBe(false);
  }
});

test('a reader who is slow, but not too slow, gets everything', async () => {
  const { response } = clone('127.0.0.1');
  const reply = await response;
  let bytes = 0;
  for await (const chunk of reply) {
    bytes += chunk.length;
    await pause(chunk.length / 20_000);
  }
  expect(reply.complete).toBe(true);
  expect(bytes).toBeGreaterThan(48_000_000);
});

test.each([
  ['upload-pack', wants],
  ['receive-pack', packet(`${'0'.repeat(40)} ${tip} refs/heads/new\0 report-status`)],
])('a request of %s that comes byte by byte is cut off, and frees its place', async (service, bytes) => {
  cutOffAfter(500);
  const { sending, response } = open(service, '127.0.0.1');
  sending.setHeader('authorization', `Bearer ${await w.token(owner)}`);
  const drip = (async () => {
    for (const byte of bytes) {
      if (sending.destroyed) return;
      sending.write(Buffer.from([byte]));
      await pause(100);
    }
  })();
  const outcome = await response.then(
    ({ statusCode }) => statusCode,
    () => 'closed',
  );
  expect([408, 503, 'closed']).toContain(outcome);
  await expect.poll(() => transfers.running).toBe(0);
  sending.destroy();
  await drip;
});

test('a client that goes away while it waits in line frees its place in the line', async () => {
  const running = [clone('127.0.0.1'), clone('127.0.0.1')];
  await expect.poll(() => transfers.running).toBe(2);
  const push = open('receive-pack', '127.0.0.1');
  push.sending.setHeader('authorization', `Bearer ${await w.token(owner)}`);
  const waiting = [clone('127.0.0.1'), clone('127.0.0.1')];
  await expect.poll(() => transfers.waiting).toBe(2);
  for (const { sending } of waiting) sending.destroy();
  await expect.poll(() => transfers.waiting).toBe(0);
  for (const { sending } of running) sending.destroy();
  await expect.poll(() => transfers.running).toBe(0);
});
