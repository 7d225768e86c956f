import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openObjects } from '#git/objects/objects.ts';
import { emptyTree } from '#git/objects/oid.ts';
import { writeBlob, writeObjects, writeTag } from '#git/objects/write-objects.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import type { GitRepository } from '#git/repo.ts';
import { createRepository } from '#git/store.ts';
import { ada, commit, git, kindOf, newRepo, newStore, scratch } from './support.ts';

const absent = 'f'.repeat(40);

test('an object is found by its name, by a ref, and by a path behind either', async () => {
  const repo = await newRepo();
  const oid = await commit(repo, { 'folder/a.txt': 'hello' });
  await updateRefs(repo, [{ ref: 'refs/heads/main', to: oid }]);
  await using reader = await openObjects(repo);

  const blob = { oid: 'b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0', type: 'blob', size: 5 };
  expect(await reader.findInfo(oid)).toMatchObject({ oid, type: 'commit' });
  expect(await reader.findInfo('HEAD')).toMatchObject({ oid });
  expect(await reader.findInfo('refs/heads/main', { path: 'folder/a.txt' })).toEqual(blob);
  expect(await reader.get(oid, { path: 'folder/a.txt', type: 'blob' })).toMatchObject({ ...blob, data: Buffer.from('hello') });
  expect(await reader.getTree(oid, 'folder')).toMatchObject([{ name: 'a.txt', mode: '100644', oid: blob.oid }]);
  expect(await reader.findInfo(absent)).toBeUndefined();
  expect(await reader.findInfo(oid, { path: 'folder/none' })).toBeUndefined();
  expect(await reader.getTree(emptyTree)).toEqual([]);
});

test.each([
  '-x',
  ':(glob)*',
  'a\nb',
  'a\n1234567890123456789012345678901234567890 blob 3',
  'ü ~^:?*[',
  'with space',
  '"quoted"',
  '\ta',
])('weird bytes in a name: the file %j is found, and its absence too', async (path) => {
  const repo = await newRepo();
  const [with_, without] = [await commit(repo, { [path]: 'x' }), await commit(repo, { other: 'y' })];
  await using reader = await openObjects(repo);
  const found = await Promise.all([
    reader.findInfo(with_, { path }),
    reader.findInfo(without, { path }),
    reader.findInfo(without, { path: 'other' }),
  ]);
  expect(found.map((info) => info?.size)).toEqual([1, undefined, 1]);
});

test.each(['../x', '.git/config', '/etc/passwd', 'a\0b', 'a//b', './a', ''])(
  'path escape: %j is refused before git sees it',
  async (path) => {
    const repo = await newRepo();
    const oid = await commit(repo, { a: 'x' });
    await using reader = await openObjects(repo);
    expect(await kindOf(reader.findInfo(oid, { path }))).toBe('invalid');
  },
);

test.each(['--batch-all-objects', 'main', 'HEAD@{1}', ':/x', 'refs/heads/../x', `${absent}\0info x`])(
  'Git option injection: %j is no name of an object',
  async (rev) => {
    const repo = await newRepo();
    await using reader = await openObjects(repo);
    expect(await kindOf(reader.findInfo(rev))).toBe('invalid');
  },
);

test('a name that is not UTF-8 is kept as bytes, and read by its object name', async () => {
  const repo = await newRepo();
  const oid = await writeBlob(repo, Buffer.from('x'));
  const name = Buffer.from([0x66, 0xff, 0xfe]);
  const data = Buffer.concat([Buffer.from('100644 '), name, Buffer.from([0]), Buffer.from(oid, 'hex')]);
  const [tree = ''] = await writeObjects(repo, [{ type: 'tree', data }]);
  await using reader = await openObjects(repo);
  expect(await reader.getTree(tree)).toMatchObject([{ bytes: name, name: 'f\ufffd\ufffd', oid }]);
});

test('a huge file over the cap is named with its size and not read', async () => {
  const repo = await newRepo();
  const oids = await writeObjects(repo, [
    { type: 'blob', data: Buffer.alloc(5000, 'x') },
    { type: 'blob', data: Buffer.from('small') },
  ]);
  await using reader = await openObjects(repo);
  const results = await Array.fromAsync(reader.readMany([...oids, absent], { maxSize: 1000 }));
  expect(results).toMatchObject([{ problem: 'too-large', size: 5000 }, { object: { size: 5 } }, { problem: 'missing' }]);
  expect(await kindOf(reader.find(oids[0] ?? '', { maxSize: 1000 }))).toBe('too-large');
});

test('many objects come back in their order, whatever their size', async () => {
  const repo = await newRepo();
  const contents = Array.from({ length: 5000 }, (_, index) => Buffer.alloc((index * 7919) % 9000, String(index)));
  const oids = await writeObjects(
    repo,
    contents.map((data) => ({ type: 'blob', data })),
  );
  await using reader = await openObjects(repo);
  const results = await Array.fromAsync(reader.readMany(oids));
  const equal = results.filter(
    (result, index) => 'object' in result && result.object.data.equals(contents[index] ?? Buffer.alloc(0)),
  );
  expect(equal.length).toBe(5000);
});

test('small objects come back together, without those that are not there', async () => {
  const repo = await newRepo();
  const oids = await writeObjects(repo, [
    { type: 'blob', data: Buffer.from('one') },
    { type: 'blob', data: Buffer.from('two') },
  ]);
  await using reader = await openObjects(repo);
  const objects = await reader.readSmall([oids[1] ?? '', absent, oids[0] ?? '']);
  expect(objects.map(({ oid, data }) => [oid, data.toString()])).toEqual([
    [oids[1], 'two'],
    [oids[0], 'one'],
  ]);
});

test('an open reader sees what others add later, and what is packed under it', async () => {
  const repo = await newRepo();
  await using reader = await openObjects(repo);
  expect(await reader.findInfo(absent)).toBeUndefined();
  const work = await scratch();
  await git(work, 'init', '-q', '-b', 'main');
  for (const text of ['one', 'two']) {
    await writeFile(join(work, 'a'), text);
    await git(work, 'add', '.');
    await git(work, 'commit', '-q', '-m', text);
    await git(work, 'push', '-q', repo.path, 'main');
    const head = (await git(work, 'rev-parse', 'HEAD')).trim();
    expect((await reader.getCommit('refs/heads/main')).oid).toBe(head);
    await git(repo.path, 'gc', '-q', '--prune=now');
    expect((await reader.getCommit(head)).message).toBe(`${text}\n`);
  }
});

test('a commit and a tag are read with their people, times and zones', async () => {
  const repo = await newRepo();
  const oid = await commit(repo, { a: 'x' }, [], 'Größe\n\nBody\n');
  const tag = await writeTag(repo, { name: 'v1', target: oid, targetType: 'commit', tagger: ada, message: 'One\n' });
  await using reader = await openObjects(repo);
  expect(await reader.getCommit(tag)).toMatchObject({
    oid,
    parents: [],
    author: ada,
    committer: ada,
    message: 'Größe\n\nBody\n',
  });
  expect(await reader.getTag(tag)).toEqual({
    oid: tag,
    target: oid,
    targetType: 'commit',
    name: 'v1',
    tagger: ada,
    message: 'One\n',
  });
  expect(await kindOf(reader.getTag(oid))).toBe('not-found');
});

test('readers are kept for the latest repositories, and closed with the store', async () => {
  const store = await newStore({ readers: 2, readerIdle: 60_000 });
  const repos = await Promise.all([1, 2, 3, 4].map((id) => createRepository(store, id, { defaultBranch: 'main' })));
  for (const repo of repos) {
    await using reader = await openObjects(repo);
    await reader.findInfo(absent);
  }
  expect(store.readers.open()).toBe(2);
  await store.readers.closeAll();
  expect(store.readers.open()).toBe(0);
});

test('a reader whose process dies starts another one', async () => {
  const repo = await newRepo();
  const oid = await commit(repo, { a: 'x' });
  await using reader = await openObjects(repo);
  await reader.findInfo(oid);
  await killReader(repo);
  expect(await reader.findInfo(oid)).toMatchObject({ oid });
});

async function killReader(repo: GitRepository): Promise<void> {
  await repo.store.readers.closeOf(repo.path);
}

test('an enormous commit is read in part, and keeps nobody from reading the others', async () => {
  const repo = await newRepo();
  const small = await commit(repo, { a: '1' }, [], 'Small');
  const enormous = await commit(repo, { a: '2' }, [small], `Enormous ${'x'.repeat(3_000_000)}`);
  await using reader = await openObjects(repo);
  const commits = await reader.getCommits([enormous, small]);
  expect(commits.map(({ oid, parents }) => [oid, parents])).toEqual([
    [enormous, [small]],
    [small, []],
  ]);
  expect(commits[0]).toMatchObject({ author: { name: ada.name }, message: `Enormous ${'x'.repeat(64 * 1024 - 9)}` });
  expect(await reader.getCommit(enormous)).toEqual(commits[0]);
  const tree = commits[0]?.tree ?? '';
  expect([...(await reader.findCommits([small, absent, tree])).keys()]).toEqual([small]);
  expect(await kindOf(reader.getCommits([small, absent]))).toBe('not-found');
  const blob = await writeBlob(repo, Buffer.alloc(2_000_000, 'b'));
  expect(await kindOf(reader.getCommits([blob]))).toBe('not-found');
  expect(await kindOf(reader.getCommit(blob))).toBe('not-found');
});

test('commits are found by the beginnings of their names, and by nothing else', async () => {
  const repo = await newRepo();
  const [one, other] = [await commit(repo, { a: '1' }), await commit(repo, { a: '2' })];
  const blob = await writeBlob(repo, Buffer.from('x'));
  const tag = await writeTag(repo, { name: 'v1', target: one, targetType: 'commit', tagger: ada, message: 'x' });
  await updateRefs(repo, [{ ref: `refs/heads/${other.slice(0, 9)}`, to: one }]);
  await using reader = await openObjects(repo);
  const prefixes = [
    one,
    one.slice(0, 7),
    other.slice(0, 20),
    other.slice(0, 9),
    blob,
    blob.slice(0, 7),
    tag,
    absent,
    '0'.repeat(7),
  ];
  expect([...(await reader.findCommitNames(prefixes))]).toEqual([
    [one, one],
    [one.slice(0, 7), one],
    [other.slice(0, 20), other],
  ]);
});

test.each(['main', '-1234567', 'abcdef', 'abcdef1\n', 'abcdef1^', `${absent}0`, 'ABCDEF1'])(
  'Git option injection: %j is no beginning of a name',
  async (digits) => {
    const repo = await newRepo();
    await using reader = await openObjects(repo);
    expect(await kindOf(reader.findCommitNames([digits]))).toBe('invalid');
  },
);
