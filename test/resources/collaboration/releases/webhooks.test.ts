import { expect, test } from 'vitest';
import { heard, listening, parts } from '#test/resources/platform/webhooks/listening.ts';
import { commitFiles } from '#test/support/commit.ts';
import { uploadTo } from './support.ts';

const { here, owner, org, client, target } = await listening();
const repo = await here.repo(org, { by: owner });
await commitFiles(here, repo, { 'a.txt': 'a' });
const path = `/repos/${org.login}/${repo.name}/releases`;
const told = () => heard(here, target);
await told();

test('hooks are told of each thing that happens to a release, as the public schemas describe it', async () => {
  const { body } = await client.post(path, { tag_name: 'v1', name: 'One', draft: true, prerelease: true });
  const at = `${path}/${body.id}`;
  expect(await told()).toMatchObject({
    'release.created': { release: { tag_name: 'v1', draft: true, assets: [] }, ...parts(org, owner) },
  });
  await uploadTo(here, owner, `${at}/assets?name=a.txt`, 'a');
  await client.patch(at, { draft: false, body: 'Notes' });
  const published = await told();
  expect(Object.keys(published).sort()).toEqual(['create', 'push', 'release.edited', 'release.prereleased', 'release.published']);
  expect(published['release.published'].release).toMatchObject({ draft: false, assets: [{ name: 'a.txt' }] });
  expect(published['release.edited'].changes).toEqual({ body: { from: '' } });
  await client.patch(at, { prerelease: false });
  expect(Object.keys(await told()).sort()).toEqual(['release.edited', 'release.released']);
  await client.patch(at, { make_latest: 'false' });
  expect((await told())['release.edited'].changes).toEqual({ make_latest: { to: false } });
  await client.patch(at, { draft: true });
  expect(Object.keys(await told())).toEqual(['release.unpublished']);
  await client.delete(at);
  expect(await told()).toMatchObject({ 'release.deleted': { release: { name: 'One', assets: [{ name: 'a.txt' }] } } });
});

test('the public words: a release, its files and its notes', async () => {
  const { body } = await client.post(path, { tag_name: 'v2' });
  await uploadTo(here, owner, `${path}/${body.id}/assets?name=a.txt`, 'a');
  expect((await client.get(path)).body[0]).toMatchObject({ tag_name: 'v2', assets: [{ name: 'a.txt', state: 'uploaded' }] });
  const { assets } = (await client.get(`${path}/latest`)).body;
  expect(await client.get(`${path}/assets/${assets[0].id}`)).toMatchObject({ status: 200, body: assets[0] });
  expect((await client.post(`${path}/generate-notes`, { tag_name: 'v3' })).status).toBe(200);
});
