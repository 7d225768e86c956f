import { expect, test } from 'vitest';
import { listCommits } from '#git/history/history.ts';
import { withAlternate } from '#git/objects/alternates.ts';
import { kindOf, makeObjectCache } from '#git/objects/object-cache.ts';
import { openObjects } from '#git/objects/objects.ts';
import { listTree } from '#git/objects/tree-list.ts';
import { countGitProcesses } from '#git/process/process.ts';
import { findRef } from '#git/refs/refs.ts';
import { findRevision } from '#git/refs/resolve.ts';
import { mustUpdateRefs } from '#git/refs/update-refs.ts';
import type { GitRepository } from '#git/repo.ts';
import { createRepository, openGitStore, removeRepository, repoOf } from '#git/store.ts';
import { commit, git, kindOf as kindOfError, newRepo, newStore } from './support.ts';

const texts = kindOf<{ text: string }>('text');
const repoWith = (cache: GitRepository['store']['cache'], more: Partial<GitRepository> = {}): GitRepository =>
  ({ id: 7, path: '/nowhere', store: { cache }, ...more }) as GitRepository; // a cache needs nothing else of a repository

test('the cache stays within its bytes, and drops what was unused longest', () => {
  const cache = makeObjectCache({ cache: 100_000 });
  const repo = repoWith(cache);
  const put = (key: string): void => cache.set(repo, texts, key, { text: 'x'.repeat(300) });
  for (let at = 0; at < 500; at++) {
    put(`${at}`);
    cache.get(repo, texts, '0');
    expect(cache.size()).toBeLessThanOrEqual(100_000);
  }
  expect(cache.size()).toBeGreaterThan(90_000);
  expect(cache.get(repo, texts, '0')).toBeDefined();
  expect(cache.get(repo, texts, '1')).toBeUndefined();
  expect(cache.get(repo, texts, '499')).toBeDefined();
});

test('a value that is large for the cache is not kept', () => {
  const cache = makeObjectCache({ cache: 100_000 });
  cache.set(repoWith(cache), texts, 'a', { text: 'x'.repeat(2_000) });
  expect(cache.size()).toBe(0);
});

test('repositories, kinds and keys are kept apart, and one repository is dropped alone', () => {
  const cache = makeObjectCache({ cache: 100_000 });
  const [repo, other] = [repoWith(cache), repoWith(cache, { id: 71 })];
  cache.set(repo, texts, 'a', { text: 'one' });
  cache.set(other, texts, 'a', { text: 'two' });
  expect(cache.get(repo, kindOf('word'), 'a')).toBeUndefined();
  expect(cache.get(other, texts, 'a')).toEqual({ text: 'two' });
  cache.drop(repo);
  expect(cache.get(repo, texts, 'a')).toBeUndefined();
  expect(cache.get(other, texts, 'a')).toEqual({ text: 'two' });
});

test('nothing is kept of drafts and quarantines', () => {
  const cache = makeObjectCache({ cache: 100_000 });
  cache.set(repoWith(cache, { id: 0 }), texts, 'a', { text: 'one' });
  cache.set(repoWith(cache, { quarantine: { objects: '/a', alternates: '/b' } }), texts, 'a', { text: 'one' });
  expect(cache.size()).toBe(0);
});

/** What a request for a folder of a branch reads. */
async function read(repo: GitRepository, branch: string) {
  const tip = await findRevision(repo, branch, { peel: 'commit' });
  if (!tip) return undefined;
  const { entries } = await listTree(repo, tip.oid, { limit: 10 });
  const [newest] = await listCommits(repo, { from: tip.oid, limit: 1 });
  return { oid: newest?.oid, names: entries.map(({ path }) => path) };
}

test('stale branch: a move by another process is seen at once, whether refs are loose or packed', async () => {
  const repo = await newRepo();
  const one = await commit(repo, { a: '1' });
  const two = await commit(repo, { a: '1', b: '2' }, [one]);
  const three = await commit(repo, { c: '3' }, [two]);
  await mustUpdateRefs(repo, [{ ref: 'refs/heads/main', from: null, to: one }]);
  // Another process of the server has a store of its own.
  await using store = await openGitStore({ root: repo.store.root, env: process.env });
  const elsewhere = repoOf(store, repo.id);
  expect(await read(repo, 'main')).toEqual({ oid: one, names: ['a'] });
  expect(await read(elsewhere, 'main')).toEqual({ oid: one, names: ['a'] });

  await mustUpdateRefs(elsewhere, [{ ref: 'refs/heads/main', from: one, to: two }]);
  expect(await read(repo, 'main')).toEqual({ oid: two, names: ['a', 'b'] });
  await git(repo.path, 'pack-refs', '--all');
  expect(await read(repo, 'main')).toEqual({ oid: two, names: ['a', 'b'] });
  await mustUpdateRefs(elsewhere, [{ ref: 'refs/heads/main', from: two, to: three }]);
  await git(repo.path, 'pack-refs', '--all');
  expect(await read(repo, 'main')).toEqual({ oid: three, names: ['c'] });
  await mustUpdateRefs(elsewhere, [{ ref: 'refs/heads/main', from: three, to: one }]);
  expect(await read(repo, 'main')).toEqual({ oid: one, names: ['a'] });
  await mustUpdateRefs(elsewhere, [{ ref: 'refs/heads/main', from: one, to: null }]);
  expect([await read(repo, 'main'), await findRef(repo, 'refs/heads/main')]).toEqual([undefined, undefined]);
});

test('an object that garbage collection removed is not found by its name any more', async () => {
  const repo = await newRepo();
  const kept = await commit(repo, { a: 'kept' });
  const secret = await commit(repo, { a: 'secret' }, [kept]);
  await mustUpdateRefs(repo, [{ ref: 'refs/heads/main', from: null, to: kept }]);
  const names = [secret, `${secret}~1`];
  for (const name of names) expect(await findRevision(repo, name)).toBeDefined();
  await read(repo, secret);
  await git(repo.path, 'prune', '--expire=now');
  for (const name of names) expect(await findRevision(repo, name)).toBeUndefined();
  expect(await read(repo, secret)).toBeUndefined();
});

test('objects cross no repositories: what is compared with a fork is not found here', async () => {
  const store = await newStore();
  const [base, fork] = [
    await createRepository(store, 1, { defaultBranch: 'main' }),
    await createRepository(store, 2, { defaultBranch: 'main' }),
  ];
  const theirs = await commit(fork, { secret: '1' });
  await using both = await openObjects(withAlternate(base, fork));
  const { tree } = await both.getCommit(theirs);
  await both.getTree(tree);
  await using reader = await openObjects(base);
  expect(await kindOfError(reader.getCommit(theirs))).toBe('not-found');
  expect(await kindOfError(reader.getTree(tree))).toBe('not-found');
  expect(await findRevision(base, theirs)).toBeUndefined();
});

test('a repository that is removed leaves nothing behind', async () => {
  const repo = await newRepo();
  const oid = await commit(repo, { a: '1' });
  await mustUpdateRefs(repo, [{ ref: 'refs/heads/main', from: null, to: oid }]);
  await read(repo, 'main');
  expect(repo.store.cache.size()).toBeGreaterThan(0);
  await removeRepository(repo);
  expect(repo.store.cache.size()).toBe(0);
});

test('a reader for bulk work keeps nothing', async () => {
  const repo = await newRepo();
  const oid = await commit(repo, { a: '1' });
  const before = repo.store.cache.size();
  await using reader = await openObjects(repo, { isBulk: true });
  await reader.getTree((await reader.getCommit(oid)).tree);
  expect(repo.store.cache.size()).toBe(before);
});

test('a file is read from memory the second time, whoever reads it', async () => {
  const repo = await newRepo();
  const oid = await commit(repo, { 'd/a': 'text', big: 'x'.repeat(300 * 1024) });
  const readFile = async (folder: string, name: string) => {
    await using reader = await openObjects(repo);
    const tree = await reader.findFolder(oid, folder);
    const entry = tree && (await reader.findChild(tree, name));
    return entry && (await reader.get(entry.oid, { type: 'blob' })).data;
  };
  expect((await readFile('d', 'a'))?.toString()).toBe('text');
  const big = await readFile('', 'big');
  await repo.store.readers.closeAll();
  const { result, started } = await countGitProcesses(() => readFile('d', 'a'));
  expect([result?.toString(), started]).toEqual(['text', []]);
  // What is too large for the cache is read again.
  const again = await countGitProcesses(() => readFile('', 'big'));
  expect([again.result?.length, again.started]).toEqual([big?.length, ['cat-file']]);
});
