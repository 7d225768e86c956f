import { randomBytes } from 'node:crypto';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readableRepositoryIds } from '#access/sql.ts';
import { measureObjects } from '#git/maintenance/maintenance.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import { sweepPushed, sweepUnfinished } from '#resources/code/pushes/jobs.ts';
import { parse, searchCode, searchCommits } from '#search/index.ts';
import { startBudget } from '#search/result.ts';
import { git } from '#test/git/support.ts';
import { addressOf, change, owned, workTree } from '#test/server/git-http/support.ts';
import type { World } from '#test/support/world.ts';
import { commits, diskOf } from './support.ts';

const page = { limit: 30, offset: 0, number: 1 };

async function found({ db, hearth }: World, words: string) {
  const asked = { visible: readableRepositoryIds({ grant: { kind: 'none' } }), page, budget: startBudget(60_000) };
  const code = await searchCode({ db, git: hearth.services.git }, { ...asked, query: parse('code', words) });
  const messages = await searchCommits(db, { ...asked, query: parse('commits', words) });
  return { files: code.items.map(({ path }) => path), commits: messages.items.map(({ oid }) => oid) };
}

test('what is pushed to the default branch is found, and what is replaced no more', async () => {
  const { here, address } = await owned();
  const folder = await workTree({ 'engine.ts': 'export const differenceEngine = 1;' });
  const oid = await change(folder, { 'notes.md': 'x' }, 'Explain the analyticalMill');
  await git(folder, 'push', '-q', address, 'main');
  await here.settle();
  expect((await found(here, 'differenceEngine')).files).toEqual(['engine.ts']);
  expect((await found(here, 'analyticalMill')).commits).toEqual([oid]);

  await git(folder, 'checkout', '-q', '-b', 'topic');
  await change(folder, { 'other.ts': 'differenceEngine' }, 'On a branch aside');
  await git(folder, 'push', '-q', address, 'topic');
  await here.settle();
  expect((await found(here, 'differenceEngine')).files).toEqual(['engine.ts']);

  await git(folder, 'checkout', '-q', 'main');
  await git(folder, 'commit', '-q', '--amend', '-m', 'Otherwise');
  await change(folder, { 'engine.ts': 'nothing' });
  await git(folder, 'push', '-q', '--force', address, 'main');
  await here.settle();
  expect(await found(here, 'differenceEngine')).toEqual({ files: [], commits: [] });
  expect(await found(here, 'analyticalMill')).toEqual({ files: [], commits: [] });
});

test('another default branch is searched from then on', async () => {
  const { here, ada, repo, address } = await owned();
  const folder = await workTree({ a: 'oldWheel' });
  await git(folder, 'push', '-q', address, 'main');
  await change(folder, { a: 'newWheel' });
  await git(folder, 'push', '-q', address, 'main:next');
  await here.settle();
  expect((await found(here, 'newWheel')).files).toEqual([]);
  await (await here.as(ada)).patch(`/repos/${ada.login}/${repo.name}`, { default_branch: 'next' });
  await here.settle();
  expect((await found(here, 'newWheel')).files).toEqual(['a']);
  expect((await found(here, 'oldWheel')).files).toEqual([]);
});

test('a private repository’s files are indexed, found once it is public, and gone with it', async () => {
  const { here, ada, repo, address } = await owned('private');
  await git(await workTree({ a: 'secretCog' }), 'push', '-q', address, 'main');
  await here.settle();
  expect((await found(here, 'secretCog')).files).toEqual([]);
  await (await here.as(ada)).patch(`/repos/${ada.login}/${repo.name}`, { private: false });
  expect((await found(here, 'secretCog')).files).toEqual(['a']);

  await (await here.as(ada)).delete(`/repos/${ada.login}/${repo.name}`);
  await here.settle();
  expect((await found(here, 'secretCog')).files).toEqual([]);
  expect(await here.db.selectFrom('code_files').select('id').where('repository_id', '=', repo.id).execute()).toEqual([]);
  expect((await fetch(`${addressOf(here, repo)}/info/refs?service=git-upload-pack`)).status).toBe(401);
  await expect(readdir(diskOf(here, repo).path)).rejects.toThrow('ENOENT');
});

test('the size is measured after a push', async () => {
  const { here, ada, repo, address } = await owned();
  const folder = await workTree({ big: randomBytes(300_000).toString('latin1') });
  await git(folder, 'push', '-q', address, 'main');
  await here.settle();
  const { body } = await (await here.as(ada)).get(`/repos/${ada.login}/${repo.name}`);
  expect(body.size).toBeGreaterThan(200);
  expect(body.size).toBeLessThan(600);
});

test('a repository in which much loose matter has gathered is packed after a push', async () => {
  const { here, repo, token } = await owned();
  const gitRepository = diskOf(here, repo);
  const [first = ''] = await commits(here, repo, 1);
  await updateRefs(gitRepository, [{ ref: 'refs/heads/main', to: first }]);
  const source = addressOf(here, repo, token);
  const folder = await workTree();
  for (let number = 0; number < 21; number++) {
    // Each becomes a pack of its own, being of more than a hundred objects.
    await change(
      folder,
      Object.fromEntries(Array.from({ length: 101 }, (_, file) => [`${number}-${file}`, `${number} ${file}`])),
    );
    await git(folder, 'push', '-q', source, `HEAD:refs/heads/b${number}`);
  }
  expect((await measureObjects(gitRepository)).packs).toBe(21);
  await here.settle();
  expect((await measureObjects(gitRepository)).packs).toBeLessThanOrEqual(2);
});

test('what a killed git left behind goes, what is fresh stays', async () => {
  const { here, repo, address } = await owned();
  await git(await workTree(), 'push', '-q', address, 'main');
  const { path } = diskOf(here, repo);
  const lock = async (name: string, age: number) => {
    const file = join(path, 'refs', 'heads', `${name}.lock`);
    await mkdir(join(path, 'refs', 'heads'), { recursive: true });
    await writeFile(file, '');
    const then = new Date(here.clock.now.getTime() - age * 3_600_000);
    await utimes(file, then, then);
  };
  const locks = async () => (await readdir(join(path, 'refs', 'heads'))).filter((name) => name.endsWith('.lock'));
  const context = here.jobContext();
  await lock('old', 3);
  await lock('new', 1);
  await sweepUnfinished.run({}, context);
  expect(await locks()).toEqual(['new.lock', 'old.lock']);
  await here.db
    .insertInto('ref_changes')
    .values({ repository_id: repo.id, commands: '[]', started_at: new Date(here.clock.now.getTime() - 3 * 3_600_000) })
    .execute();
  await sweepUnfinished.run({}, context);
  expect(await locks()).toEqual(['new.lock']);
  await lock('other', 3);
  await sweepPushed.run({}, context);
  expect(await locks()).toEqual(['new.lock']);
});
