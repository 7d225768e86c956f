// What both stores of objects do: the folder, and a bucket of a server that checks signatures.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openOutbound } from '#net/outbound.ts';
import { openObjects } from '#objects/open.ts';
import type { ByteRange, ObjectStore } from '#objects/store.ts';
import { atEndOfFile } from '#test/support/end-of-file.ts';
import { s3Server } from '#test/support/s3-server.ts';

const folder = await mkdtemp(join(tmpdir(), 'hearth-objects-'));
atEndOfFile(() => rm(folder, { recursive: true }));
const s3 = await s3Server();
const outbound = openOutbound({ allow: ['127.0.0.0/8'] });
atEndOfFile(async () => outbound.close());
const bucket = openObjects(s3.settings, folder, outbound);

const bytes = randomBytes(20_000_000);
const stored = (part: Buffer) => ({ size: part.length, digest: `sha256:${createHash('sha256').update(part).digest('hex')}` });
/** Sends bytes as an upload brings them, in a buffer that is used again. */
const sending = (part: Buffer) => async (sink: (some: Buffer) => Promise<void>) => {
  const room = Buffer.alloc(65_536);
  for (let at = 0; at < part.length; at += room.length) {
    const length = part.copy(room, 0, at);
    await sink(room.subarray(0, length));
  }
};

async function read(store: ObjectStore, key: string, range?: ByteRange): Promise<Buffer | undefined> {
  const stream = await store.open(key, range);
  return stream && Buffer.concat(await stream.toArray());
}

async function listed(store: ObjectStore): Promise<string[]> {
  const names: string[] = [];
  for await (const batch of store.list()) for (const { group, name } of batch) names.push(`${group}/${name}`);
  return names.sort();
}

describe.each([
  ['a folder', openObjects(undefined, folder, outbound)],
  ['a bucket', bucket],
])('%s', (_name, store) => {
  test('keeps what is put into it, and gives it and its parts', async () => {
    for (const size of [1, 70_000, 8 * 1024 * 1024, bytes.length]) {
      const part = bytes.subarray(0, size);
      expect(await store.put('1/a', sending(part))).toEqual(stored(part));
      expect((await read(store, '1/a'))?.equals(part)).toBe(true);
      await store.remove('1/a');
      expect(await store.open('1/a')).toBeUndefined();
    }
    await store.put('1/b', sending(bytes));
    const middle = await read(store, '1/b', { start: 9_000_000, end: 9_999_999 });
    expect(middle?.equals(bytes.subarray(9_000_000, 10_000_000))).toBe(true);
    expect((await read(store, '1/b', { start: bytes.length - 1, end: bytes.length - 1 }))?.equals(bytes.subarray(-1))).toBe(true);
    await store.remove('1/b');
    await store.remove('1/b');
  });

  test('keeps nothing of what breaks off, and lists and removes groups', async () => {
    const broken = store.put('1/a', async (sink) => {
      await sending(bytes)(sink);
      throw new Error('broken');
    });
    await expect(broken).rejects.toThrow('broken');
    expect(await listed(store)).toEqual([]);
    const small = Buffer.from('small');
    const keys = ['1/a', '1/b', '1/c', '1/d', '10/a', '2/a'];
    for (const key of keys) await store.put(key, sending(small));
    expect(await listed(store)).toEqual(keys);
    await store.removeGroup('1');
    expect(await listed(store)).toEqual(['10/a', '2/a']);
    for (const key of ['10/a', '2/a']) await store.remove(key);
    expect(await listed(store)).toEqual([]);
  });

  test('has no object outside of it', async () => {
    for (const key of ['../a', '1/../../a', 'a', '1/a/b', '/a', '1/a.b']) await expect(store.open(key)).rejects.toThrow('no key');
  });
});

describe('a bucket', () => {
  test('holds the objects below its prefix, by the names that files have', async () => {
    await bucket.put('7/a', sending(bytes.subarray(0, 10)));
    expect(await s3.keys()).toEqual(['hearth/test/7/a']);
    await bucket.remove('7/a');
  });

  test('tries again what failed at the server, and says when it does not answer', async () => {
    const isPart = (method: string, url: string) => method === 'PUT' && url.includes('partNumber=2');
    s3.fail(isPart, 500, 1);
    expect(await bucket.put('1/a', sending(bytes))).toEqual(stored(bytes));
    s3.fail(isPart, 503, 100);
    await expect(bucket.put('1/b', sending(bytes))).rejects.toMatchObject({ kind: 'unavailable' });
    s3.fail(() => false, 500, 0);
    expect([await s3.keys(), await s3.uploads()]).toEqual([['hearth/test/1/a'], []]);
    await bucket.remove('1/a');
    const nobody = openObjects({ ...s3.settings, endpoint: 'http://127.0.0.1:9' }, folder, outbound);
    await expect(nobody.open('1/a')).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test('asks a server that hangs once, and tells the log', async () => {
    const failed: unknown[] = [];
    const times = { timeout: 100, slowestRate: 100_000_000 };
    const hasty = openObjects({ ...s3.settings, ...times, onFailure: (error) => failed.push(error) }, folder, outbound);
    const requests = {
      put: () => hasty.put('1/a', sending(bytes.subarray(0, 9))),
      'put in parts': () => hasty.put('1/a', sending(bytes)),
      open: () => hasty.open('1/a'),
    };
    for (const [name, ask] of Object.entries(requests)) {
      s3.fail(() => true, 'hang', 100);
      await expect(ask(), name).rejects.toMatchObject({ kind: 'unavailable', cause: { kind: 'timeout' } });
      expect(s3.failures(), name).toBe(1);
    }
    s3.fail(() => false, 500, 0);
    expect(failed).toMatchObject([{ kind: 'timeout' }, { kind: 'timeout' }, { kind: 'timeout' }]);
  });

  test('is waited for as long as it takes bytes, up to a bound by their number', async () => {
    const part = bytes.subarray(0, 8 * 1024 * 1024);
    const put = (times: { timeout: number; slowestRate: number }) =>
      openObjects({ ...s3.settings, ...times }, folder, outbound).put('1/a', sending(part));
    const timedOut = { kind: 'unavailable', cause: { kind: 'timeout' } };
    onTestFinished(() => s3.slow(undefined));
    s3.slow(() => sleep(20));
    const before = performance.now();
    expect(await put({ timeout: 1_000, slowestRate: 100_000 })).toEqual(stored(part));
    expect(performance.now() - before).toBeGreaterThan(1_500);
    await bucket.remove('1/a');
    await expect(put({ timeout: 1_000, slowestRate: 100_000_000 })).rejects.toMatchObject(timedOut);
    // One that stops to take bytes is given up at once, though the bound by their number is days away.
    s3.slow(() => new Promise(() => undefined));
    await expect(put({ timeout: 300, slowestRate: 10 })).rejects.toMatchObject(timedOut);
  });

  test('is refused with another key, and nothing is stored', async () => {
    const other = openObjects({ ...s3.settings, secretAccessKey: 'another' }, folder, outbound);
    await expect(other.put('1/a', sending(bytes.subarray(0, 9)))).rejects.toMatchObject({
      kind: 'unavailable',
      cause: { name: 'SignatureDoesNotMatch' },
    });
    expect(await s3.keys()).toEqual([]);
    expect(() => openObjects({ ...s3.settings, accessKeyId: undefined }, folder, outbound)).toThrow('AWS_ACCESS_KEY_ID');
  });

  test('lists uploads that nobody ended, by the time of their last part, and removes them', async () => {
    s3.fail((method, url) => method === 'DELETE' || url.includes('partNumber=2'), 500, 100);
    for (const key of ['3/a', '3/ab', '3/b', '4/a']) await expect(bucket.put(key, sending(bytes))).rejects.toThrow();
    s3.fail(() => false, 500, 0);
    const old = new Date('2026-01-01T00:00:00Z');
    await s3.age(old);
    const found: Date[] = [];
    for await (const batch of bucket.list()) found.push(...batch.map(({ modified }) => modified));
    expect(found).toEqual([old, old, old, old]);
    expect(await listed(bucket)).toEqual(['3/a.partial', '3/ab.partial', '3/b.partial', '4/a.partial']);
    await bucket.remove('3/a.partial');
    expect(await listed(bucket)).toEqual(['3/ab.partial', '3/b.partial', '4/a.partial']);
    await bucket.removeGroup('3');
    await bucket.remove('4/a.partial');
    expect(await s3.uploads()).toEqual([]);
  });
});
