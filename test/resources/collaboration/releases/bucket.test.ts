// Files of releases whose bytes lie in a bucket; what stores of objects do by themselves is in test/objects.
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { s3Server } from '#test/support/s3-server.ts';
import { tidyStore } from '#test/support/tidy-store.ts';
import { world } from '#test/support/world.ts';
import { setting, uploadTo } from './support.ts';

const s3 = await s3Server();
const here = await world({ objects: s3.settings });
const bytes = randomBytes(17_000_000);

async function released() {
  const all = await setting(here);
  const { body } = await all.client.post(all.path, { tag_name: 'v1' });
  const at = `${all.path}/${body.id}`;
  const upload = (name: string, content: string | Uint8Array<ArrayBuffer>) =>
    uploadTo(here, all.owner, `${at}/assets?name=${name}`, content);
  return { ...all, at, upload };
}

test('a file is uploaded in parts, downloaded whole and from the middle, and deleted', async () => {
  const { client, repo, path, upload } = await released();
  const { status, body } = await upload('a.bin', bytes);
  const digest = createHash('sha256').update(bytes).digest('hex');
  expect([status, body.size, body.digest]).toEqual([201, bytes.length, `sha256:${digest}`]);
  expect(await s3.keys()).toEqual([expect.stringMatching(`^hearth/test/${repo.id}/[0-9a-f]{32}$`)]);
  const { browser_download_url: address } = body;
  expect(Buffer.from(await (await fetch(address)).arrayBuffer()).equals(bytes)).toBe(true);
  const rest = await fetch(address, { headers: { range: 'bytes=9000000-', 'if-range': `"${digest}"` } });
  expect([rest.status, rest.headers.get('content-range')]).toEqual([206, 'bytes 9000000-16999999/17000000']);
  expect(Buffer.from(await rest.arrayBuffer()).equals(bytes.subarray(9_000_000))).toBe(true);
  expect((await client.delete(`${path}/assets/${body.id}`)).status).toBe(204);
  expect(await s3.keys()).toEqual([]);
});

test('what is refused, breaks off or meets a store that does not answer leaves nothing', async () => {
  const { client, owner, at, upload } = await released();
  expect((await upload('a', 'x')).status).toBe(201);
  expect((await upload('a', 'y')).status).toBe(422);
  expect((await upload('b', '')).status).toBe(422);
  const before = await s3.keys();
  const authorization = `Bearer ${await here.token(owner)}`;
  const sending = request(`${here.url}/api/v3${at}/assets?name=x`, { method: 'POST', headers: { authorization } });
  const broken = new Promise((resolve) => sending.on('error', resolve));
  sending.write(bytes);
  await expect.poll(() => s3.uploads()).toHaveLength(1);
  sending.destroy();
  await broken;
  await expect.poll(() => s3.uploads()).toEqual([]);
  s3.fail(() => true, 503, 1_000);
  expect(await upload('c', 'x')).toMatchObject({ status: 503, body: { message: expect.stringContaining('store of files') } });
  const { body } = await client.get(`${at}/assets`);
  expect((await fetch(body[0].browser_download_url)).status).toBe(503);
  s3.fail(() => false, 500, 0);
  expect(body.map(({ name }: { name: string }) => name)).toEqual(['a']);
  expect(await s3.keys()).toEqual(before);
});

test('files go with their repository, and an hour later what belongs to none', async () => {
  const { client, base, upload } = await released();
  const kept = await released();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await upload(name, name);
  await kept.upload('a', 'kept');
  const { objects } = here.hearth.services;
  const [mine] = (await s3.keys()).filter((key) => key.startsWith(`hearth/test/${kept.repo.id}/`));
  expect((await client.delete(base)).status).toBe(204);
  await here.settle();
  expect((await s3.keys()).filter((key) => key.includes(mine ?? 'none'))).toHaveLength(1);
  await objects.put('999999/a', (sink) => sink(Buffer.from('left')));
  s3.fail((method) => method === 'DELETE', 500, 100);
  const cutOff = objects.put('999999/b', async (sink) => {
    await sink(bytes);
    throw new Error('cut off');
  });
  await expect(cutOff).rejects.toThrow('cut off');
  s3.fail(() => false, 500, 0);
  await tidyStore(here);
  expect([(await s3.keys()).at(-1), await s3.uploads()]).toEqual(['hearth/test/999999/a', ['hearth/test/999999/b']]);
  await s3.age(new Date(Date.now() - 7_200_000));
  await tidyStore(here);
  expect([(await s3.keys()).filter((key) => key.includes('999999')), await s3.uploads()]).toEqual([[], []]);
  expect(await s3.keys()).toContain(mine);
});
