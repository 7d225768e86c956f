import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { addCommit, history, person, point } from './setting.ts';

const w = await world();

test('lists who wrote the history, accounts by all their addresses, the most commits first', async () => {
  const grace = await w.user(undefined, { email: 'grace@example.org' });
  const owner = await w.user();
  const { path, oids, gitRepository, repo } = await history(w, owner, 6);
  const address = `${grace.id}+${grace.login}@users.noreply.127.0.0.1`;
  const tip = await addCommit(gitRepository, {
    files: { x: 'x' },
    parents: oids.slice(-1),
    author: { ...person('G. <Hopper>', 7), email: address },
  });
  await point(w, repo, 'refs/heads/main', tip);
  const client = await w.as(owner);

  const { body } = await client.get(`${path}/contributors`);
  expect(body).toMatchObject([{ login: grace.login, type: 'User', contributions: 4 }]);
  const all = await client.get(`${path}/contributors?anon=true&per_page=1&page=2`);
  expect(all.body).toEqual([{ type: 'Anonymous', name: 'Ada', email: 'ada@example.org', contributions: 3 }]);
  expect(all.headers.link).toContain('page=1>; rel="first"');
});

test('an empty repository has none, and nobody learns of a private one', async () => {
  const owner = await w.user();
  const empty = await w.repo(owner);
  const client = await w.as(owner);
  expect((await client.get(`/repos/${owner.login}/${empty.name}/contributors`)).status).toBe(204);
  const { path } = await history(w, owner, 1, 'private');
  expect((await (await w.as(await w.user())).get(`${path}/contributors`)).status).toBe(404);
});
