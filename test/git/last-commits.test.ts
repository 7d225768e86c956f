import { expect, test } from 'vitest';
import { blameLines } from '#git/history/blame.ts';
import { findLastCommit, listLastCommits } from '#git/history/last-commits.ts';
import { countGitProcesses } from '#git/process/process.ts';
import { run } from '#git/process/run.ts';
import { splitRef } from '#git/refs/split-ref.ts';
import type { GitRepository } from '#git/repo.ts';
import { commit, newRepo } from './support.ts';

const lastIn = async (repo: GitRepository, oid: string, path = '') => {
  const { latest, entries } = await listLastCommits(repo, { commit: oid, path });
  return { latest, ...Object.fromEntries(entries) };
};

const point = (repo: GitRepository, ref: string, oid: string) => run(repo, ['update-ref', ref, oid]);

test('each entry has the commit that gave it its present content', async () => {
  const repo = await newRepo();
  const one = await commit(repo, { a: '1', 'd/x': '1', 'd/y': '1', gone: '1' }, [], 'One');
  const two = await commit(repo, { a: '2', 'd/x': '1', 'd/y': '1', gone: '1' }, [one], 'Two');
  const three = await commit(repo, { a: '2', 'd/x': '1', 'd/y': '3', gone: '1' }, [two], 'Three');
  const four = await commit(repo, { a: '2', 'd/x': '1', 'd/y': '3' }, [three], 'Four');
  expect(await lastIn(repo, four)).toEqual({ latest: four, a: two, d: three });
  expect(await lastIn(repo, four, 'd')).toEqual({ latest: three, x: one, y: three });
  expect(await findLastCommit(repo, { commit: four, path: 'd/x' })).toBe(one);
});

test('what a merge brought has the commit of its branch, and what the merge itself changed has the merge', async () => {
  const repo = await newRepo();
  const base = await commit(repo, { a: '1', b: '1', c: '1' }, [], 'Base');
  const side = await commit(repo, { a: '1', b: '2', c: '1' }, [base], 'Side');
  const main = await commit(repo, { a: '2', b: '1', c: '1' }, [base], 'Main');
  const merge = await commit(repo, { a: '2', b: '2', c: '3' }, [main, side], 'Merge');
  expect(await lastIn(repo, merge)).toEqual({ latest: merge, a: main, b: side, c: merge });
});

test('after a push, only the new commits are walked, without a process', async () => {
  const repo = await newRepo();
  const files = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f${at}`, '1']));
  const one = await commit(repo, files, [], 'One');
  await lastIn(repo, one);
  const two = await commit(repo, { ...files, f3: '2' }, [one], 'Two');
  const three = await commit(repo, { ...files, f3: '2', g: '1' }, [two], 'Three');
  const { result, started } = await countGitProcesses(() => lastIn(repo, three));
  expect(result).toMatchObject({ latest: three, f0: one, f3: two, g: three });
  expect(started).not.toContain('log');
});

test('a ref with slashes is the longest one that exists, and a branch comes before a tag', async () => {
  const repo = await newRepo();
  const one = await commit(repo, { a: '1' }, [], 'One');
  const two = await commit(repo, { a: '2' }, [one], 'Two');
  await point(repo, 'refs/heads/feature/one', one);
  await point(repo, 'refs/heads/v1', one);
  await point(repo, 'refs/tags/v1', two);
  await point(repo, 'refs/tags/v2/final', two);
  const at = async (text: string) => {
    const found = await splitRef(repo, text);
    return found && [found.name, found.kind, found.commit, found.path];
  };
  expect(await at('feature/one/src/a.ts')).toEqual(['feature/one', 'branch', one, 'src/a.ts']);
  expect(await at('v1')).toEqual(['v1', 'branch', one, '']);
  expect(await at('v2/final/a')).toEqual(['v2/final', 'tag', two, 'a']);
  expect(await at('refs/tags/v1/a')).toEqual(['refs/tags/v1', 'tag', two, 'a']);
  expect(await at(`${one}/a/b`)).toEqual([one, 'commit', one, 'a/b']);
  expect(await at(`${two.slice(0, 8)}/a`)).toEqual([two.slice(0, 8), 'commit', two, 'a']);
  expect(await at('feature/two')).toBeUndefined();
  expect(await at('refs/hearth/x')).toBeUndefined();
  expect(await at('--all/x')).toBeUndefined();
  expect(await at(`${'a/'.repeat(2_000)}b`)).toBeUndefined();
});

test('each line has the commit that wrote it last', async () => {
  const repo = await newRepo();
  const one = await commit(repo, { a: '1\n2\n3\n' }, [], 'One');
  const two = await commit(repo, { a: '1\nb\n3\n4\n' }, [one], 'Two');
  expect(await blameLines(repo, { commit: two, path: 'a', from: 1, to: 4 })).toEqual([
    { commit: one, from: 1, count: 1 },
    { commit: two, from: 2, count: 1 },
    { commit: one, from: 3, count: 1 },
    { commit: two, from: 4, count: 1 },
  ]);
  expect(await blameLines(repo, { commit: two, path: 'a', from: 2, to: 2 })).toEqual([{ commit: two, from: 2, count: 1 }]);
});
