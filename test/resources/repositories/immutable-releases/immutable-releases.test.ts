import { expect, test } from 'vitest';
import type { RepositoryRow } from '#access/viewer.ts';
import { fresh, world } from '#test/support/world.ts';

const here = await world();
const tables = ['repository_selections', 'selected_repositories', 'immutable_release_rules', 'immutable_release_repositories'];

async function setting() {
  const owner = await here.user();
  const org = await here.org(owner);
  const engine = await here.repo(org, { name: fresh('engine'), by: owner, visibility: 'private' });
  const wheel = await here.repo(org, { name: fresh('wheel'), by: owner });
  const client = await here.as(owner);
  const path = `/orgs/${org.login}/settings/immutable-releases`;
  const ofRepo = ({ name }: RepositoryRow) => `/repos/${org.login}/${name}/immutable-releases`;
  return { owner, org, engine, wheel, client, path, ofRepo };
}

test('a repository enables it, reads it and disables it', async () => {
  const { client, engine, ofRepo } = await setting();
  expect((await client.get(ofRepo(engine))).status).toBe(404);
  expect((await client.put(ofRepo(engine))).status).toBe(204);
  expect((await client.put(ofRepo(engine))).status).toBe(204);
  expect(await client.get(ofRepo(engine))).toMatchObject({ status: 200, body: { enabled: true, enforced_by_owner: false } });
  expect((await client.delete(ofRepo(engine))).status).toBe(204);
  expect((await client.get(ofRepo(engine))).status).toBe(404);
});

test('an organization enforces it for all, for none and for selected repositories', async () => {
  const { client, engine, wheel, path, ofRepo } = await setting();
  const enforced = async (repo: RepositoryRow) => (await client.get(ofRepo(repo))).body.enforced_by_owner === true;
  expect(await client.get(path)).toMatchObject({ status: 200, body: { enforced_repositories: 'none' } });

  expect((await client.put(path, { enforced_repositories: 'all' })).status).toBe(204);
  expect(await client.get(path)).toMatchObject({ body: { enforced_repositories: 'all' } });
  expect([await enforced(engine), await enforced(wheel)]).toEqual([true, true]);

  const selected = { enforced_repositories: 'selected', selected_repository_ids: [engine.id] };
  expect((await client.put(path, selected)).status).toBe(204);
  const { body } = await client.get(path);
  expect(body).toEqual({
    enforced_repositories: 'selected',
    selected_repositories_url: expect.stringMatching(new RegExp(`/api/v3${path}/repositories$`)),
  });
  expect([await enforced(engine), await enforced(wheel)]).toEqual([true, false]);

  expect((await client.put(path, { enforced_repositories: 'none' })).status).toBe(204);
  expect([await enforced(engine), await enforced(wheel)]).toEqual([false, false]);
});

test('selected repositories are listed, set, added and removed one by one', async () => {
  const { client, engine, wheel, path } = await setting();
  const listed = async () => (await client.get(`${path}/repositories`)).body;
  expect(await listed()).toEqual({ total_count: 0, repositories: [] });
  await client.put(path, { enforced_repositories: 'selected', selected_repository_ids: [engine.id] });
  expect((await client.put(`${path}/repositories/${wheel.id}`)).status).toBe(204);
  expect((await client.put(`${path}/repositories/${wheel.id}`)).status).toBe(204);
  expect(await listed()).toMatchObject({ total_count: 2, repositories: [{ id: engine.id }, { id: wheel.id }] });
  expect((await client.delete(`${path}/repositories/${engine.id}`)).status).toBe(204);
  expect((await client.delete(`${path}/repositories/${engine.id}`)).status).toBe(204);
  expect(await listed()).toMatchObject({ total_count: 1, repositories: [{ id: wheel.id }] });
  expect((await client.put(`${path}/repositories`, { selected_repository_ids: [engine.id] })).status).toBe(204);
  expect(await listed()).toMatchObject({ total_count: 1, repositories: [{ id: engine.id }] });
  expect((await client.put(`${path}/repositories`, { selected_repository_ids: [] })).status).toBe(204);
  expect(await listed()).toEqual({ total_count: 0, repositories: [] });
});

test('repositories can’t be selected while the setting isn’t for selected ones', async () => {
  const { client, engine, path } = await setting();
  const refused = async () => [
    (await client.put(`${path}/repositories`, { selected_repository_ids: [engine.id] })).status,
    (await client.put(`${path}/repositories/${engine.id}`)).status,
    (await client.delete(`${path}/repositories/${engine.id}`)).status,
  ];
  await here.unchanged(tables, async () => expect(await refused()).toEqual([409, 409, 409]));
  await client.put(path, { enforced_repositories: 'all' });
  await here.unchanged(tables, async () => expect(await refused()).toEqual([409, 409, 409]));
});

test('a repository of somebody else can’t be selected, and changes nothing', async () => {
  const { client, path } = await setting();
  const other = await setting();
  await client.put(path, { enforced_repositories: 'selected', selected_repository_ids: [] });
  await here.unchanged(tables, async () => {
    const ids = { selected_repository_ids: [other.engine.id] };
    const errors = [{ resource: 'RepositorySelection', field: 'selected_repository_ids', code: 'invalid' }];
    expect(await client.put(`${path}/repositories`, ids)).toMatchObject({ status: 422, body: { errors } });
    expect((await client.put(path, { enforced_repositories: 'selected', ...ids })).status).toBe(422);
    expect((await client.put(path, { enforced_repositories: 'all', selected_repository_ids: [1] })).status).toBe(422);
    expect((await client.put(`${path}/repositories/${other.engine.id}`)).status).toBe(404);
  });
});

test('what the organization enforces, a repository can neither enable nor disable', async () => {
  const { client, engine, path, ofRepo } = await setting();
  await client.put(ofRepo(engine));
  await client.put(path, { enforced_repositories: 'all' });
  await here.unchanged(tables, async () => {
    expect((await client.put(ofRepo(engine))).status).toBe(409);
    expect((await client.delete(ofRepo(engine))).status).toBe(409);
  });
  await client.put(path, { enforced_repositories: 'none' });
  expect(await client.get(ofRepo(engine))).toMatchObject({ body: { enabled: true, enforced_by_owner: false } });
});

test('a repository that goes to another owner isn’t selected any more, also when it comes back', async () => {
  const { owner, org, client, engine, path } = await setting();
  const other = await here.org(owner);
  await client.put(path, { enforced_repositories: 'selected', selected_repository_ids: [engine.id] });
  await client.post(`/repos/${org.login}/${engine.name}/transfer`, { new_owner: other.login });
  expect((await client.get(`${path}/repositories`)).body).toEqual({ total_count: 0, repositories: [] });
  await here.settle();
  await client.post(`/repos/${other.login}/${engine.name}/transfer`, { new_owner: org.login });
  expect((await client.get(`${path}/repositories`)).body).toEqual({ total_count: 0, repositories: [] });
});

test('a fine-grained token selects and sees only what it reaches; a list costs the same for 1 and for 12', async () => {
  const { owner, org, client, engine, wheel, path } = await setting();
  await client.put(path, { enforced_repositories: 'selected', selected_repository_ids: [engine.id] });
  const permissions = { organization_administration: 'write' };
  const narrow = await here.as(await here.fineGrained(owner, org, permissions, [wheel]));
  expect((await narrow.put(`${path}/repositories/${engine.id}`)).status).toBe(404);
  expect((await narrow.put(`${path}/repositories/${wheel.id}`)).status).toBe(204);
  expect((await narrow.get(`${path}/repositories`)).body.total_count).toBe(1);

  const few = await here.statements(owner, `${path}/repositories`);
  for (let count = 0; count < 10; count++) {
    const repo = await here.repo(org, { name: fresh('more'), by: owner });
    await client.put(`${path}/repositories/${repo.id}`);
  }
  expect((await client.get(`${path}/repositories`)).body.total_count).toBe(12);
  expect(await here.statements(owner, `${path}/repositories`)).toBe(few);
});
