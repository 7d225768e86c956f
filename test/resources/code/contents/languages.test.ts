import { expect, test } from 'vitest';
import type { ServedChange } from '#endpoint/scope.ts';
import { measureFiles } from '#resources/code/contents/jobs.ts';
import { addCommit, diskOf, history, point } from '#test/resources/code/commits/setting.ts';
import { world } from '#test/support/world.ts';

const w = await world();

test('counts what the default branch is written in, without prose, data and what others wrote', async () => {
  const owner = await w.user();
  const repo = await w.repo(owner);
  const client = await w.as(owner);
  const path = `/repos/${owner.login}/${repo.name}`;
  expect((await client.get(`${path}/languages`)).body).toEqual({});

  const files = {
    'src/a.ts': 'x'.repeat(10),
    'src/b.tsx': 'x'.repeat(5),
    'lib/c.py': 'x'.repeat(20),
    'README.md': 'x'.repeat(100),
    'data.json': 'x'.repeat(100),
    'node_modules/d/index.js': 'x'.repeat(100),
    'public/e.min.js': 'x'.repeat(100),
  };
  const first = await addCommit(diskOf(w, repo), { files });
  await point(w, repo, 'refs/heads/main', first);
  const counted = { Python: 20, TypeScript: 15 };
  expect((await client.get(`${path}/languages`)).text).toBe(JSON.stringify(counted));
  await w.settle();
  expect((await client.get(`${path}/languages`)).text).toBe(JSON.stringify(counted));
  expect((await client.get(path)).body.language).toBe('Python');
  const stored = await w.db.selectFrom('repository_languages').selectAll().where('repository_id', '=', repo.id).execute();
  expect(stored).toEqual([{ repository_id: repo.id, commit_oid: first, bytes: counted, detector: 1 }]);

  const second = await addCommit(diskOf(w, repo), { files: { 'lib/c.py': null }, parents: [first] });
  await point(w, repo, 'refs/heads/main', second);
  await w.settle();
  expect((await client.get(`${path}/languages`)).body).toEqual({ TypeScript: 15 });
  expect((await client.get(path)).body.language).toBe('TypeScript');
});

test('follows the default branch', async () => {
  const owner = await w.user();
  const { path, gitRepository, repo } = await history(w, owner, 1);
  await point(w, repo, 'refs/heads/other', await addCommit(gitRepository, { files: { 'a.rs': 'fn' } }));
  const client = await w.as(owner);
  await client.patch(path, { default_branch: 'other' });
  await w.settle();
  expect((await client.get(`${path}/languages`)).body).toEqual({ Rust: 2 });
  expect((await client.get(path)).body.language).toBe('Rust');
});

test('a count that takes long does not put back what a later one has replaced', async () => {
  const repo = await w.repo(await w.user());
  const first = await addCommit(diskOf(w, repo), { files: { 'a.rs': 'fn' } });
  const second = await addCommit(diskOf(w, repo), { files: { 'a.rs': null, 'a.py': 'def' }, parents: [first] });
  await point(w, repo, 'refs/heads/main', first);
  const { id } = await w.db
    .selectFrom('events')
    .select('id')
    .where('repository_id', '=', repo.id)
    .limit(1)
    .executeTakeFirstOrThrow();
  const about = { id, owner: repo.owner_id, repository: repo.id, actor: undefined, at: w.clock.now };
  // Before the first count is written, there is another push, and it is counted.
  const change: ServedChange = async (work) => {
    await point(w, repo, 'refs/heads/main', second);
    await w.settle();
    return w.change(work);
  };
  await measureFiles.runAll(
    [{ ...about, kind: 'repository.default_branch_changed', data: { from: 'main', to: 'main' } }],
    w.jobContext({ change }),
  );
  const { language } = await w.db
    .selectFrom('repositories')
    .select('language')
    .where('id', '=', repo.id)
    .executeTakeFirstOrThrow();
  expect(language).toBe('Python');
});
