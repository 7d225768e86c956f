import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { writeBlob } from '#git/objects/write-objects.ts';
import { git, scratch } from '#test/git/support.ts';
import { diskOf, point } from '#test/resources/code/commits/setting.ts';
import { addressOf } from '#test/server/git-http/support.ts';
import { world } from '#test/support/world.ts';
import { commitFiles, commitTree } from './support/bombs.ts';
import { loopbackAddresses, openGitRequest, wantsOf } from './support/git-requests.ts';

const limits = { transfers: 16, transfersPerCaller: 8, transfersAnonymous: 8, transfersPerAddress: 2, waiting: 100 };
const w = await world({ resourceLimits: { git: { ...limits, transferContendedTime: 500 } } });
const { transfers } = w.hearth.services.git;

const owner = await w.user();
const large = await w.repo(owner);
// More than what the connections between hold.
const blobs = await Promise.all(Array.from({ length: 6 }, () => writeBlob(diskOf(w, large), randomBytes(4_000_000))));
const entries = blobs.map((oid, index) => Buffer.concat([Buffer.from(`100644 f${index}\0`), Buffer.from(oid, 'hex')]));
const tip = await commitTree(diskOf(w, large), Buffer.concat(entries), []);
await point(w, large, 'refs/heads/main', tip);
// What lies in a pack uncompressed is sent as it is.
await git(diskOf(w, large).path, '-c', 'core.compression=0', 'repack', '-a', '-d', '-q');
const small = await w.repo(owner);
await point(w, small, 'refs/heads/main', await commitFiles(diskOf(w, small), { a: 'a\n' }));

/** Begins a clone, and reads nothing of it. */
function clone(localAddress: string) {
  const opened = openGitRequest(`${w.url}/${owner.login}/${large.name}.git`, 'upload-pack', localAddress);
  opened.sending.end(wantsOf(tip));
  return opened;
}

const cloneSmall = async () => void (await git(await scratch(), 'clone', '-q', addressOf(w, small), '.'));

/** The caller of an address, as the limiter knows it. */
const shareOf = (address: string) => transfers.callers().find(({ key }) => key === `address:${address}`);

test.runIf(process.platform === 'linux')('64 clones of one address get a quarter, and others clone meanwhile', async () => {
  const [address = ''] = loopbackAddresses;
  const slow = Array.from({ length: 64 }, () => clone(address));
  await expect.poll(() => shareOf(address)).toMatchObject({ running: 2, waiting: 62 });
  await cloneSmall();
  expect(shareOf(address)).toMatchObject({ running: 2, waiting: 62 });
  for (const { sending } of slow) sending.destroy();
  await expect.poll(() => transfers.running + transfers.waiting).toBe(0);
});

test.runIf(process.platform === 'linux')('clones that nobody reads end where another address waits', async () => {
  const slow = loopbackAddresses.slice(0, 4).flatMap((address) => [clone(address), clone(address)]);
  await expect.poll(() => transfers.running).toBe(8);
  const replies = await Promise.all(slow.map(({ response }) => response));
  let ended = 0;
  for (const reply of replies) reply.once('error', () => ended++);
  await cloneSmall();
  await expect.poll(() => transfers.running).toBeLessThan(8);
  for (const reply of replies) reply.resume();
  await expect.poll(() => transfers.running).toBe(0);
  expect(ended).toBeGreaterThanOrEqual(1);
  expect(ended).toBeLessThan(8);
});
