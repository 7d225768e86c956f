import { expect, test } from 'vitest';
import { listChanges } from '#git/history/changes.ts';
import { compareCommits, diffCommit, listAhead } from '#git/history/compare.ts';
import { diffTrees } from '#git/history/diff.ts';
import { countCommits, listCommits, listNewCommits } from '#git/history/history.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { listTree } from '#git/objects/tree-list.ts';
import { writeCommit } from '#git/objects/write-objects.ts';
import { writeTree } from '#git/objects/write-tree.ts';
import { run } from '#git/process/run.ts';
import type { GitRepository } from '#git/repo.ts';
import { ada, commit, kindOf, newRepo } from './support.ts';

const bob = { ...ada, name: 'Bob [x]', email: 'bob+1@example.org', date: new Date('2024-06-01T00:00:00Z'), zone: 0 };

/** Three commits: Ada's `a`, Bob's `b`, Ada's change of `a`. */
async function line(repo: GitRepository): Promise<[Oid, Oid, Oid]> {
  const one = await commit(repo, { a: '1\n' }, [], 'One');
  const tree = await writeTree(repo, { base: one, changes: [{ path: 'b', mode: '100644', content: Buffer.from('2\n') }] });
  const two = await writeCommit(repo, { tree, parents: [one], author: bob, committer: bob, message: 'Two' });
  const three = await commit(repo, { a: '3\n', b: '2\n' }, [two], 'Three');
  return [one, two, three];
}

test('history is listed in pages and by path, author and time', async () => {
  const repo = await newRepo();
  const [one, two, three] = await line(repo);
  const messages = async (filter: object) =>
    (await listCommits(repo, { from: three, limit: 10, ...filter })).map(({ message }) => message);
  expect(await messages({})).toEqual(['Three', 'Two', 'One']);
  expect(await messages({ limit: 1, offset: 1 })).toEqual(['Two']);
  expect(await messages({ path: 'a' })).toEqual(['Three', 'One']);
  expect(await messages({ path: 'none' })).toEqual([]);
  expect(await messages({ authors: ['BOB+1@example.org'] })).toEqual(['Two']);
  expect(await messages({ authors: ['Bob [x]', 'nobody'] })).toEqual(['Two']);
  expect(await messages({ authors: ['.*'] })).toEqual([]);
  expect(await messages({ from: two, since: new Date('2024-05-20T00:00:00Z') })).toEqual(['Two']);
  expect(await messages({ until: new Date('2024-05-20T00:00:00Z') })).toEqual(['Three', 'One']);
  expect(await countCommits(repo, { from: three })).toBe(3);
  expect(await countCommits(repo, { from: three, maxCount: 2 })).toBe(2);
  expect(await countCommits(repo, { from: three, without: one })).toBe(2);
});

test.each(['-x', '--exec=x', ':(glob)*', ':!a', '*'])('Git option injection: %s is a path and nothing else', async (path) => {
  const repo = await newRepo();
  const one = await commit(repo, { [path]: '1' }, [], 'With');
  const two = await commit(repo, { [path]: '1', other: '2' }, [one], 'Other');
  expect((await listCommits(repo, { from: two, path, limit: 9 })).map(({ message }) => message)).toEqual(['With']);
  expect(await listChanges(repo, { from: null, to: two, path })).toMatchObject([{ path, status: 'added' }]);
});

test.each(['--all', 'main', '-n1'])('Git option injection: the revision %s never reaches a command line', async (from) => {
  const repo = await newRepo();
  expect(await kindOf(listCommits(repo, { from, limit: 1 }))).toBe('invalid');
  expect(await kindOf(diffTrees(repo, { from, to: from }))).toBe('invalid');
  expect(await kindOf(listTree(repo, from, { limit: 10 }))).toBe('invalid');
});

test('a path escape in history is refused', async () => {
  const repo = await newRepo();
  const oid = await commit(repo, { a: '1' });
  expect(await kindOf(listCommits(repo, { from: oid, path: '../../etc/passwd', limit: 1 }))).toBe('invalid');
});

test('a push brings the commits that were not there before', async () => {
  const repo = await newRepo();
  const [one, two, three] = await line(repo);
  const brought = async (from: Oid | null, exclude: Oid[] = [], limit = 9) => {
    const commits = await listNewCommits(repo, { from, to: three, exclude, limit });
    return commits.map(({ message }) => message);
  };
  expect(await brought(one)).toEqual(['Two', 'Three']);
  expect(await brought(null)).toEqual(['One', 'Two', 'Three']);
  expect(await brought(null, [two])).toEqual(['Three']);
  expect(await brought(null, [], 1)).toEqual(['Three']);
});

test('a commit is shown with its files, counts and patches', async () => {
  const repo = await newRepo();
  const long = Array.from({ length: 30 }, (_, index) => `line ${index}\n`).join('');
  const one = await commit(repo, { 'keep.txt': long, 'gone ü.txt': 'x\n', 'change\t".txt': 'a\nb\n', bin: '\0\x01' });
  const two = await commit(repo, { 'moved/keep.txt': `${long}more\n`, 'change\t".txt': 'a\nB\nc\n', bin: '\0\x02', empty: '' }, [
    one,
  ]);
  await using reader = await openObjects(repo);
  const diff = await diffCommit(repo, await reader.getCommit(two));
  expect(diff).toMatchObject({ additions: 3, deletions: 2, truncated: false });
  const by = Object.fromEntries(diff.files.map((file) => [file.path, file]));
  expect(by['moved/keep.txt']).toMatchObject({ status: 'renamed', previousPath: 'keep.txt', additions: 1, deletions: 0 });
  expect(by['moved/keep.txt']?.patch).toBe('@@ -28,3 +28,4 @@ line 26\n line 27\n line 28\n line 29\n+more');
  expect(by['gone ü.txt']).toMatchObject({ status: 'removed', deletions: 1, patch: '@@ -1 +0,0 @@\n-x' });
  expect(by['change\t".txt']).toMatchObject({ status: 'modified', patch: '@@ -1,2 +1,3 @@\n a\n-b\n+B\n+c' });
  expect(by.bin).toMatchObject({ status: 'modified', binary: true, additions: 0 });
  expect(by.bin?.patch).toBeUndefined();
  expect(by.empty).toMatchObject({ status: 'added', additions: 0 });
  expect(diff.files).toHaveLength(5);
});

test('a file that becomes a link, and content that looks like a patch, keep each patch with its file', async () => {
  const repo = await newRepo();
  const one = await commit(repo, { a: 'x\n', b: '1\n', c: '1\n' });
  const tree = await writeTree(repo, {
    base: one,
    changes: [
      { path: 'a', mode: '120000', content: Buffer.from('/etc/passwd') },
      { path: 'b', mode: '100644', content: Buffer.from('1\ndiff --git a/x b/x\n@@ -1 +1 @@\n') },
      { path: 'c', mode: '100755', content: Buffer.from('2\n') },
    ],
  });
  const two = await writeCommit(repo, { tree, parents: [one], author: ada, committer: ada, message: 'x' });
  const { files } = await diffTrees(repo, { from: one, to: two });
  expect(files.map(({ path, status, patch }) => [path, status, patch])).toEqual([
    ['a', 'changed', '@@ -1 +0,0 @@\n-x\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file'],
    ['b', 'modified', '@@ -1 +1,3 @@\n 1\n+diff --git a/x b/x\n+@@ -1 +1 @@'],
    ['c', 'modified', '@@ -1 +1 @@\n-1\n+2'],
  ]);
});

test('patches stop at their limits, the files and counts never do', async () => {
  const repo = await newRepo();
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, `${'x'.repeat(1000)}\n`]));
  const oid = await commit(repo, { ...files, big: `${'y'.repeat(5000)}\n` });
  const all = await diffTrees(repo, { from: null, to: oid, filePatchSize: 2000 });
  expect(all.files.filter(({ patch }) => patch === undefined).map(({ path }) => path)).toEqual(['big']);
  const some = await diffTrees(repo, { from: null, to: oid, patchSize: 20_000 });
  expect(some).toMatchObject({ truncated: true, additions: 41 });
  const patched = some.files.filter(({ patch }) => patch !== undefined);
  expect(patched.length).toBeGreaterThan(5);
  expect(patched.every(({ patch }) => patch?.endsWith('\n+'.concat('y'.repeat(5000))) || patch?.endsWith('x'.repeat(1000)))).toBe(
    true,
  );
  const none = await diffTrees(repo, { from: null, to: oid, patchSize: 0 });
  expect([none.files.length, none.files.some(({ patch }) => patch)]).toEqual([41, false]);
});

test('two branches are compared from where they part', async () => {
  const repo = await newRepo();
  const base = await commit(repo, { a: '1\n' }, [], 'Base');
  const main = await commit(repo, { a: '1\n', main: 'x' }, [base], 'Main');
  const topic = await commit(repo, { a: '2\n' }, [base], 'Topic');
  const next = await commit(repo, { a: '3\n' }, [topic], 'Next');
  expect(await compareCommits(repo, { base: main, head: next })).toEqual({ mergeBase: base, ahead: 2, behind: 1 });
  expect(
    (await listAhead(repo, { base: main, head: next, ahead: 2, limit: 1, offset: 1 })).map(({ message }) => message),
  ).toEqual(['Next']);
  expect((await diffTrees(repo, { from: base, to: next })).files).toMatchObject([{ path: 'a', additions: 1, deletions: 1 }]);
  const stranger = await commit(repo, { z: '1' }, [], 'Stranger');
  expect(await compareCommits(repo, { base: main, head: stranger })).toEqual({ ahead: 1, behind: 2 });
});

test('whatever two histories look like, their comparison is that of git', async () => {
  const repo = await newRepo();
  const oids: Oid[] = [];
  // A line of commits with branches from it, and now and then a merge or a second root.
  for (let at = 0; at < 24; at++) {
    const parents =
      at === 0 || at === 9 ? [] : at % 7 === 6 ? [oids[at - 1], oids[at - 4]] : [oids[Math.max(0, at - 1 - (at % 3))]];
    oids.push(
      await commit(
        repo,
        { a: `${at}` },
        parents.flatMap((oid) => oid ?? []),
        `${at}`,
      ),
    );
  }
  const lines = async (...args: string[]) =>
    (await run(repo, args, { codes: [0, 1] })).stdout.toString().split('\n').filter(Boolean);
  for (let at = 0; at < 24; at++) {
    const [base = '', head = ''] = [oids[at], oids[(at * 5 + 3) % 24]];
    const found = await compareCommits(repo, { base, head });
    const own = await lines('rev-list', '--topo-order', '--reverse', head, `^${base}`, '--');
    const [mergeBase] = await lines('merge-base', base, head);
    expect([at, found]).toEqual([
      at,
      {
        ...(mergeBase === undefined ? {} : { mergeBase }),
        ahead: own.length,
        behind: (await lines('rev-list', base, `^${head}`, '--')).length,
      },
    ]);
    const commits = await listAhead(repo, { base, head, ahead: own.length, limit: 100 });
    expect(commits.map(({ oid }) => oid)).toEqual(own);
  }
});

test('a tree is listed with sizes, in full or one level, and cut at a limit', async () => {
  const repo = await newRepo();
  const oid = await commit(repo, { 'd/e/f': '12345', 'd\n"x"': '1', z: '' });
  const list = async (options: object) => {
    const { entries, truncated } = await listTree(repo, oid, { limit: 100, ...options });
    return [...entries.map(({ path, type, size }) => [path, type, size]), truncated];
  };
  expect(await list({})).toEqual([['d\n"x"', 'blob', 1], ['d', 'tree', undefined], ['z', 'blob', 0], false]);
  expect(await list({ recursive: true, folders: true, limit: 3 })).toEqual([
    ['d\n"x"', 'blob', 1],
    ['d', 'tree', undefined],
    ['d/e', 'tree', undefined],
    true,
  ]);
  expect(await list({ path: 'd', recursive: true })).toEqual([['d/e/f', 'blob', 5], false]);
  expect(await kindOf(listTree(repo, oid, { path: 'z', limit: 100 }))).toBe('not-found');
});

test('changed paths are listed with both sides', async () => {
  const repo = await newRepo();
  const one = await commit(repo, { a: '1', 'd/old': 'same content\n' });
  const two = await commit(repo, { b: '1', 'd/new': 'same content\n' }, [one]);
  const plain = await listChanges(repo, { from: one, to: two });
  expect(plain.map(({ path, status }) => [path, status])).toEqual([
    ['a', 'removed'],
    ['b', 'added'],
    ['d/new', 'added'],
    ['d/old', 'removed'],
  ]);
  const renamed = await listChanges(repo, { from: one, to: two, renames: true });
  expect(renamed.find(({ path }) => path === 'd/new')).toMatchObject({ status: 'renamed', previousPath: 'd/old' });
  expect(await listChanges(repo, { from: one, to: one })).toEqual([]);
});
