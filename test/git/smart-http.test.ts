import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findRef } from '#git/refs/refs.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import { commit, git, newRepo, scratch, serve } from './support.ts';

test.each(['0', '1', '2'])('protocol %s: a pushed repository is cloned byte for byte', async (version) => {
  const repo = await newRepo();
  const { url } = await serve(repo);
  const work = await scratch();
  await git(work, 'init', '-q', '-b', 'main');
  await writeFile(join(work, 'a.txt'), 'one\r\ntwo\0three');
  await git(work, 'add', '.');
  await git(work, 'commit', '-q', '-m', 'First');
  await git(work, 'tag', '-a', 'v1', '-m', 'One');
  await git(work, '-c', `protocol.version=${version}`, 'push', '-q', url, 'main', 'v1');
  const copy = await scratch();
  await git(copy, '-c', `protocol.version=${version}`, 'clone', '-q', url, 'x');

  const list = (folder: string) => git(folder, 'cat-file', '--batch-all-objects', '--batch');
  expect(await list(join(copy, 'x'))).toBe(await list(work));
  expect((await git(join(copy, 'x'), 'show-ref')).split('\n').length).toBeGreaterThan(3);
});

test('a push tells the results before the client hears of them', async () => {
  const repo = await newRepo();
  const told: unknown[] = [];
  const { url } = await serve(repo, {
    before: async (commands) => ({
      refused: new Map(commands.filter(({ ref }) => ref.endsWith('/no')).map(({ ref }) => [ref, 'not you'])),
    }),
    after: async (results) => {
      told.push(...results.map(({ ref, ok }) => [ref, ok]));
    },
  });
  const oid = await commit(repo, { a: 'x' });
  await updateRefs(repo, [{ ref: 'refs/heads/main', to: oid }]);
  const work = await scratch();
  await git(work, 'clone', '-q', url, '.');
  const pushed = git(work, 'push', '-q', url, 'main:yes', 'main:no');
  await expect(pushed).rejects.toThrow(/no \(not you\)/);
  expect(told).toEqual([
    ['refs/heads/yes', true],
    ['refs/heads/no', false],
  ]);
  expect(await findRef(repo, 'refs/heads/yes')).toMatchObject({ oid, type: 'commit' });
  expect(await findRef(repo, 'refs/heads/no')).toBeUndefined();
});
