import { expect, test } from 'vitest';
import { addCommit, history, point } from '#test/resources/code/commits/setting.ts';
import { endUnrecorded, recover, told } from '#test/resources/code/pushes/support.ts';
import { installApp } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';

const w = await world();

test('renames a branch; the repository follows its default branch', async () => {
  const owner = await w.user();
  const { path, oids, repo } = await history(w, owner, 1);
  const client = await w.as(owner);
  await point(w, repo, 'refs/heads/feature/x', oids[0] ?? '');

  const renamed = await client.post(`${path}/branches/feature%2Fx/rename`, { new_name: 'topic/y' });
  expect(renamed).toMatchObject({ status: 201, body: { name: 'topic/y', commit: { sha: oids[0] } } });
  expect((await client.get(`${path}/branches/feature/x`)).status).toBe(301);
  expect((await client.get(path)).body.default_branch).toBe('main');

  expect((await client.post(`${path}/branches/main/rename`, { new_name: 'trunk' })).status).toBe(201);
  expect((await client.get(path)).body.default_branch).toBe('trunk');
  expect((await client.get(`${path}/commits`)).body[0].sha).toBe(oids[0]);
  expect((await told(w, repo)).at(-1)).toMatchObject({
    kind: 'repository.default_branch_changed',
    data: { from: 'main', to: 'trunk' },
  });
});

test('a branch whose renaming a server did not record which ended takes its protection along nevertheless', async () => {
  const owner = await w.user();
  const { path, repo } = await history(w, owner, 1);
  const client = await w.as(owner);
  const protection = {
    required_status_checks: null,
    enforce_admins: true,
    required_pull_request_reviews: null,
    restrictions: null,
  };
  expect((await client.put(`${path}/branches/main/protection`, protection)).status).toBe(200);
  await endUnrecorded(w, owner, { method: 'POST', path: `${path}/branches/main/rename`, body: { new_name: 'trunk' } });
  await Promise.all([recover(w), recover(w)]);
  expect((await client.get(path)).body.default_branch).toBe('trunk');
  expect((await client.get(`${path}/branches/main`)).status).toBe(301);
  expect((await client.get(`${path}/branches/trunk`)).body.protected).toBe(true);
  const kinds = (await told(w, repo)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'repository.default_branch_changed')).toHaveLength(1);
});

test('former names of a branch lead to its present one, until a branch has them again', async () => {
  const owner = await w.user();
  const { path, oids, repo } = await history(w, owner, 1);
  const client = await w.as(owner);
  const rename = async (from: string, to: string) =>
    expect((await client.post(`${path}/branches/${encodeURIComponent(from)}/rename`, { new_name: to })).status).toBe(201);
  const target = async (name: string) => {
    const { status, headers, body } = await client.get(`${path}/branches/${encodeURIComponent(name)}?x=1`);
    if (status !== 301) return status;
    expect(body).toMatchObject({ message: 'Moved Permanently', url: headers.location });
    return headers.location?.replace(`${w.url}/api/v3${path}/branches/`, '');
  };
  await point(w, repo, 'refs/heads/one', oids[0] ?? '');
  await rename('one', 'feature/two');
  await rename('feature/two', 'three');
  expect([await target('one'), await target('feature/two'), await target('three')]).toEqual(['three?x=1', 'three?x=1', 200]);
  const moved = await client.post(`${path}/branches/one/rename`, { new_name: 'four' });
  expect([moved.status, moved.headers.location]).toEqual([307, `${w.url}/api/v3${path}/branches/three/rename`]);
  await rename('three', 'one');
  expect([await target('one'), await target('feature/two'), await target('three')]).toEqual([200, 'one?x=1', 'one?x=1']);
  await point(w, repo, 'refs/heads/three', oids[0] ?? '');
  expect(await target('three')).toBe(200);
  expect(await target('none')).toBe(404);
});

test.each([
  ['none', 'x', 404],
  ['none', '', 404],
  ['main', 'a..b', 422],
  ['main', 'taken', 422],
  ['main', 'taken/below', 422],
  ['main', 'HEAD', 422],
  ['main', '', 422],
  ['main', 'main', 201],
])('renaming %s to "%s": %i', async (from, to, status) => {
  const owner = await w.user();
  const { path, oids, repo } = await history(w, owner, 1);
  await point(w, repo, 'refs/heads/taken', oids[0] ?? '');
  const client = await w.as(owner);
  expect((await client.post(`${path}/branches/${from}/rename`, { new_name: to })).status).toBe(status);
  expect((await client.get(`${path}/branches`)).body).toHaveLength(2);
});

test('the default branch is renamed by administrators alone', async () => {
  const owner = await w.user();
  const writer = await w.user();
  const { path, oids, repo } = await history(w, owner, 1);
  await point(w, repo, 'refs/heads/other', oids[0] ?? '');
  await w.collaborator(repo, writer, 'write');
  const client = await w.as(writer);
  expect((await client.post(`${path}/branches/main/rename`, { new_name: 'x' })).status).toBe(403);
  expect((await client.post(`${path}/branches/other/rename`, { new_name: 'x' })).status).toBe(201);
});

test('credentials that may not administer rename neither the default branch nor protected ones', async () => {
  const owner = await w.user();
  const { path, oids, repo } = await history(w, owner, 1);
  await point(w, repo, 'refs/heads/kept', oids[0] ?? '');
  await point(w, repo, 'refs/heads/other', oids[0] ?? '');
  const protection = {
    required_status_checks: null,
    enforce_admins: true,
    required_pull_request_reviews: null,
    restrictions: null,
  };
  const client = await w.as(owner);
  expect((await client.put(`${path}/branches/kept/protection`, protection)).status).toBe(200);
  const tokensWith = async (permissions: Record<string, string>) => [
    await w.fineGrained(owner, owner, permissions),
    (await installApp(w, { on: owner, permissions })).token,
  ];
  for (const token of await tokensWith({ contents: 'write' })) {
    const writer = await w.as(token);
    for (const name of ['main', 'kept'])
      expect((await writer.post(`${path}/branches/${name}/rename`, { new_name: 'x' })).status).toBe(403);
    expect((await writer.post(`${path}/branches/other/rename`, { new_name: 'x' })).status).toBe(201);
    expect((await writer.post(`${path}/branches/x/rename`, { new_name: 'other' })).status).toBe(201);
  }
  for (const token of await tokensWith({ contents: 'write', administration: 'write' })) {
    const administrator = await w.as(token);
    for (const [from, to] of [
      ['main', 'trunk'],
      ['trunk', 'main'],
    ])
      expect((await administrator.post(`${path}/branches/${from}/rename`, { new_name: to })).status).toBe(201);
  }
});

async function parted(files: Record<string, string>) {
  const owner = await w.user();
  const made = await history(w, owner, 1);
  const [root = ''] = made.oids;
  const ours = await addCommit(made.gitRepository, { files: { shared: 'ours\n' }, parents: [root] });
  const theirs = await addCommit(made.gitRepository, { files, parents: [root] });
  await point(w, made.repo, 'refs/heads/main', ours);
  await point(w, made.repo, 'refs/heads/feature', theirs);
  return { ...made, owner, ours, theirs, client: await w.as(owner) };
}

test('merges a branch into another by a commit of both', async () => {
  const { client, path, ours, theirs, owner, repo } = await parted({ added: 'theirs\n' });
  const merged = await client.post(`${path}/merges`, { base: 'main', head: 'feature' });
  expect(merged).toMatchObject({
    status: 201,
    body: {
      commit: { message: 'Merge feature into main' },
      parents: [{ sha: ours }, { sha: theirs }],
      author: { login: owner.login },
    },
  });
  expect((await client.get(`${path}/contents/added`)).status).toBe(200);
  expect((await client.get(`${path}/git/ref/heads/main`)).body.object.sha).toBe(merged.body.sha);
  expect((await told(w, repo)).at(-1)).toMatchObject({ kind: 'push', actor: owner.id });
  expect((await client.post(`${path}/merges`, { base: 'main', head: theirs })).status).toBe(204);
});

test('refuses a merge on which a person must decide, and one of what is not there', async () => {
  const { client, path, ours } = await parted({ shared: 'theirs\n' });
  expect(await client.post(`${path}/merges`, { base: 'main', head: 'feature' })).toMatchObject({
    status: 409,
    body: { message: 'Merge conflict' },
  });
  expect((await client.get(`${path}/git/ref/heads/main`)).body.object.sha).toBe(ours);
  expect((await client.post(`${path}/merges`, { base: 'none', head: 'feature' })).body.message).toBe('Base does not exist');
  expect((await client.post(`${path}/merges`, { base: 'main', head: 'none' })).body.message).toBe('Head does not exist');
  expect((await client.post(`${path}/merges`, { base: 'main' })).status).toBe(422);
});

async function forked() {
  const owner = await w.user();
  const made = await history(w, owner, 1);
  const forker = await w.user();
  const client = await w.as(forker);
  const fork = `/repos/${forker.login}/${(await client.post(`${made.path}/forks`)).body.name}`;
  return { ...made, owner, forker, client, fork };
}

test('brings a fork up to date: forward, then by a merge, then not at all', async () => {
  const { client, fork, gitRepository, repo, oids, owner } = await forked();
  const second = await addCommit(gitRepository, { files: { two: '2' }, parents: [oids[0] ?? ''] });
  await point(w, repo, 'refs/heads/main', second);

  const forward = await client.post(`${fork}/merge-upstream`, { branch: 'main' });
  expect(forward).toMatchObject({ status: 200, body: { merge_type: 'fast-forward', base_branch: `${owner.login}:main` } });
  expect((await client.get(`${fork}/commits`)).body[0].sha).toBe(second);

  await client.put(`${fork}/contents/own`, { message: 'Own', content: '' });
  await point(w, repo, 'refs/heads/main', await addCommit(gitRepository, { files: { three: '3' }, parents: [second] }));
  expect((await client.post(`${fork}/merge-upstream`, { branch: 'main' })).body.merge_type).toBe('merge');
  const names = (await client.get(`${fork}/contents/`)).body.map(({ name }: { name: string }) => name);
  expect(names).toEqual(['1.txt', 'own', 'three', 'two']);
  expect((await client.post(`${fork}/merge-upstream`, { branch: 'main' })).body.merge_type).toBe('none');
});

test('refuses to bring up to date what is no fork, has no such branch, or conflicts', async () => {
  const { client, fork, gitRepository, repo, oids, path, owner } = await forked();
  expect((await (await w.as(owner)).post(`${path}/merge-upstream`, { branch: 'main' })).status).toBe(422);
  await client.post(`${fork}/git/refs`, { ref: 'refs/heads/own', sha: oids[0] });
  expect((await client.post(`${fork}/merge-upstream`, { branch: 'own' })).status).toBe(422);
  expect(await client.post(`${fork}/merge-upstream`, { branch: 'none' })).toMatchObject({
    status: 404,
    body: { message: 'Branch not found' },
  });
  await client.put(`${fork}/contents/x`, { message: 'Own', content: Buffer.from('own').toString('base64') });
  await point(w, repo, 'refs/heads/main', await addCommit(gitRepository, { files: { x: 'theirs' }, parents: [oids[0] ?? ''] }));
  expect((await client.post(`${fork}/merge-upstream`, { branch: 'main' })).status).toBe(409);
  await w.db.updateTable('repositories').set({ visibility: 'private' }).where('id', '=', repo.id).execute();
  expect((await client.post(`${fork}/merge-upstream`, { branch: 'main' })).status).toBe(422);
});

test('changes are for those who may write', async () => {
  const { owner, path, repo } = await parted({ a: 'a' });
  const reader = await w.user();
  await w.collaborator(repo, reader, 'read');
  for (const [place, body] of [
    ['merges', { base: 'main', head: 'feature' }],
    ['branches/feature/rename', { new_name: 'x' }],
    ['merge-upstream', { branch: 'main' }],
  ] as const) {
    const post = async (who: Parameters<typeof w.as>[0]) => (await (await w.as(who)).post(`${path}/${place}`, body)).status;
    expect(await post(reader), place).toBe(403);
    expect(await post(undefined), place).toBe(401);
    expect(await post(await w.fineGrained(owner, owner, { contents: 'read' }, [repo])), place).toBe(403);
  }
});
