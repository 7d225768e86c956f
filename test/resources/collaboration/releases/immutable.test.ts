import { expect, test } from 'vitest';
import { git, scratch } from '#test/git/support.ts';
import { addressOf } from '#test/server/git-http/support.ts';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';
import { setting, uploadTo } from './support.ts';

const here = await world();

test('what is published where releases are immutable stays as it is', async () => {
  const { client, base, path, owner, repo, first } = await setting(here);
  const { body: earlier } = await client.post(path, { tag_name: 'v0' });
  await client.put(`${base}/immutable-releases`);
  const { body } = await client.post(path, { tag_name: 'v1', name: 'One', draft: true });
  expect(body.immutable).toBe(false);
  const at = `${path}/${body.id}`;
  const asset = (await uploadTo(here, owner, `${at}/assets?name=a.txt`, 'a')).body;
  expect((await client.patch(at, { draft: false })).body).toMatchObject({ immutable: true, draft: false });
  await client.delete(`${base}/immutable-releases`);
  await here.unchanged(['releases', 'release_assets', 'events'], async () => {
    for (const change of [{ tag_name: 'v2' }, { name: 'Two' }, { body: 'x' }, { draft: true }, { prerelease: true }])
      expect((await client.patch(at, change)).status).toBe(422);
    expect((await uploadTo(here, owner, `${at}/assets?name=b.txt`, 'b')).status).toBe(422);
    expect((await client.patch(`${path}/assets/${asset.id}`, { name: 'b.txt' })).status).toBe(422);
    expect((await client.delete(`${path}/assets/${asset.id}`)).status).toBe(422);
  });
  const tag = `${base}/git/refs/tags/v1`;
  expect((await client.delete(tag)).status).toBe(422);
  const second = await commitFiles(here, repo, { 'b.txt': 'b' });
  expect((await client.patch(tag, { sha: second, force: true })).status).toBe(422);
  const clone = await scratch();
  await git(clone, 'clone', '-q', addressOf(here, repo, await here.token(owner)), '.');
  await git(clone, 'branch', 'other');
  const pushed = git(clone, 'push', '--force', 'origin', 'HEAD:refs/tags/v1', 'other');
  await expect(pushed).rejects.toThrow(/immutable release/);
  expect((await client.get(`${base}/git/ref/tags/v1`)).body.object.sha).toBe(first);
  expect((await client.get(`${base}/git/ref/heads/other`)).status).toBe(200);
  expect((await client.patch(`${path}/${earlier.id}`, { name: 'Zero' })).status).toBe(200);
  expect((await client.patch(at, { make_latest: 'false' })).status).toBe(200);
  expect((await client.delete(at)).status).toBe(204);
  expect((await client.delete(tag)).status).toBe(204);
});

test('the tag of an immutable release is never used again, even after the release and the tag were deleted', async () => {
  const { client, base, path, owner, repo, first } = await setting(here);
  await client.put(`${base}/immutable-releases`);
  const release = (await client.post(path, { tag_name: 'v1' })).body;
  await client.delete(`${base}/immutable-releases`);
  expect((await client.delete(`${path}/${release.id}`)).status).toBe(204);
  const second = await commitFiles(here, repo, { 'b.txt': 'b' });
  const used = {
    status: 422,
    body: {
      errors: [{ resource: 'Release', field: 'tag_name', code: 'custom', message: 'tag_name was used by an immutable release' }],
    },
  };
  const draft = (await client.post(path, { tag_name: 'v1', draft: true })).body;
  const other = (await client.post(path, { tag_name: 'v2' })).body;
  const isRefused = async () => {
    expect(await client.post(path, { tag_name: 'v1' })).toMatchObject(used);
    expect(await client.patch(`${path}/${draft.id}`, { draft: false })).toMatchObject(used);
    expect(await client.patch(`${path}/${other.id}`, { tag_name: 'v1' })).toMatchObject(used);
    for (const sha of [first, second])
      expect((await client.post(`${base}/git/refs`, { ref: 'refs/tags/v1', sha })).status).toBe(422);
    expect((await client.patch(`${base}/git/refs/tags/v1`, { sha: second, force: true })).status).toBe(422);
    const clone = await scratch();
    await git(clone, 'clone', '-q', addressOf(here, repo, await here.token(owner)), '.');
    await expect(git(clone, 'push', '--force', 'origin', 'HEAD:refs/tags/v1')).rejects.toThrow(/immutable release/);
  };
  await isRefused();
  expect((await client.get(`${base}/git/ref/tags/v1`)).body.object.sha).toBe(first);
  expect((await client.delete(`${base}/git/refs/tags/v1`)).status).toBe(204);
  await isRefused();
  expect((await client.get(`${base}/git/ref/tags/v1`)).status).toBe(404);
});

test('so it is by the wish of the organization', async () => {
  const owner = await here.user();
  const org = await here.org(owner);
  const client = await here.as(owner);
  await client.put(`/orgs/${org.login}/settings/immutable-releases`, { enforced_repositories: 'all' });
  const repo = await here.repo(org, { by: owner });
  const base = `/repos/${org.login}/${repo.name}`;
  await client.put(`${base}/contents/a.txt`, { message: 'a', content: 'YQ==' });
  expect((await client.post(`${base}/releases`, { tag_name: 'v1' })).body).toMatchObject({ immutable: true });
});
