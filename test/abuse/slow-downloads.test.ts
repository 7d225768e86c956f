import { randomBytes } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { transferLimits } from '#objects/limits.ts';
import { setting, uploadTo } from '#test/resources/collaboration/releases/support.ts';
import { world } from '#test/support/world.ts';
import { loopbackAddresses } from './support/git-requests.ts';

const isLinux = process.platform === 'linux';
const limits = { transfers: 16, transfersPerCaller: 8, transfersAnonymous: 8, transfersPerAddress: 2 };
const w = await world({ resourceLimits: { releases: { ...limits, transferContendedTime: 500 } } });
const { transfers } = w.hearth.services.limiters;

const { owner, repo, client, path } = await setting(w);
const release = await client.post(path, { tag_name: 'v1' });
const uploads = `${path}/${release.body.id}/assets`;
// More than what the connections between hold.
await uploadTo(w, owner, `${uploads}?name=large.bin`, randomBytes(24_000_000), 'application/octet-stream');
await uploadTo(w, owner, `${uploads}?name=small.txt`, 'small');
const addressOf = (name: string) => `${w.url}/${owner.login}/${repo.name}/releases/download/v1/${name}`;

/** Begins a download from an address of loopback, and reads nothing of it. */
function begin(localAddress: string): { response: Promise<IncomingMessage>; stop(): void } {
  const sending = request(addressOf('large.bin'), { localAddress, agent: false });
  const response = new Promise<IncomingMessage>((resolve, reject) => sending.once('response', resolve).once('error', reject));
  response.catch(() => undefined);
  sending.on('error', () => undefined);
  onTestFinished(() => void sending.destroy());
  sending.end();
  return { response, stop: () => void sending.destroy() };
}

const readSmall = async () => expect(await (await fetch(addressOf('small.txt'))).text()).toBe('small');
const shareOf = (address: string) => transfers.callers().find(({ key }) => key === `address:${address}`);

test.runIf(isLinux)('twenty downloads of one address get a quarter, and others download meanwhile', async () => {
  const [address = ''] = loopbackAddresses;
  const slow = Array.from({ length: 20 }, () => begin(address));
  await expect.poll(() => shareOf(address)).toMatchObject({ running: 2, waiting: 18 });
  await readSmall();
  expect(shareOf(address)).toMatchObject({ running: 2, waiting: 18 });
  for (const { stop } of slow) stop();
  await expect.poll(() => transfers.running + transfers.waiting).toBe(0);
});

test.runIf(isLinux)('downloads that nobody reads end where another address waits', async () => {
  const slow = loopbackAddresses.slice(0, 4).flatMap((address) => [begin(address), begin(address)]);
  await expect.poll(() => transfers.running).toBe(8);
  const replies = await Promise.all(slow.map(({ response }) => response));
  let ended = 0;
  for (const reply of replies) reply.once('error', () => ended++);
  await readSmall();
  for (const reply of replies) reply.resume();
  await expect.poll(() => transfers.running).toBe(0);
  expect(ended).toBeGreaterThanOrEqual(1);
  expect(ended).toBeLessThan(8);
});

test('a download that nobody reads ends by itself, and its slot is free', async () => {
  const inForce: { transferRateTime: number } = w.hearth.services.resourceLimits.of(transferLimits);
  const before = inForce.transferRateTime;
  inForce.transferRateTime = 500;
  onTestFinished(() => {
    inForce.transferRateTime = before;
  });
  const { response } = begin('127.0.0.1');
  const reply = await response;
  await expect.poll(() => transfers.running).toBe(0);
  await expect(Array.fromAsync(reply)).rejects.toThrow();
  await w.hearth.app.limitRefusals.flush();
  const refused = await w.db.selectFrom('limit_refusals').select('limit_name').execute();
  expect(refused).toContainEqual({ limit_name: 'releases.transferRate' });
});
