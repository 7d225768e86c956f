import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { repoOf } from '#git/store.ts';
import { writeMarker } from '#lib/folder-marker.ts';
import { world } from '#test/support/world.ts';

const installation = 'c0ffee00-0000-4000-8000-000000000000';
const here = await world({ installation });
const { git } = here.hearth.services;
const objects = join(dirname(git.root), 'objects');
await mkdir(objects);
for (const folder of [git.root, objects]) await writeMarker(folder, installation);

const ready = async () => {
  const reply = await fetch(`${here.url}/readyz`);
  return [reply.status, (await reply.text()).trim()];
};

/** A repository with a commit, and the ways to read it. */
async function readable() {
  const ada = await here.user();
  const repo = await here.repo(ada);
  const client = await here.as(ada);
  const path = `/repos/${ada.login}/${repo.name}`;
  await client.put(`${path}/contents/a.txt`, { message: 'A file', content: 'eA==' });
  const token = await here.token(ada);
  const api = (route: string) => [`${here.url}/api/v3${path}${route}`, `Bearer ${token}`] as const;
  const basic = `Basic ${Buffer.from(`x:${token}`).toString('base64')}`;
  const service = (name: string) => [`${here.url}/${ada.login}/${repo.name}.git/info/refs?service=${name}`, basic] as const;
  const requests = {
    contents: api('/contents/a.txt?ref=main'),
    branches: api('/branches'),
    tree: api('/git/trees/main?recursive=1'),
    archive: api('/tarball/main'),
    clone: service('git-upload-pack'),
    push: service('git-receive-pack'),
  };
  /** The status of each way. Readers that are open already, and what they remember, are given up first. */
  const statuses = async () => {
    await git.readers.closeAll();
    const replies = Object.entries(requests).map(async ([name, [url, authorization]]) => {
      const reply = await fetch(url, { headers: { authorization }, redirect: 'follow' });
      await reply.arrayBuffer();
      return [name, reply.status];
    });
    return Object.fromEntries(await Promise.all(replies));
  };
  const all = (status: number) => Object.fromEntries(Object.keys(requests).map((name) => [name, status]));
  return { repo, statuses, all };
}

/** Moves a folder away, as a volume that vanishes, until the test has ended or `restore` is called. */
async function lose(folder: string): Promise<() => Promise<void>> {
  await rename(folder, `${folder}.lost`);
  let isLost = true;
  const restore = async () => {
    if (!isLost) return;
    isLost = false;
    await rm(folder, { recursive: true, force: true });
    await rename(`${folder}.lost`, folder);
  };
  onTestFinished(restore);
  return restore;
}

test.each(['is gone', 'is an empty mount point'])(
  'a folder of repositories that %s is 503, not 404, until it is back',
  async (how) => {
    const { statuses, all } = await readable();
    expect(await statuses()).toEqual(all(200));
    expect(await ready()).toEqual([200, 'ok']);
    const restore = await lose(git.root);
    if (how !== 'is gone') await mkdir(git.root);
    expect(await statuses()).toEqual(all(503));
    expect(await ready()).toEqual([503, 'the folder of the repositories cannot be read']);
    const created = await fetch(`${here.url}/api/v3/user/repos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await here.token(await here.user())}` },
      body: JSON.stringify({ name: 'another' }),
    });
    expect(created.status).toBe(503);
    await restore();
    expect(await statuses()).toEqual(all(200));
    expect(await ready()).toEqual([200, 'ok']);
  },
);

test('the folder of another installation is not ready', async () => {
  await writeMarker(git.root, 'another');
  onTestFinished(() => writeMarker(git.root, installation));
  expect(await ready()).toEqual([503, 'the folder of the repositories cannot be read']);
});

test.each(['', 'HEAD'])('one repository that is lost or damaged (%s) is 503, and the server stays ready', async (part) => {
  const { repo, statuses, all } = await readable();
  await lose(join(repoOf(git, repo.id).path, part).replace(/\/$/, ''));
  expect(await statuses()).toEqual(all(503));
  expect(await ready()).toEqual([200, 'ok']);
});

test('a store of files that is lost is 503, and takes no files', async () => {
  const ada = await here.user();
  const repo = await here.repo(ada);
  const client = await here.as(ada);
  const path = `/repos/${ada.login}/${repo.name}`;
  await client.put(`${path}/contents/a.txt`, { message: 'A file', content: 'eA==' });
  const { body: release } = await client.post(`${path}/releases`, { tag_name: 'v1' });
  const authorization = `Bearer ${await here.token(ada)}`;
  const upload = () =>
    fetch(`${here.url}/api/v3${path}/releases/${release.id}/assets?name=${Math.random()}.txt`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'text/plain' },
      body: 'bytes',
    });
  const asset = (await (await upload()).json()) as { url: string };
  const download = () => fetch(asset.url, { headers: { authorization, accept: 'application/octet-stream' } });
  expect((await download()).status).toBe(200);
  const restore = await lose(objects);
  await mkdir(objects);
  expect([(await download()).status, (await upload()).status]).toEqual([503, 503]);
  expect(await ready()).toEqual([503, 'the store of files cannot be read']);
  await restore();
  expect([(await download()).status, (await upload()).status]).toEqual([200, 201]);
});
