import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { addCommit, history, person, point } from './setting.ts';

const w = await world();
const shas = (body: { sha: string }[]) => body.map(({ sha }) => sha);

test('lists the history of the default branch, newest first, page by page', async () => {
  const owner = await w.user();
  const { oids, path } = await history(w, owner, 5);
  const client = await w.as(owner);

  const first = await client.get(`${path}/commits?per_page=2`);
  expect(first.status).toBe(200);
  expect(shas(first.body)).toEqual([oids[4], oids[3]]);
  expect(first.headers.link).toContain('page=3>; rel="last"');
  expect(shas((await client.get(`${path}/commits?per_page=2&page=3`)).body)).toEqual([oids[0]]);
  expect((await client.get(`${path}/commits?per_page=2&page=9`)).body).toEqual([]);
  expect(first.body[0]).toMatchObject({
    commit: {
      message: 'Change 5',
      author: { name: 'Ada', email: 'ada@example.org', date: '2024-01-05T00:00:00Z' },
      comment_count: 0,
    },
    parents: [{ sha: oids[3] }],
    author: null,
  });
});

test('begins at a branch, a tag or a commit, and narrows by path, people and time', async () => {
  const owner = await w.user();
  const grace = await w.user(undefined, { email: 'Grace@example.org' });
  const { oids, path, repo } = await history(w, owner, 6);
  await point(w, repo, 'refs/heads/feature/x', oids[2] ?? '');
  const client = await w.as(owner);
  const listed = async (query: string) =>
    shas((await client.get(`${path}/commits?${query}`)).body).map((sha) => oids.indexOf(sha) + 1);

  expect(await listed('sha=feature/x')).toEqual([3, 2, 1]);
  expect(await listed(`sha=${oids[1]}`)).toEqual([2, 1]);
  expect(await listed(`sha=${oids[1]?.slice(0, 9)}`)).toEqual([2, 1]);
  expect(await listed('path=4.txt')).toEqual([4]);
  expect(await listed('path=/4.txt')).toEqual([4]);
  expect(await listed('path=../4.txt')).toEqual([]);
  expect(await listed('path=nowhere')).toEqual([]);
  expect(await listed(`author=${grace.login}`)).toEqual([6, 4, 2]);
  expect(await listed('author=ada@example.org&until=2024-01-04T00:00:00Z')).toEqual([3, 1]);
  expect(await listed('author=nobody-here')).toEqual([]);
  expect(await listed(`committer=${grace.login}&since=2024-01-04T00:00:00Z`)).toEqual([6, 4]);
  expect((await client.get(`${path}/commits`)).body[0].author.login).toBe(grace.login);
});

test('a commit made under the address that stands for an account is shown as its own; one of another host is not', async () => {
  const owner = await w.user();
  const { gitRepository, repo, path } = await history(w, owner, 1);
  const address = (host: string) => ({ ...person('X', 2), email: `${owner.id}+${owner.login}@users.noreply.${host}` });
  const own = await addCommit(gitRepository, {
    files: { a: '1' },
    author: address('127.0.0.1'),
    committer: address('elsewhere.example'),
  });
  await point(w, repo, 'refs/heads/own', own);
  const { body } = await (await w.as(owner)).get(`${path}/commits?sha=own`);
  expect(body[0]).toMatchObject({ author: { login: owner.login }, committer: null });
});

test('says that a repository is empty, and knows no branch that is not there', async () => {
  const owner = await w.user();
  const empty = await w.repo(owner);
  const { path } = await history(w, owner, 1);
  const client = await w.as(owner);
  expect(await client.get(`/repos/${owner.login}/${empty.name}/commits`)).toMatchObject({
    status: 409,
    body: { message: 'Git Repository is empty.' },
  });
  expect((await client.get(`${path}/commits?sha=nowhere`)).status).toBe(404);
  expect((await client.get(`${path}/commits?sha=--all`)).status).toBe(404);
  expect(await client.get(`${path}/commits?since=whenever`)).toMatchObject({
    status: 422,
    body: { errors: [{ field: 'since' }] },
  });
});

test('is for those who may read the contents', async () => {
  const owner = await w.user();
  const stranger = await w.user();
  const { path, repo } = await history(w, owner, 1, 'private');
  const get = async (who: Parameters<typeof w.as>[0]) => (await (await w.as(who)).get(`${path}/commits`)).status;
  expect(await get(owner)).toBe(200);
  expect(await get(stranger)).toBe(404);
  expect(await get(undefined)).toBe(404);
  expect(await get(await w.token(owner, ['public_repo']))).toBe(404);
  expect(await get(await w.fineGrained(owner, owner, { contents: 'read' }, [repo]))).toBe(200);
  expect(await get(await w.fineGrained(owner, owner, { issues: 'write' }, [repo]))).toBe(403);
  const open = await history(w, owner, 1);
  expect((await (await w.as(undefined)).get(`${open.path}/commits`)).status).toBe(200);
});

test('asks the database as often for a hundred commits as for one', async () => {
  const owner = await w.user();
  const { path } = await history(w, owner, 100);
  const one = await w.statements(owner, `${path}/commits?per_page=1`);
  expect(await w.statements(owner, `${path}/commits?per_page=100`)).toBe(one);
});
