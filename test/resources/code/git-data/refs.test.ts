import { expect, test } from 'vitest';
import { addCommit, history } from '#test/resources/code/commits/setting.ts';
import { told, unfinished } from '#test/resources/code/pushes/support.ts';
import { world } from '#test/support/world.ts';

const w = await world();

test('makes, moves and removes a branch, and tells of it as a push is told of', async () => {
  const owner = await w.user();
  const { path, oids, repo } = await history(w, owner, 3);
  const client = await w.as(owner);
  const ref = 'refs/heads/feature/a';
  const before = (await told(w, repo)).length;

  const made = await client.post(`${path}/git/refs`, { ref, sha: oids[0] });
  expect(made).toMatchObject({ status: 201, body: { ref, object: { type: 'commit', sha: oids[0] } } });
  expect(made.headers.location).toBe(made.body.url);
  expect((await client.get(`${path}/git/ref/heads/feature/a`)).body).toEqual(made.body);
  expect((await client.patch(`${path}/git/refs/heads/feature/a`, { sha: oids[2] })).body.object.sha).toBe(oids[2]);
  expect((await client.delete(`${path}/git/refs/heads/feature/a`)).status).toBe(204);
  expect((await client.get(`${path}/git/ref/heads/feature/a`)).status).toBe(404);

  expect((await told(w, repo)).slice(before).map(({ kind, actor }) => [kind, actor])).toEqual(
    ['create', 'push', 'push', 'delete', 'push'].map((kind) => [kind, owner.id]),
  );
  expect(await unfinished(w, repo)).toEqual([]);
});

test('moves a branch back or aside only by force', async () => {
  const owner = await w.user();
  const { path, oids, gitRepository } = await history(w, owner, 3);
  const client = await w.as(owner);
  const aside = await addCommit(gitRepository, { files: { aside: '1' }, parents: [oids[1] ?? ''] });
  for (const sha of [oids[0], aside]) {
    const refused = await client.patch(`${path}/git/refs/heads/main`, { sha });
    expect(refused).toMatchObject({ status: 422, body: { message: 'Update is not a fast forward' } });
    expect((await client.patch(`${path}/git/refs/heads/main`, { sha, force: true })).status).toBe(200);
    await client.patch(`${path}/git/refs/heads/main`, { sha: oids[2], force: true });
  }
});

test('lists the refs whose names begin alike', async () => {
  const owner = await w.user();
  const { path, oids } = await history(w, owner, 1);
  const client = await w.as(owner);
  for (const ref of ['refs/heads/feature-a', 'refs/heads/feature-b', 'refs/tags/feature-c'])
    await client.post(`${path}/git/refs`, { ref, sha: oids[0] });
  const names = async (prefix: string) =>
    (await client.get(`${path}/git/matching-refs/${prefix}`)).body.map(({ ref }: { ref: string }) => ref);
  expect(await names('heads/feature')).toEqual(['refs/heads/feature-a', 'refs/heads/feature-b']);
  expect(await names('tags/')).toEqual(['refs/tags/feature-c']);
  expect(await names('')).toHaveLength(4);
  expect(await names('heads/none')).toEqual([]);
  expect(await names('hearth/')).toEqual([]);
});

test('a ref is found at the address that it names as its url, and those below a folder at the address of the folder', async () => {
  const owner = await w.user();
  const { path, oids } = await history(w, owner, 1);
  const client = await w.as(owner);
  for (const ref of ['refs/heads/feature/a', 'refs/heads/feature/b', 'refs/tags/v1']) {
    const made = (await client.post(`${path}/git/refs`, { ref, sha: oids[0] })).body;
    expect((await client.get(made.url.slice(made.url.indexOf('/repos/')))).body).toEqual(made);
  }
  const names = async (rest: string) => (await client.get(`${path}/git/refs${rest}`)).body.map(({ ref }: { ref: string }) => ref);
  const branches = ['refs/heads/feature/a', 'refs/heads/feature/b', 'refs/heads/main'];
  expect(await names('')).toEqual([...branches, 'refs/tags/v1']);
  expect(await names('/heads')).toEqual(branches);
  expect(await names('/heads/feature')).toEqual(branches.slice(0, 2));
  expect((await client.get(`${path}/git/refs/heads/none`)).status).toBe(404);
  expect((await client.get(`${path}/git/refs/hearth`)).status).toBe(404);
});

test('a repository without refs has none to list', async () => {
  const owner = await w.user();
  const { name } = await w.repo(owner);
  const client = await w.as(owner);
  for (const rest of ['', '/heads', '/heads/main']) {
    const reply = await client.get(`/repos/${owner.login}/${name}/git/refs${rest}`);
    expect(reply).toMatchObject({ status: 409, body: { message: 'Git Repository is empty.' } });
  }
});

test.each([
  ['heads/x', 422],
  ['refs/heads', 422],
  ['refs/heads/a..b', 422],
  ['refs/heads/.a', 422],
  ['refs/heads/a.lock', 422],
  ['refs/heads/HEAD', 422],
  [`refs/heads/${'1'.repeat(40)}`, 422],
  ['refs/heads/refs/heads/main', 422],
  ['refs/pull/1/head', 422],
  ['refs/hearth/x', 422],
  ['refs/heads/main/below', 422],
  ['refs/heads/main', 422],
  ['refs/heads/--exec=x', 201],
  ['refs/notes/commits', 201],
])('a ref named %s: %i', async (ref, status) => {
  const owner = await w.user();
  const { path, oids } = await history(w, owner, 1);
  expect((await (await w.as(owner)).post(`${path}/git/refs`, { ref, sha: oids[0] })).status).toBe(status);
});

test('refuses targets that are not there or are no commit, refs that are not there, and the loss of the default branch', async () => {
  const owner = await w.user();
  const { path, oids } = await history(w, owner, 1);
  const client = await w.as(owner);
  const tree = (await client.get(`${path}/git/commits/${oids[0]}`)).body.tree.sha;
  expect((await client.post(`${path}/git/refs`, { ref: 'refs/heads/x', sha: '1'.repeat(40) })).body.message).toBe(
    'Object does not exist',
  );
  expect((await client.post(`${path}/git/refs`, { ref: 'refs/heads/x', sha: tree })).body.errors[0].field).toBe('sha');
  expect((await client.post(`${path}/git/refs`, { ref: 'refs/heads/x', sha: 'main' })).body.errors[0].field).toBe('sha');
  expect((await client.post(`${path}/git/refs`, { ref: 'refs/tags/tree', sha: tree })).status).toBe(201);
  expect((await client.patch(`${path}/git/refs/heads/none`, { sha: oids[0] })).status).toBe(422);
  expect((await client.delete(`${path}/git/refs/heads/none`)).status).toBe(422);
  expect((await client.delete(`${path}/git/refs/heads/main`)).status).toBe(422);
  expect((await client.get(`${path}/git/ref/heads/main`)).status).toBe(200);
});

test('is for those who may write the contents', async () => {
  const owner = await w.user();
  const reader = await w.user();
  const writer = await w.user();
  const { path, oids, repo } = await history(w, owner, 1, 'private');
  await w.collaborator(repo, reader, 'read');
  await w.collaborator(repo, writer, 'write');
  let number = 0;
  const make = async (who: Parameters<typeof w.as>[0]) =>
    (await (await w.as(who)).post(`${path}/git/refs`, { ref: `refs/heads/b${++number}`, sha: oids[0] })).status;
  expect(await make(writer)).toBe(201);
  expect(await make(reader)).toBe(403);
  expect(await make(await w.user())).toBe(404);
  expect(await make(undefined)).toBe(404);
  expect(await make(await w.token(writer, ['public_repo']))).toBe(404);
  expect(await make(await w.fineGrained(owner, owner, { contents: 'read' }, [repo]))).toBe(403);
  expect(await make(await w.fineGrained(owner, owner, { contents: 'write' }, [repo]))).toBe(201);
  await w.db.updateTable('repositories').set({ archived: true }).where('id', '=', repo.id).execute();
  expect(await make(writer)).toBe(403);
});
