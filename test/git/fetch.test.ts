import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { updateRefs } from '#git/refs/update-refs.ts';
import { repoOf } from '#git/store.ts';
import { flushPacket, packet } from '#git/transport/pkt-line.ts';
import { advertiseRefs, protocolOf, uploadPack } from '#git/transport/smart-http.ts';
import { commit, git, kindOf, newRepo, openTransfers, scratch, serve } from './support.ts';

test.each(['0', '2'])('protocol %s: a shallow clone, its deepening, and a push from it', async (version) => {
  const repo = await newRepo();
  let tip = await commit(repo, { a: '0' });
  for (let index = 1; index < 5; index++) tip = await commit(repo, { a: String(index) }, [tip]);
  await updateRefs(repo, [{ ref: 'refs/heads/main', to: tip }]);
  const { url } = await serve(repo);
  const work = await scratch();
  const protocol = ['-c', `protocol.version=${version}`];
  await git(work, ...protocol, 'clone', '-q', '--depth=2', url, '.');
  expect((await git(work, 'rev-list', '--count', 'HEAD')).trim()).toBe('2');
  await writeFile(join(work, 'b'), 'new');
  await git(work, 'add', '.');
  await git(work, 'commit', '-q', '-m', 'On top');
  await git(work, ...protocol, 'push', '-q', 'origin', 'main');
  await git(work, ...protocol, 'fetch', '-q', '--unshallow');
  expect((await git(work, 'rev-list', '--count', 'HEAD')).trim()).toBe('6');
  expect((await git(repo.path, 'rev-list', '--count', 'main')).trim()).toBe('6');
});

test('a large push streams through in bounded memory and is cloned whole', async () => {
  const repo = await newRepo();
  const { url } = await serve(repo);
  const work = await scratch();
  await git(work, 'init', '-q', '-b', 'main');
  await mkdir(join(work, 'd'));
  for (let index = 0; index < 10; index++) await writeFile(join(work, 'd', String(index)), randomBytes(5_000_000));
  await git(work, '-c', 'core.compression=0', 'add', '.');
  await git(work, 'commit', '-q', '-m', 'Large');
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 5);
  await git(work, '-c', 'core.compression=0', '-c', 'pack.window=0', 'push', '-q', url, 'main');
  const copy = await scratch();
  await git(copy, 'clone', '-q', '--bare', url, '.');
  clearInterval(timer);
  expect(await git(copy, 'rev-parse', 'main^{tree}')).toBe(await git(work, 'rev-parse', 'main^{tree}'));
  expect(await git(copy, 'fsck', '--no-progress')).toBe('');
  expect((most - before) / 1024 / 1024).toBeLessThan(60);
});

test.each(['0', '2'])('protocol %s: internal refs are hidden, heads of pull requests are not', async (version) => {
  const repo = await newRepo();
  const [main, pull, secret] = [await commit(repo, { a: '1' }), await commit(repo, { a: '2' }), await commit(repo, { a: '3' })];
  await updateRefs(repo, [
    { ref: 'refs/heads/main', to: main },
    { ref: 'refs/pull/1/head', to: pull },
    { ref: 'refs/hearth/keep', to: secret },
  ]);
  const { url } = await serve(repo);
  const listed = await git('/', '-c', `protocol.version=${version}`, 'ls-remote', url);
  expect(listed).toContain('refs/pull/1/head');
  expect(listed).not.toContain('hearth');
});

test.each(['0', '2'])(
  'protocol %s: a reachable commit is fetched by its name, one of another repository never',
  async (version) => {
    const repo = await newRepo();
    const [root, other] = [await commit(repo, { a: '1' }), await newRepo()];
    const tip = await commit(repo, { a: '2' }, [root]);
    await updateRefs(repo, [{ ref: 'refs/heads/main', to: tip }]);
    const foreign = await commit(other, { foreign: 'x' });
    const { url } = await serve(repo);
    const work = await scratch();
    await git(work, 'init', '-q');
    const fetch = (oid: string) => git(work, '-c', `protocol.version=${version}`, 'fetch', '-q', '--depth=1', url, oid);
    await fetch(root);
    expect((await git(work, 'rev-parse', 'FETCH_HEAD')).trim()).toBe(root);
    await expect(fetch(foreign)).rejects.toThrow(/not our ref/);
  },
);

test('a clone without file contents fetches them when they are wanted', async () => {
  const repo = await newRepo();
  await updateRefs(repo, [{ ref: 'refs/heads/main', to: await commit(repo, { a: 'lazy' }) }]);
  const { url } = await serve(repo);
  const work = await scratch();
  await git(work, 'clone', '-q', '--filter=blob:none', '--no-checkout', url, '.');
  expect(await git(work, 'cat-file', '--batch-all-objects', '--batch-check')).not.toContain('blob');
  expect(await git(work, 'show', 'HEAD:a')).toBe('lazy');
});

test.each(['0', '1', '2'])('protocol %s: a filter by an absent list of paths says what is missing', async (version) => {
  const repo = await newRepo();
  await updateRefs(repo, [{ ref: 'refs/heads/main', to: await commit(repo, { a: 'one', b: 'two', paths: '/a\n' }) }]);
  const { url } = await serve(repo);
  const clone = async (...filters: string[]) => {
    const work = await scratch();
    const named = filters.map((filter) => `--filter=${filter}`);
    await git(work, '-c', `protocol.version=${version}`, 'clone', '-q', ...named, '--no-checkout', url, '.');
    return work;
  };
  const absent = 'sparse:oid=5a1e2f35a1e2f35a1e2f35a1e2f35a1e2f35a1e2';
  await expect(clone(absent)).rejects.toThrow(`The filter ${absent} names nothing in this repository`);
  await expect(clone('sparse:oid=main:none')).rejects.toThrow('sparse:oid=main:none names nothing');
  await expect(clone('blob:limit=1m', 'sparse:oid=main:none')).rejects.toThrow('sparse:oid=main:none names nothing');
  expect(await git(await clone('sparse:oid=main:paths'), 'cat-file', '--batch-all-objects', '--batch-check')).toContain('blob');
});

test('an empty repository is cloned, with the name of its branch', async () => {
  const repo = await newRepo();
  const { url } = await serve(repo);
  const work = await scratch();
  await git(work, 'clone', '-q', url, '.');
  expect((await git(work, 'symbolic-ref', 'HEAD')).trim()).toBe('refs/heads/main');
});

test('a repository that is not on disk is unavailable', async () => {
  const repo = await newRepo();
  const none = repoOf(repo.store, 2);
  expect(await kindOf(advertiseRefs(none, 'git-upload-pack'))).toBe('unavailable');
  expect(await kindOf(uploadPack(none, Readable.from([])))).toBe('unavailable');
});

test.each([
  [undefined, undefined],
  ['version=2', 'version=2'],
  ['version=1:version=2', 'version=2'],
  ['version=1', 'version=1'],
  ['version=3', undefined],
  ['version=2\nGIT_DIR=/etc', undefined],
])('the Git-Protocol header %j reaches git as %j', (header, expected) => {
  expect(protocolOf(header)).toBe(expected);
});

test('an advertisement for pushes opens in the old form whatever the protocol', async () => {
  const repo = await newRepo();
  const text = (await buffer(await advertiseRefs(repo, 'git-receive-pack', { protocol: 'version=2' }))).toString('latin1');
  expect(text).toMatch(/^001f# service=git-receive-pack\n0000[0-9a-f]{4}0{40} capabilities\^\{\}\0/);
});

test('a gzip request is read; noise is refused before a reply begins', async () => {
  const repo = await newRepo();
  const oid = await commit(repo, { a: 'x' });
  await updateRefs(repo, [{ ref: 'refs/heads/main', to: oid }]);
  const ask = Buffer.concat([packet('command=ls-refs\n'), Buffer.from('0001'), packet('ref-prefix refs/heads/\n'), flushPacket]);
  const options = { protocol: 'version=2', gzip: true };
  expect((await buffer(await uploadPack(repo, Readable.from([gzipSync(ask)]), options))).toString()).toContain(
    `${oid} refs/heads/main`,
  );
  for (const [bytes, gzip] of [
    ['zzzz', false],
    ['GET / HTTP/1.1', false],
    ['no gzip', true],
  ] as const) {
    expect(await kindOf(uploadPack(repo, Readable.from([Buffer.from(bytes)]), { gzip }))).toBe('invalid');
  }
});

test('a reader that goes away ends git', async () => {
  const repo = await newRepo();
  const oid = await commit(repo, { a: randomBytes(3_000_000).toString('hex') });
  await updateRefs(repo, [{ ref: 'refs/heads/main', to: oid }]);
  const ask = Buffer.concat([packet(`want ${oid} side-band-64k ofs-delta\n`), flushPacket, packet('done\n')]);
  const replies = await Promise.all([1, 2].map(() => uploadPack(repo, Readable.from([ask]))));
  expect(openTransfers(repo)).toBe(2);
  replies[0]?.destroy();
  await expect.poll(() => openTransfers(repo)).toBe(1);
  for await (const _ of replies[1] ?? []) break;
  await expect.poll(() => openTransfers(repo)).toBe(0);
});
