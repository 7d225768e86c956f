import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { tidyStore } from '#test/support/tidy-store.ts';
import { world } from '#test/support/world.ts';
import { setting, uploadTo } from './support.ts';

const here = await world({ resourceLimits: { releases: { assetSize: 3_000_000, assets: 3 } } });
const objects = join(dirname(here.hearth.services.git.root), 'objects');
const stored = async (): Promise<string[]> =>
  (await readdir(objects, { recursive: true }).catch(() => [])).filter((name) => name.includes('/')).sort();

async function released(visibility: 'public' | 'private' = 'public', draft = false) {
  const all = await setting(here, visibility);
  const { body } = await all.client.post(all.path, { tag_name: 'v1', draft });
  const upload = (name: string, bytes: string | Uint8Array<ArrayBuffer>, type?: string) =>
    uploadTo(here, all.owner, `${all.path}/${body.id}/assets?name=${encodeURIComponent(name)}`, bytes, type);
  return { ...all, release: body, at: `${all.path}/${body.id}`, upload };
}

const bytes = randomBytes(2_500_000);
const sha = createHash('sha256').update(bytes).digest('hex');

test('a small file, whose end arrives with it, is stored whole', async () => {
  const { client, upload } = await released();
  for (let at = 0; at < 40; at++) {
    const { status, body } = await upload(`small-${at}`, 'bytes');
    expect([status, body.size]).toEqual([201, 5]);
    await client.delete(new URL(String(body.url)).pathname.replace('/api/v3', ''));
  }
});

test('a file is uploaded, described, downloaded and counted', async () => {
  const { client, owner, repo, upload, at, path } = await released();
  const uploaded = await upload('my engine (1).zip', bytes, 'application/zip');
  expect(uploaded).toMatchObject({
    status: 201,
    body: {
      name: 'my.engine.1.zip',
      label: null,
      state: 'uploaded',
      content_type: 'application/zip',
      size: bytes.length,
      digest: `sha256:${sha}`,
      download_count: 0,
      uploader: { login: owner.login },
      browser_download_url: `${here.url}/${owner.login}/${repo.name}/releases/download/v1/my.engine.1.zip`,
    },
  });
  const { id, browser_download_url } = uploaded.body;
  expect((await client.get(`${at}/assets`)).body).toEqual([uploaded.body]);
  expect((await client.get(at)).body.assets).toEqual([uploaded.body]);
  const asset = `${path}/assets/${id}`;
  expect(await client.get(asset)).toMatchObject({ status: 200, body: uploaded.body });

  const token = await here.token(owner);
  const headers = { authorization: `Bearer ${token}`, accept: 'application/octet-stream' };
  const direct = await fetch(`${here.url}/api/v3${asset}`, { headers });
  expect(Buffer.from(await direct.arrayBuffer()).equals(bytes)).toBe(true);
  expect(direct.headers.get('content-type')).toBe('application/octet-stream');
  const page = await fetch(browser_download_url);
  expect(Buffer.from(await page.arrayBuffer()).equals(bytes)).toBe(true);
  expect(page.headers.get('content-disposition')).toBe('attachment; filename=my.engine.1.zip');
  expect(page.headers.get('etag')).toBe(`"${sha}"`);
  expect(page.headers.get('content-length')).toBe(String(bytes.length));
  const latest = await fetch(`${here.url}/${owner.login}/${repo.name}/releases/latest/download/my.engine.1.zip`);
  expect(latest.url).toBe(browser_download_url);
  await latest.arrayBuffer();
  expect((await client.get(asset)).body.download_count).toBe(3);

  const changed = await client.patch(asset, { name: 'engine.zip', label: 'The engine' });
  expect(changed).toMatchObject({ status: 200, body: { name: 'engine.zip', label: 'The engine' } });
  expect((await fetch(browser_download_url)).status).toBe(404);
  expect((await client.delete(asset)).status).toBe(204);
  expect((await client.get(asset)).status).toBe(404);
  expect((await fetch(changed.body.browser_download_url)).status).toBe(404);
  expect(await stored()).toEqual([]);
});

test('a download goes on where it broke off', async () => {
  const { upload } = await released();
  const { browser_download_url: address, id: _id } = (await upload('a.bin', bytes)).body;
  const ask = async (headers: Record<string, string>, method = 'GET') => {
    const reply = await fetch(address, { headers, method });
    return { status: reply.status, headers: reply.headers, body: Buffer.from(await reply.arrayBuffer()) };
  };
  const etag = `"${sha}"`;
  const rest = await ask({ range: 'bytes=1000000-', 'if-range': etag });
  expect(rest.status).toBe(206);
  expect(rest.headers.get('content-range')).toBe(`bytes 1000000-2499999/2500000`);
  expect(rest.body.equals(bytes.subarray(1_000_000))).toBe(true);
  expect((await ask({ range: 'bytes=-5' })).body.equals(bytes.subarray(-5))).toBe(true);
  expect((await ask({ range: 'bytes=0-0' })).body.equals(bytes.subarray(0, 1))).toBe(true);
  expect(await ask({ range: 'bytes=5-', 'if-range': '"another"' })).toMatchObject({ status: 200 });
  const beyond = await ask({ range: 'bytes=2500000-' });
  expect(beyond.status).toBe(416);
  expect(beyond.headers.get('content-range')).toBe('bytes */2500000');
  expect((await ask({ range: 'bytes=0-1,5-6' })).status).toBe(200);
  expect((await ask({ 'if-none-match': etag })).status).toBe(304);
  const head = await ask({}, 'HEAD');
  expect(head).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  expect(head.headers.get('content-length')).toBe('2500000');
  expect(head.headers.get('accept-ranges')).toBe('bytes');
});

test('files of private repositories and of drafts are for those who may have them', async () => {
  for (const [visibility, draft] of [
    ['private', false],
    ['public', true],
  ] as const) {
    const { owner, upload, repo, path } = await released(visibility, draft);
    const { browser_download_url: address, id } = (await upload('a.txt', 'secret')).body;
    const as = async (token: string | undefined) =>
      fetch(address, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
    expect(await (await as(await here.token(owner))).text()).toBe('secret');
    expect((await as(undefined)).status).toBe(draft ? 404 : 401);
    expect((await as(await here.token(await here.user()))).status).toBe(404);
    const reader = await here.user();
    await here.collaborator(repo, reader, 'read');
    expect((await as(await here.token(reader))).status).toBe(draft ? 404 : 200);
    const bytesOf = { headers: { accept: 'application/octet-stream' } };
    expect((await (await here.as(reader)).get(`${path}/assets/${id}`, bytesOf)).status).toBe(draft ? 404 : 200);
  }
});

test('what is refused leaves no file', async () => {
  const { client, upload, at, owner, path, repo } = await released();
  const before = await stored();
  expect(await upload('', 'x')).toMatchObject({ status: 422, body: { errors: [{ field: 'name' }] } });
  expect(await upload('...', 'x')).toMatchObject({ status: 422, body: { errors: [{ field: 'name', code: 'invalid' }] } });
  expect(await upload('a', '')).toMatchObject({ status: 422, body: { errors: [{ field: 'size' }] } });
  expect((await upload('a', new Uint8Array(3_000_001))).status).toBe(413);
  expect(await stored()).toEqual(before);
  expect((await upload('a', new Uint8Array(3_000_000))).status).toBe(201);
  expect(await upload('a', 'x')).toMatchObject({
    status: 422,
    body: { errors: [{ resource: 'ReleaseAsset', code: 'already_exists', field: 'name' }] },
  });
  const same = await Promise.all([1, 2, 3].map(() => upload('b', 'x')));
  expect(same.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
  const { body: b } = same.find(({ status }) => status === 201) ?? { body: {} };
  expect(await client.patch(`${path}/assets/${b.id}`, { name: 'a' })).toMatchObject({ status: 422 });
  await upload('c', 'x');
  expect(await upload('d', 'x')).toMatchObject({ status: 422, body: { message: expect.stringContaining('at most 3') } });
  const reader = await here.user();
  expect((await uploadTo(here, reader, `${at}/assets?name=e`, 'x')).status).toBe(403);
  expect((await stored()).length).toBe(before.length + 3);
  expect((await client.delete(at)).status).toBe(204);
  expect(await stored()).toEqual(before);
  expect((await client.get(`/repos/${owner.login}/${repo.name}/tags`)).body.length).toBe(1);
});

test('an upload that breaks off, or has more bytes than allowed without saying so, leaves nothing', async () => {
  const { owner, at, client } = await released();
  const before = await stored();
  const authorization = `Bearer ${await here.token(owner)}`;
  const begin = (end: (sending: ReturnType<typeof request>) => void) =>
    new Promise<number | undefined>((resolve) => {
      const sending = request(`${here.url}/api/v3${at}/assets?name=x`, { method: 'POST', headers: { authorization } });
      sending.on('response', ({ statusCode }) => resolve(statusCode)).on('error', () => resolve(undefined));
      end(sending);
    });
  const broken = begin((sending) => {
    sending.write(Buffer.alloc(200_000), () => setTimeout(() => sending.destroy(), 100));
  });
  expect(await broken).toBeUndefined();
  await expect.poll(stored).toEqual(before);
  const tooMuch = begin((sending) => {
    for (let n = 0; n < 4; n++) sending.write(Buffer.alloc(1_000_000));
    sending.end();
  });
  expect(await tooMuch).toBe(413);
  await expect.poll(stored).toEqual(before);
  expect((await client.get(`${at}/assets`)).body).toEqual([]);
});

test('a deleted repository takes its files along, and what belongs to nothing is tidied up after an hour', async () => {
  const { client, base, repo, upload } = await released();
  await upload('a.txt', 'a');
  const kept = await released();
  await kept.upload('b.txt', 'b');
  const before = await stored();
  expect((await client.delete(base)).status).toBe(204);
  await here.settle();
  const after = await stored();
  expect(after).toEqual(before.filter((name) => !name.startsWith(`${repo.id}/`)));
  await mkdir(join(objects, '999999'));
  const [old, young] = [join(objects, '999999', 'a.partial'), join(objects, '999999', 'b')];
  for (const file of [old, young]) await writeFile(file, 'left');
  const twoHoursAgo = Date.now() / 1_000 - 7_200;
  await utimes(old, twoHoursAgo, twoHoursAgo);
  for (const name of after) await utimes(join(objects, name), twoHoursAgo, twoHoursAgo);
  await tidyStore(here);
  expect(await stored()).toEqual([...after, '999999/b'].sort());
});
