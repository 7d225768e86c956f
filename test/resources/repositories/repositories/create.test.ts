import { expect, test } from 'vitest';
import { fresh, world } from '#test/support/world.ts';

test('a user creates a repository and reads it back', async () => {
  const { as, user } = await world();
  const ada = await user();
  const client = await as(ada);

  const created = await client.post('/user/repos', { name: 'engine', description: 'Steam', private: true, auto_init: true });
  const read = await client.get(`/repos/${ada.login}/ENGINE`);

  expect(created).toMatchObject({
    status: 201,
    body: { name: 'engine', private: true, owner: { login: ada.login }, permissions: { admin: true } },
  });
  expect(read).toMatchObject({ status: 200, body: { id: created.body.id, default_branch: 'main' } });
  expect(created.headers.location).toBe(created.body.url);
});

test('a stranger and nobody learn nothing of a private repository', async () => {
  const { as, user, repo } = await world();
  const secret = await repo(await user(), { visibility: 'private' });
  const path = `/repos/${secret.owner.login}/${secret.name}`;

  for (const who of [await user(), undefined]) {
    const denied = await (await as(who)).get(path);
    const absent = await (await as(who)).get(`/repos/${secret.owner.login}/absent`);
    expect(denied.status).toBe(404);
    expect(denied.body).toEqual(absent.body);
  }
});

test.each([
  [{}, 'name', 'missing_field'],
  [{ name: 'a b' }, 'name', 'invalid'],
  [{ name: 7 }, 'name', 'invalid'],
  [{ name: 'ok', private: 'yes' }, 'private', 'invalid'],
  [{ name: 'ok', description: 'a\u0000b' }, 'description', 'invalid'],
])('refuses %o, naming the field, and writes nothing', async (body, field, code) => {
  const { as, user, unchanged } = await world();
  const client = await as(await user());
  await unchanged(['repositories', 'events'], async () => {
    const reply = await client.post('/user/repos', body);
    expect(reply).toMatchObject({
      status: 422,
      body: { message: 'Validation Failed', errors: [{ resource: 'Repository', field, code }] },
    });
  });
});

test('a rename leaves a redirect that ends when the name is taken anew', async () => {
  const { as, user, repo } = await world();
  const ada = await user();
  const engine = await repo(ada);
  const client = await as(ada);
  const name = fresh('renamed');

  await client.patch(`/repos/${ada.login}/${engine.name}`, { name });
  const moved = await client.get(`/repos/${ada.login}/${engine.name}`);
  await client.post('/user/repos', { name: engine.name });
  const taken = await client.get(`/repos/${ada.login}/${engine.name}`);

  expect(moved.status).toBe(301);
  expect(moved.headers.location).toMatch(new RegExp(`/repos/${ada.login}/${name}$`));
  expect(taken.body.id).not.toBe(engine.id);
});

test('a list costs as many statements for 1 repository as for 60', async () => {
  const { as, user, repo } = await world();
  const [few, many] = [await user(), await user()];
  await repo(few);
  for (let i = 0; i < 60; i++) await repo(many);

  const one = await (await as(few)).get(`/users/${few.login}/repos?per_page=100`);
  const sixty = await (await as(many)).get(`/users/${many.login}/repos?per_page=100`);

  expect(one.body).toHaveLength(1);
  expect(sixty.body).toHaveLength(60);
});

test('topics are read page by page', async () => {
  const { as, user, repo } = await world();
  const ada = await user();
  const engine = await repo(ada);
  const client = await as(ada);
  const path = `/repos/${ada.login}/${engine.name}/topics`;
  await client.put(path, { names: ['steam', 'engines', 'rail'] });

  expect(await client.get(path)).toMatchObject({ body: { names: ['steam', 'engines', 'rail'] } });
  const second = await client.get(`${path}?per_page=2&page=2`);
  expect(second.body).toEqual({ names: ['rail'] });
  expect(second.headers.link).toContain('page=1>; rel="prev"');
});

test('only organizations have internal repositories', async () => {
  const { as, user, org, repo, unchanged } = await world();
  const ada = await user();
  const own = await repo(ada);
  const shared = await repo(await org(ada), { visibility: 'internal', by: ada });
  const client = await as(ada);
  const refused = {
    status: 422,
    body: { errors: [{ field: 'visibility', message: 'Only organizations have internal repositories' }] },
  };
  await unchanged(['repositories', 'events'], async () => {
    expect(await client.post('/user/repos', { name: fresh('repo'), visibility: 'internal' })).toMatchObject(refused);
    expect(await client.patch(`/repos/${ada.login}/${own.name}`, { visibility: 'internal' })).toMatchObject(refused);
    const moved = await client.post(`/repos/${shared.owner.login}/${shared.name}/transfer`, { new_owner: ada.login });
    expect(moved).toMatchObject(refused);
  });
});

test('a new repository is given to a team of its own organization alone', async () => {
  const { as, user, org, unchanged } = await world();
  const ada = await user();
  const [acme, other] = [await org(ada), await org(ada)];
  const client = await as(ada);
  const [ours, theirs] = await Promise.all(
    [acme, other].map(async ({ login }) => (await client.post(`/orgs/${login}/teams`, { name: 'makers' })).body.id),
  );
  await unchanged(['repositories', 'team_repositories', 'events'], async () => {
    for (const [path, team_id] of [
      [`/orgs/${acme.login}/repos`, theirs],
      ['/user/repos', ours],
    ])
      expect(await client.post(path, { name: fresh('repo'), team_id })).toMatchObject({
        status: 422,
        body: { errors: [{ field: 'team_id', code: 'invalid' }] },
      });
  });
  const { status, body } = await client.post(`/orgs/${acme.login}/repos`, { name: fresh('repo'), team_id: ours });
  expect(status).toBe(201);
  expect((await client.get(`/repos/${body.full_name}/teams`)).body).toMatchObject([{ id: ours }]);
});

test('the default branch is one that is there, and topics are 20 at most', async () => {
  const { as, user, unchanged } = await world();
  const ada = await user();
  const client = await as(ada);
  const { full_name } = (await client.post('/user/repos', { name: fresh('repo'), auto_init: true })).body;
  const names = Array.from({ length: 21 }, (_, at) => `topic-${at}`);
  await unchanged(['repositories', 'events'], async () => {
    const branch = await client.patch(`/repos/${full_name}`, { default_branch: 'absent' });
    expect(branch).toMatchObject({ status: 422, body: { errors: [{ field: 'default_branch', code: 'invalid' }] } });
    expect(await client.put(`/repos/${full_name}/topics`, { names })).toMatchObject({
      status: 422,
      body: { errors: ['names: A repository can have at most 20 topics'] },
    });
  });
  expect((await client.put(`/repos/${full_name}/topics`, { names: names.slice(1) })).status).toBe(200);
});
