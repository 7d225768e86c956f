import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { commitChanges } from '#git/history/commit-changes.ts';
import { mergeCommits } from '#git/history/merge.ts';
import { openObjects } from '#git/objects/objects.ts';
import { emptyTree, type Oid } from '#git/objects/oid.ts';
import { listTree } from '#git/objects/tree-list.ts';
import { writeFiles } from '#git/objects/write-files.ts';
import { writeBlob, writeCommit, writeObjects } from '#git/objects/write-objects.ts';
import { type TreeChange, writeTree } from '#git/objects/write-tree.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import type { GitRepository } from '#git/repo.ts';
import { ada, commit, git, kindOf, newRepo } from './support.ts';

const absent = 'f'.repeat(40);
const file = (path: string, text = path): TreeChange => ({ path, mode: '100644', content: Buffer.from(text) });

async function paths(repo: GitRepository, tree: Oid): Promise<string[]> {
  const { entries } = await listTree(repo, tree, { recursive: true, limit: 1_000 });
  return entries.map(({ path, mode, size }) => `${mode} ${path} ${size}`);
}

test('a tree is written from a base and changes, as git itself would', async () => {
  const repo = await newRepo();
  const base = await writeTree(repo, { changes: [file('a'), file('b/c/d'), file('b/e'), file('b.txt'), file('b-')] });
  const tree = await writeTree(repo, {
    base,
    changes: [
      { path: 'b/c/d', mode: '100644', oid: null },
      { path: 'run.sh', mode: '100755', content: Buffer.from('#!') },
      { path: 'link', mode: '120000', content: Buffer.from('/etc/passwd') },
      file('a', 'changed'),
      file('b/new/x'),
    ],
  });
  expect(await paths(repo, tree)).toEqual([
    '100644 a 7',
    '100644 b- 2',
    '100644 b.txt 5',
    '100644 b/e 3',
    '100644 b/new/x 7',
    '120000 link 11',
    '100755 run.sh 2',
  ]);
  expect(await git(repo.path, 'fsck', '--strict', '--no-dangling')).toBe('');
});

test('the last file of a folder takes the folder with it; no file at all is the empty tree', async () => {
  const repo = await newRepo();
  const base = await writeTree(repo, { changes: [file('x/y/z')] });
  expect(await writeTree(repo, { base, changes: [{ path: 'x/y/z', mode: '100644', oid: null }] })).toBe(emptyTree);
  expect(await writeTree(repo, { changes: [] })).toBe(emptyTree);
});

test('a file may take the place of a folder, and a folder that of a file', async () => {
  const repo = await newRepo();
  const base = await writeTree(repo, { changes: [file('a/b'), file('c')] });
  const tree = await writeTree(repo, { base, changes: [file('a', '1'), file('c/d', '2')] });
  expect(await paths(repo, tree)).toEqual(['100644 a 1', '100644 c/d 1']);
});

test.each([
  ['path escape', [file('../x')], 'invalid'],
  ['path escape', [file('a/../../x')], 'invalid'],
  ['path escape', [file('.git/hooks/post-receive')], 'invalid'],
  ['path escape', [file('a/.GIT/config')], 'invalid'],
  ['path escape', [file('.g\u200cit/config')], 'invalid'],
  ['path escape', [file('git~1/config')], 'invalid'],
  ['path escape', [file('.git./config')], 'invalid'],
  ['path escape', [file('.git::$INDEX_ALLOCATION/config')], 'invalid'],
  ['path escape', [file('.git\\config')], 'invalid'],
  ['path escape', [file('/etc/passwd')], 'invalid'],
  ['path escape', [file('a\0b')], 'invalid'],
  ['symlink escape', [{ path: '.gitmodules', mode: '120000', content: Buffer.from('/etc/passwd') }], 'invalid'],
  ['symlink escape', [{ path: 'link', mode: '120000', content: Buffer.from('..') }, file('link/x')], 'invalid'],
  ['duplicate tree entries', [file('a', '1'), file('a', '2')], 'invalid'],
  ['duplicate tree entries', [file('a', '1'), file('a/b', '2')], 'invalid'],
  ['a missing object', [{ path: 'a', mode: '100644', oid: absent }], 'not-found'],
  ['an object of another type', [{ path: 'a', mode: '100644', oid: emptyTree }], 'not-found'],
  ['a deleted path that is not there', [{ path: 'a/b', mode: '100644', oid: null }], 'not-found'],
] satisfies [string, TreeChange[], string][])('%s: the change %j is refused', async (_class, changes, kind) => {
  const repo = await newRepo();
  expect(await kindOf(writeTree(repo, { changes }))).toBe(kind);
});

test('duplicate tree entries: git refuses the object itself', async () => {
  const repo = await newRepo();
  const oid = Buffer.from(await writeBlob(repo, Buffer.from('x')), 'hex');
  const entry = Buffer.concat([Buffer.from('100644 a\0'), oid]);
  expect(await kindOf(writeObjects(repo, [{ type: 'tree', data: Buffer.concat([entry, entry]) }]))).toBe('invalid');
});

test('a tree of more files than stay loose is written too', async () => {
  const repo = await newRepo();
  const changes = Array.from({ length: 500 }, (_, index) => file(`d${index % 7}/f${index}`));
  const tree = await writeTree(repo, { changes });
  expect(await paths(repo, tree)).toHaveLength(500);
  const fewer = await writeTree(repo, {
    base: tree,
    changes: changes.slice(1).map(({ path }) => ({ path, mode: '100644', oid: null })),
  });
  expect(await paths(repo, fewer)).toEqual(['100644 d0/f0 5']);
});

test('the same commit has the same name, which git gives it too', async () => {
  const repo = await newRepo();
  const tree = await writeTree(repo, { changes: [file('a')] });
  const wanted = { tree, parents: [], author: ada, committer: { ...ada, zone: -330 }, message: 'Message without an end' };
  const oid = await writeCommit(repo, wanted);
  expect(oid).toBe(await writeCommit(repo, wanted));
  expect(await git(repo.path, 'cat-file', 'commit', oid)).toBe(
    `tree ${tree}\nauthor Ada Lovelace <ada@example.org> 1714979289 +0200\n` +
      'committer Ada Lovelace <ada@example.org> 1714979289 -0530\n\nMessage without an end',
  );
  await using reader = await openObjects(repo);
  expect(await reader.getCommit(oid)).toMatchObject({ committer: { zone: -330 } });
});

test('an identity cannot break out of its line', async () => {
  const repo = await newRepo();
  const tree = await writeTree(repo, { changes: [file('a')] });
  const author = { ...ada, name: 'A\nparent 123 <x>', email: 'a>\n<b' };
  const oid = await writeCommit(repo, { tree, parents: [], author, committer: ada, message: 'x' });
  await using reader = await openObjects(repo);
  expect(await reader.getCommit(oid)).toMatchObject({ parents: [], author: { name: 'Aparent 123 x', email: 'ab' } });
});

test('a signature is stored, and what it signs is read back', async () => {
  const repo = await newRepo();
  const tree = await writeTree(repo, { changes: [file('a')] });
  const unsigned = { tree, parents: [], author: ada, committer: ada, message: 'x\n' };
  const signature = '-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----';
  const oid = await writeCommit(repo, { ...unsigned, signature });
  const plain = await writeCommit(repo, unsigned);
  await using reader = await openObjects(repo);
  expect(await reader.getCommit(oid)).toMatchObject({
    signature,
    message: 'x\n',
    payload: Buffer.from(await git(repo.path, 'cat-file', 'commit', plain)),
  });
});

test('a commit of changes is the same as its tree and commit written apart', async () => {
  const repo = await newRepo();
  const parent = await commit(repo, { a: '1', b: '1' });
  const who = { author: ada, committer: ada, message: 'Change' };
  const made = await commitChanges(repo, { ...who, parents: [parent], changes: [file('a', '2'), file('c/d')] });
  const tree = await writeTree(repo, { base: parent, changes: [file('a', '2'), file('c/d')] });
  expect(made).toEqual({ tree, commit: await writeCommit(repo, { ...who, tree, parents: [parent] }) });
  const first = await commitChanges(repo, { ...who, parents: [], changes: [file('a')] });
  expect(await paths(repo, first.commit)).toEqual(['100644 a 1']);
  expect(await kindOf(commitChanges(repo, { ...who, parents: [absent], changes: [file('a')] }))).toBe('not-found');
  expect(await kindOf(commitChanges(repo, { ...who, parents: [tree], changes: [file('a')] }))).toBe('not-found');
});

test('a commit on a missing parent or tree is refused', async () => {
  const repo = await newRepo();
  const tree = await writeTree(repo, { changes: [file('a')] });
  const wanted = { author: ada, committer: ada, message: 'x' };
  expect(await kindOf(writeCommit(repo, { ...wanted, tree: absent, parents: [] }))).toBe('not-found');
  expect(await kindOf(writeCommit(repo, { ...wanted, tree, parents: [absent] }))).toBe('not-found');
  expect(await kindOf(writeCommit(repo, { ...wanted, tree, parents: [], message: 'a\0b' }))).toBe('invalid');
});

test('commits are merged, or their conflicts named', async () => {
  const repo = await newRepo();
  const base = await commit(repo, { a: '1\n', b: '1\n' });
  const one = await commit(repo, { a: '2\n', b: '1\n' }, [base]);
  const other = await commit(repo, { a: '1\n', b: '3\n' }, [base]);
  const clash = await commit(repo, { a: '4\n', b: '1\n' }, [base]);
  const merge = await mergeCommits(repo, { ours: one, theirs: other });
  expect(merge).toEqual({ merged: true, tree: await writeTree(repo, { changes: [file('a', '2\n'), file('b', '3\n')] }) });
  expect(await mergeCommits(repo, { ours: one, theirs: clash })).toEqual({ merged: false, paths: ['a'] });
  const stranger = await commit(repo, { z: '1' });
  expect(await mergeCommits(repo, { ours: one, theirs: stranger })).toEqual({ merged: false, paths: [] });
});

test('concurrent writers of one branch: exactly one wins', async () => {
  const repo = await newRepo();
  const base = await commit(repo, { a: '0' });
  await updateRefs(repo, [{ ref: 'refs/heads/main', from: null, to: base }]);
  const commits = await Promise.all(Array.from({ length: 12 }, (_, index) => commit(repo, { a: String(index) }, [base])));
  const results = await Promise.all(commits.map((to) => updateRefs(repo, [{ ref: 'refs/heads/main', from: base, to }])));
  expect(results.filter(({ updated }) => updated)).toHaveLength(1);
  expect(results.filter((result) => !result.updated).every((result) => result.updated || result.reason === 'moved')).toBe(true);
});

test('files whose paths are megabytes together are not written', async () => {
  const repo = await newRepo();
  let given = 0;
  async function* files() {
    for (; given < 20_000; given++)
      yield { path: `${given}${'n'.repeat(4_000)}`, size: 0, bytes: Readable.from([]) as AsyncIterable<Buffer> };
  }
  await expect(writeFiles(repo, files())).rejects.toThrow(/git\.newPaths/);
  expect(given).toBeLessThan(9_000);
  const changes = Array.from({ length: 9_000 }, (_, at) => ({
    path: `${at}${'n'.repeat(4_000)}`,
    mode: '100644' as const,
    content: Buffer.alloc(0),
  }));
  await expect(writeTree(repo, { changes })).rejects.toThrow(/git\.newPaths/);
});
