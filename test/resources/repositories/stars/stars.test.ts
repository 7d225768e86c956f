import { expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const withTimes = { headers: { accept: 'application/vnd.service.star+json' } };
const logins = ({ body }: { body: { login: string }[] }) => body.map(({ login }) => login);
const names = ({ body }: { body: { name: string }[] }) => body.map(({ name }) => name);
const full = (repo: RepositoryRow & { owner: Account }) => `${repo.owner.login}/${repo.name}`;
const starOf = (repo: RepositoryRow & { owner: Account }) => `/user/starred/${full(repo)}`;
const starsIn = async (repo: RepositoryRow & { owner: Account }) => {
  const { body } = await (await w.as(repo.owner)).get(`/repos/${full(repo)}`);
  expect([body.watchers_count, body.watchers]).toEqual([body.stargazers_count, body.stargazers_count]);
  return body.stargazers_count;
};
const countEvents = async (repo: RepositoryRow) => {
  const rows = await w.db.selectFrom('events').select('kind').where('repository_id', '=', repo.id).execute();
  return rows.filter(({ kind }) => kind.endsWith('starred')).length;
};

test('a person stars a repository and takes the star back; both count once, however often they are sent', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const repo = await w.repo(ada);
  const client = await w.as(bob);
  expect((await client.get(starOf(repo))).status).toBe(404);
  for (const _ of [1, 2]) expect((await client.put(starOf(repo))).status).toBe(204);
  expect((await client.get(starOf(repo))).status).toBe(204);
  expect(await starsIn(repo)).toBe(1);
  expect(logins(await client.get(`/repos/${full(repo)}/stargazers`))).toEqual([bob.login]);
  expect(names(await client.get('/user/starred'))).toEqual([repo.name]);
  for (const _ of [1, 2]) expect((await client.delete(starOf(repo))).status).toBe(204);
  expect((await client.get(starOf(repo))).status).toBe(404);
  expect(await starsIn(repo)).toBe(0);
  expect(await countEvents(repo)).toBe(2);
});

test('stars that are given at the same time all count', async () => {
  const repo = await w.repo(await w.user());
  const people = await Promise.all(Array.from({ length: 8 }, () => w.user()));
  const clients = await Promise.all(people.map((person) => w.as(person)));
  await Promise.all([...clients, ...clients].map((client) => client.put(starOf(repo))));
  expect(await starsIn(repo)).toBe(8);
  await Promise.all([...clients, ...clients].map((client) => client.delete(starOf(repo))));
  expect(await starsIn(repo)).toBe(0);
});

test('an archived repository can be starred; one that cannot be read is not there', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const [old, secret] = [await w.repo(ada), await w.repo(ada, { visibility: 'private' })];
  await (await w.as(ada)).patch(`/repos/${full(old)}`, { archived: true });
  const client = await w.as(bob);
  expect((await client.put(starOf(old))).status).toBe(204);
  await w.unchanged(['stars', 'repositories'], async () => {
    expect((await client.put(starOf(secret))).status).toBe(404);
    expect((await client.delete(starOf(secret))).status).toBe(404);
    expect((await (await w.as(undefined)).put(starOf(old))).status).toBe(401);
  });
});

test('tokens: public_repo is enough where all may read, a fine-grained token needs its permission', async () => {
  const ada = await w.user();
  const [open, closed] = [await w.repo(ada), await w.repo(ada, { visibility: 'private' })];
  const narrow = await w.as(await w.token(ada, ['public_repo']));
  expect((await narrow.put(starOf(open))).status).toBe(204);
  expect((await narrow.put(starOf(closed))).status).toBe(404);
  expect((await (await w.as(await w.token(ada, []))).put(starOf(open))).status).toBe(403);
  expect((await (await w.as(await w.fineGrained(ada, ada, { starring: 'read' }))).put(starOf(closed))).status).toBe(403);
  const stars = await w.as(await w.fineGrained(ada, ada, { starring: 'write' }));
  expect((await stars.put(starOf(closed))).status).toBe(204);
  expect(names(await stars.get('/user/starred?direction=asc'))).toEqual([open.name, closed.name]);
});

test('lists are sorted by the time of the star or of the last push, and tell the times to those who ask', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const [one, two] = [await w.repo(ada), await w.repo(ada)];
  await w.db
    .updateTable('repositories')
    .set({ pushed_at: new Date('2026-03-01T00:00:00Z') })
    .where('id', '=', one.id)
    .execute();
  const client = await w.as(bob);
  const start = w.clock.now;
  w.clock.now = new Date('2026-02-01T00:00:00Z');
  await client.put(starOf(one));
  w.clock.now = new Date('2026-02-02T00:00:00Z');
  await client.put(starOf(two));
  await (await w.as(ada)).put(starOf(one));
  w.clock.now = start;
  const path = `/users/${bob.login}/starred`;
  expect(names(await client.get('/user/starred'))).toEqual([two.name, one.name]);
  expect(names(await client.get('/user/starred?direction=asc'))).toEqual([one.name, two.name]);
  expect(names(await client.get(`${path}?sort=updated`))).toEqual([one.name, two.name]);
  expect(names(await client.get(`${path}?per_page=1&page=2`))).toEqual([one.name]);
  for (const list of ['/user/starred', path])
    expect((await client.get(list, withTimes)).body).toMatchObject([
      { starred_at: '2026-02-02T00:00:00Z', repo: { name: two.name, stargazers_count: 1 } },
      { starred_at: '2026-02-01T00:00:00Z', repo: { name: one.name, stargazers_count: 2 } },
    ]);
  expect((await client.get(`/repos/${full(one)}/stargazers`, withTimes)).body).toMatchObject([
    { starred_at: '2026-02-01T00:00:00Z', user: { login: bob.login } },
    { starred_at: '2026-02-02T00:00:00Z', user: { login: ada.login } },
  ]);
  expect((await client.get('/user/starred?sort=name')).status).toBe(422);
});

test('only repositories that the viewer may read are listed', async () => {
  const [ada, bob, eve] = [await w.user(), await w.user(), await w.user()];
  const [open, closed] = [await w.repo(ada), await w.repo(ada, { visibility: 'private' })];
  await w.collaborator(closed, bob, 'read');
  const client = await w.as(ada);
  for (const repo of [open, closed]) await client.put(starOf(repo));
  const path = `/users/${ada.login}/starred?direction=asc`;
  expect(names(await (await w.as(bob)).get(path))).toEqual([open.name, closed.name]);
  for (const who of [eve, undefined]) expect(names(await (await w.as(who)).get(path))).toEqual([open.name]);
  expect(names(await (await w.as(await w.token(ada, ['public_repo']))).get('/user/starred'))).toEqual([open.name]);
  expect((await (await w.as(eve)).get(`/repos/${full(closed)}/stargazers`)).status).toBe(404);
});

test('who may not read a repository any more is not listed, and soon does not count', async () => {
  const [ada, bob, eve] = [await w.user(), await w.user(), await w.user()];
  const repo = await w.repo(ada);
  await w.collaborator(repo, eve, 'read');
  for (const who of [ada, bob, eve]) await (await w.as(who)).put(starOf(repo));
  await w.settle();
  const client = await w.as(ada);
  await client.patch(`/repos/${full(repo)}`, { visibility: 'private' });
  const shown = async () => logins(await client.get(`/repos/${full(repo)}/stargazers`)).sort();
  expect(await shown()).toEqual([ada.login, eve.login].sort());
  expect(names(await (await w.as(bob)).get('/user/starred'))).toEqual([]);
  await w.settle();
  expect(await starsIn(repo)).toBe(2);
  await client.delete(`/repos/${full(repo)}/collaborators/${eve.login}`);
  await w.settle();
  expect(await starsIn(repo)).toBe(1);
  expect(await shown()).toEqual([ada.login]);
});

test('the search finds repositories by their stars', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const [none, some] = [await w.repo(ada), await w.repo(ada)];
  const client = await w.as(bob);
  await client.put(starOf(some));
  await w.settle();
  const found = async (more: string) => {
    const { body } = await client.get(`/search/repositories?q=user:${ada.login}${more}`);
    return body.items.map(({ name, stargazers_count }: { name: string; stargazers_count: number }) => [name, stargazers_count]);
  };
  expect(await found('+stars:>0')).toEqual([[some.name, 1]]);
  expect(await found('&sort=stars&order=desc')).toEqual([
    [some.name, 1],
    [none.name, 0],
  ]);
});

test('lists of stars send as many statements for one as for thirty', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const repo = await w.repo(ada);
  const counts = async () => [
    await w.statements(ada, `/repos/${full(repo)}/stargazers`),
    await w.statements(ada, `/users/${bob.login}/starred`),
    await w.statements(bob, '/user/starred'),
  ];
  await (await w.as(bob)).put(starOf(repo));
  const few = await counts();
  expect(few).toEqual([2, 5, 4]);
  const people = await Promise.all(Array.from({ length: 28 }, () => w.user()));
  const repositories = await Promise.all(people.map(() => w.repo(ada)));
  const rows = [
    ...people.map(({ id }) => ({ account_id: id, repository_id: repo.id, created_at: w.clock.now })),
    ...repositories.map(({ id }) => ({ account_id: bob.id, repository_id: id, created_at: w.clock.now })),
  ];
  await w.db.insertInto('stars').values(rows).execute();
  expect(await counts()).toEqual(few);
});
