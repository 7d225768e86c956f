import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { heard, listening } from '#test/resources/platform/webhooks/listening.ts';
import { sshKey } from '#test/support/ssh-key.ts';
import { world } from '#test/support/world.ts';

const { here, owner, org, client, target } = await listening();
const newKey = () => sshKey(randomBytes(32));
const keysOf = (repo: { name: string }) => `/repos/${org.login}/${repo.name}/keys`;
const inUse = {
  status: 422,
  body: { errors: [{ resource: 'PublicKey', field: 'key', code: 'already_exists', message: 'key is already in use' }] },
};

test('a deploy key is added, read, listed and deleted, and hooks are told', async () => {
  const repo = await here.repo(org, { by: owner });
  const key = newKey();
  await heard(here, target);
  const made = await client.post(keysOf(repo), { title: 'build', key: `${key} a comment`, read_only: true });
  expect(made).toMatchObject({
    status: 201,
    body: { title: 'build', key, read_only: true, verified: true, added_by: owner.login, last_used: null, enabled: true },
  });
  expect(made.body.url).toBe(`${here.url}/api/v3${keysOf(repo)}/${made.body.id}`);
  const path = `${keysOf(repo)}/${made.body.id}`;
  expect((await client.get(path)).body).toEqual(made.body);
  const second = await client.post(keysOf(repo), { key: newKey() });
  expect(second.body).toMatchObject({ title: '', read_only: false });
  expect((await client.get(`${keysOf(repo)}?per_page=1&page=2`)).body).toEqual([second.body]);
  expect((await heard(here, target))['deploy_key.created']).toMatchObject({
    key: { id: second.body.id },
    repository: { name: repo.name },
    sender: { login: owner.login },
  });
  expect((await client.delete(path)).status).toBe(204);
  expect((await heard(here, target))['deploy_key.deleted'].key).toEqual(made.body);
  expect((await client.get(path)).status).toBe(404);
});

test('a key is there once, over all users and repositories, until it is deleted', async () => {
  const [one, other] = [await here.repo(org, { by: owner }), await here.repo(org, { by: owner })];
  const user = await here.user();
  const users = await here.as(user);
  const key = newKey();
  const { body } = await client.post(keysOf(one), { key });
  expect(await client.post(keysOf(one), { key })).toMatchObject(inUse);
  expect(await client.post(keysOf(other), { key: `${key} again` })).toMatchObject(inUse);
  expect(await users.post('/user/keys', { key })).toMatchObject(inUse);
  expect((await users.get('/user/keys')).body).toEqual([]);
  expect((await users.get(`/user/keys/${body.id}`)).status).toBe(404);
  expect((await users.delete(`/user/keys/${body.id}`)).status).toBe(404);
  expect((await client.get(`${keysOf(other)}/${body.id}`)).status).toBe(404);
  await client.delete(`/repos/${org.login}/${one.name}`);
  const again = await users.post('/user/keys', { key });
  expect(again.status).toBe(201);
  expect(await client.post(keysOf(other), { key })).toMatchObject(inUse);
  expect((await client.get(`${keysOf(other)}/${again.body.id}`)).status).toBe(404);
});

test('of concurrent requests with the same key, one is answered with it', async () => {
  const repos = await Promise.all([1, 2, 3, 4].map(() => here.repo(org, { by: owner })));
  const key = newKey();
  const replies = await Promise.all(repos.map((repo) => client.post(keysOf(repo), { key })));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
});

test('who may not administer the repository neither sees nor changes its keys', async () => {
  const repo = await here.repo(org, { by: owner, visibility: 'public' });
  const { body } = await client.post(keysOf(repo), { key: newKey() });
  const writer = await here.user();
  await here.collaborator(repo, writer, 'maintain');
  const theirs = await here.as(writer);
  expect((await theirs.get(keysOf(repo))).status).toBe(404);
  expect((await theirs.get(`${keysOf(repo)}/${body.id}`)).status).toBe(404);
  await here.unchanged(['public_keys', 'events'], async () => {
    expect((await theirs.post(keysOf(repo), { key: newKey() })).status).toBe(403);
    expect((await theirs.delete(`${keysOf(repo)}/${body.id}`)).status).toBe(403);
    expect((await client.post(keysOf(repo), { key: 'ssh-ed25519 AAAA' })).status).toBe(422);
    expect((await client.post(keysOf(repo), { title: 'no key' })).status).toBe(422);
  });
});

test('a list of a hundred keys takes as many statements as one of one', async () => {
  const { statements } = await world();
  const repo = await here.repo(org, { by: owner });
  await client.post(keysOf(repo), { key: newKey() });
  const one = await statements(owner, `${keysOf(repo)}?per_page=100`);
  for (let count = 1; count < 100; count++) await client.post(keysOf(repo), { key: newKey() });
  expect(await statements(owner, `${keysOf(repo)}?per_page=100`)).toBe(one);
});
