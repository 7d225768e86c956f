import { expect, test } from 'vitest';
import { history, point } from '#test/resources/code/commits/setting.ts';
import { world } from '#test/support/world.ts';

const w = await world();

test('lists branches by name, page by page; none is protected', async () => {
  const owner = await w.user();
  const { path, oids, repo } = await history(w, owner, 2);
  for (const name of ['feature/b', 'feature/a', 'zeta']) await point(w, repo, `refs/heads/${name}`, oids[0] ?? '');
  await point(w, repo, 'refs/tags/v1', oids[0] ?? '');
  const client = await w.as(owner);

  const { body } = await client.get(`${path}/branches`);
  expect(body.map(({ name, commit }: { name: string; commit: { sha: string } }) => [name, commit.sha])).toEqual([
    ['feature/a', oids[0]],
    ['feature/b', oids[0]],
    ['main', oids[1]],
    ['zeta', oids[0]],
  ]);
  expect(body[0]).toMatchObject({ protected: false, protection: { enabled: false } });
  const second = await client.get(`${path}/branches?per_page=3&page=2`);
  expect(second.body).toHaveLength(1);
  expect(second.headers.link).toContain('page=1>; rel="first"');
  expect((await client.get(`${path}/branches?protected=true`)).body).toEqual([]);
  expect((await client.get(`${path}/branches?protected=false`)).body).toHaveLength(4);
  expect((await client.get(`${path}/branches?protected=perhaps`)).status).toBe(422);
});

test('shows a branch with its latest commit, whatever its name', async () => {
  const owner = await w.user();
  const { path, oids, repo } = await history(w, owner, 2);
  const client = await w.as(owner);
  for (const name of ['main', 'feature/x/y', 'ünï#%25', '--exec=x']) {
    if (name !== 'main') await point(w, repo, `refs/heads/${name}`, oids[0] ?? '');
    const { status, body } = await client.get(`${path}/branches/${name.split('/').map(encodeURIComponent).join('/')}`);
    expect([status, body.name, body.commit.sha]).toEqual([200, name, name === 'main' ? oids[1] : oids[0]]);
    expect((await client.get(new URL(body._links.self).pathname.replace('/api/v3', ''))).body).toEqual(body);
  }
  expect((await client.get(`${path}/branches/feature%2Fx%2Fy`)).status).toBe(200);
  expect(await client.get(`${path}/branches/none`)).toMatchObject({ status: 404, body: { message: 'Branch not found' } });
  expect((await client.get(`${path}/branches/${oids[0]}`)).status).toBe(404);
  expect((await client.get(`${path}/branches/a..b`)).status).toBe(404);
});

test('an empty repository has no branches', async () => {
  const owner = await w.user();
  const { name } = await w.repo(owner);
  const client = await w.as(owner);
  expect((await client.get(`/repos/${owner.login}/${name}/branches`)).body).toEqual([]);
  expect((await client.get(`/repos/${owner.login}/${name}/branches/main`)).status).toBe(404);
});

test('names the branches whose latest commit is the one asked for', async () => {
  const owner = await w.user();
  const { path, oids, repo } = await history(w, owner, 2);
  await point(w, repo, 'refs/heads/feature/x', oids[1] ?? '');
  const client = await w.as(owner);
  const of = async (oid: string | undefined) => (await client.get(`${path}/commits/${oid}/branches-where-head`)).body;
  expect((await of(oids[1])).map(({ name }: { name: string }) => name)).toEqual(['feature/x', 'main']);
  expect(await of(oids[0])).toEqual([]);
  expect((await client.get(`${path}/commits/none/branches-where-head`)).status).toBe(422);
});

test('is for those who may read the contents', async () => {
  const owner = await w.user();
  const { path, repo } = await history(w, owner, 1, 'private');
  for (const place of ['branches', 'branches/main']) {
    const get = async (who: Parameters<typeof w.as>[0]) => (await (await w.as(who)).get(`${path}/${place}`)).status;
    expect(await get(undefined)).toBe(404);
    expect(await get(await w.user())).toBe(404);
    expect(await get(await w.fineGrained(owner, owner, { contents: 'read' }, [repo]))).toBe(200);
    expect(await get(await w.fineGrained(owner, owner, { metadata: 'read' }, [repo]))).toBe(403);
  }
});
