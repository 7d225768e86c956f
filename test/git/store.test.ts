import { spawn } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { copyRepository } from '#git/copy.ts';
import { listCommits } from '#git/history/history.ts';
import {
  checkRepository,
  collectGarbage,
  measureObjects,
  removeLeftoverFolders,
  removeLeftovers,
} from '#git/maintenance/maintenance.ts';
import { openArchive, openBlob } from '#git/objects/archive.ts';
import { openObjects } from '#git/objects/objects.ts';
import { writeCommit } from '#git/objects/write-objects.ts';
import { writeTree } from '#git/objects/write-tree.ts';
import type { Progress } from '#git/process/progress.ts';
import { run } from '#git/process/run.ts';
import { assertGitPresent } from '#git/process/version.ts';
import { getDefaultBranch, listRefs, setDefaultBranch } from '#git/refs/refs.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import type { GitRepository } from '#git/repo.ts';
import { buildRepository, createRepository, installRepository, removeRepository, repoOf, repositoryExists } from '#git/store.ts';
import { importRepository } from '#git/transport/import.ts';
import { uploadPack } from '#git/transport/smart-http.ts';
import { ada, commit, git, kindOf, newRepo, newStore, scratch, serve } from './support.ts';

test('a repository is made once, in a folder named by its number, with nothing needless in it', async () => {
  const store = await newStore();
  const made = await Promise.allSettled([1, 2, 3].map(() => createRepository(store, 1234, { defaultBranch: 'trunk' })));
  expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  const repo = repoOf(store, 1234);
  expect(repo.path).toBe(join(store.root, '01', '1234.git'));
  expect((await readdir(repo.path)).sort()).toEqual(['HEAD', 'config', 'objects', 'refs']);
  expect(await getDefaultBranch(repo)).toEqual({ name: 'trunk' });
  expect(await readdir(join(store.root, 'tmp'))).toEqual([]);
});

test('an empty repository is what git itself would make, whatever its default branch is named', async () => {
  const [store, folder] = [await newStore(), await scratch()];
  for (const [at, branch] of ['main', 'a$&b', 'zweig/größe'].entries()) {
    const { path } = await createRepository(store, at + 1, { defaultBranch: branch });
    const other = join(folder, String(at));
    await git(folder, 'init', '--quiet', '--bare', '--template=', `--initial-branch=${branch}`, other);
    const contents = async (of: string) => {
      const entries = await readdir(of, { recursive: true, withFileTypes: true });
      const read = entries.map(async (entry) => {
        const at = join(entry.parentPath, entry.name);
        return [at.slice(of.length), entry.isFile() ? await readFile(at, 'utf8') : undefined];
      });
      return (await Promise.all(read)).sort();
    };
    expect(await contents(path)).toEqual(await contents(other));
  }
});

test.each([0, -1, 1.5, Number.NaN, 2 ** 60])('%d names no repository', async (id) => {
  const store = await newStore();
  expect(() => repoOf(store, id)).toThrow(/number/);
});

test('Git option injection: a default branch is a name and nothing else', async () => {
  const store = await newStore();
  expect(await kindOf(createRepository(store, 1, { defaultBranch: 'a..b' }))).toBe('invalid');
  const repo = await createRepository(store, 1, { defaultBranch: '--template=x' });
  expect(await getDefaultBranch(repo)).toEqual({ name: '--template=x' });
});

test('a removed repository is gone, and its number can be used again', async () => {
  const repo = await newRepo();
  const oid = await commit(repo, { a: 'x' });
  await using reader = await openObjects(repo);
  await reader.findInfo(oid);
  await removeRepository(repo);
  expect(await repositoryExists(repo)).toBe(false);
  expect(repo.store.readers.open()).toBe(0);
  await removeRepository(repo);
  await createRepository(repo.store, 1, { defaultBranch: 'main' });
  expect(await reader.findInfo(oid)).toBeUndefined();
});

async function copyTo(source: GitRepository, id: number): Promise<GitRepository> {
  const { draft } = await copyRepository(source);
  await using _ = draft;
  return await installRepository(draft, id);
}

test('a copy has the branches, tags and HEAD, no other ref, and outlives its source', async () => {
  const repo = await newRepo();
  const oid = await commit(repo, { a: 'x' });
  await updateRefs(
    repo,
    ['heads/-x', 'heads/main', 'tags/v1', 'pull/1/head', 'hearth/x'].map((name) => ({ ref: `refs/${name}`, to: oid })),
  );
  await setDefaultBranch(repo, '-x');
  const copy = await copyTo(repo, 2);
  await removeRepository(repo);
  expect((await listRefs(copy, { prefix: 'refs/' })).rows.map(({ name }) => name)).toEqual([
    'refs/heads/-x',
    'refs/heads/main',
    'refs/tags/v1',
  ]);
  expect(await getDefaultBranch(copy)).toEqual({ name: '-x', oid });
  expect(await checkRepository(copy)).toEqual([]);
  expect(await git(copy.path, 'config', '--local', '--list')).not.toContain('remote');
  expect(await kindOf(copyTo(repo, 3))).toBe('unavailable');
  expect(await kindOf(copyTo(copy, 2))).toBe('conflict');
});

test('an empty repository is copied with its branch name', async () => {
  const store = await newStore();
  const copy = await copyTo(await createRepository(store, 1, { defaultBranch: 'trunk' }), 2);
  expect(await getDefaultBranch(copy)).toEqual({ name: 'trunk' });
});

test('hooks and configuration of others never take part', async () => {
  const repo = await newRepo();
  const oid = await commit(repo, { a: 'x' });
  await updateRefs(repo, [{ ref: 'refs/heads/main', to: oid }]);
  await mkdir(join(repo.path, 'hooks'));
  for (const name of ['pre-receive', 'update', 'post-update', 'post-receive', 'reference-transaction']) {
    const path = join(repo.path, 'hooks', name);
    await writeFile(path, `#!/bin/sh\ntouch ${repo.store.root}/ran\nexit 1\n`);
    await chmod(path, 0o755);
  }
  const { url } = await serve(repo, { before: async () => ({ inspect: async () => ({}) }) });
  const work = await scratch();
  await git(work, 'clone', '-q', url, '.');
  await git(work, 'push', '-q', 'origin', 'main:other');
  await updateRefs(repo, [{ ref: 'refs/heads/third', to: oid }]);
  expect(await readdir(repo.store.root)).not.toContain('ran');
  const { stdout } = await run({ store: repo.store }, ['config', '--list', '--show-scope']);
  expect(stdout.toString()).not.toMatch(/^(system|global)/m);
});

test('a pushed replacement changes nothing that is read', async () => {
  const repo = await newRepo();
  const [real, other] = [await commit(repo, { a: 'real' }), await commit(repo, { a: 'other' })];
  await git(repo.path, 'replace', real, other);
  await repo.store.readers.closeAll();
  await using reader = await openObjects(repo);
  expect((await reader.get(real, { path: 'a' })).data.toString()).toBe('real');
  expect((await listCommits(repo, { from: real, limit: 1 })).map(({ oid }) => oid)).toEqual([real]);
});

test('a command that takes too long, or says too much, is ended', async () => {
  const repo = await newRepo();
  await writeFile(join(repo.store.root, 'big'), Buffer.alloc(3_000_000));
  const hash = ['hash-object', '-w', join(repo.store.root, 'big')];
  const oid = (await run(repo, hash)).stdout.toString().trim();
  const show = ['cat-file', 'blob', oid];
  expect(await kindOf(run(repo, show, { maxOutput: 1000 }))).toBe('too-large');
  expect(await run(repo, show, { maxOutput: 1000, truncate: true })).toMatchObject({
    truncated: true,
    stdout: Buffer.alloc(1000),
  });
  const { Readable } = await import('node:stream');
  const never = new Readable({ read: () => undefined });
  expect(await kindOf(run(repo, ['hash-object', '--stdin'], { input: never, timeout: 100 }))).toBe('timeout');
  const aborted = AbortSignal.timeout(50);
  expect(
    await kindOf(run(repo, ['hash-object', '--stdin'], { input: new Readable({ read: () => undefined }), signal: aborted })),
  ).toBe('aborted');
});

test('acknowledged means durable: objects and refs are synced to disk before git answers', async () => {
  const repo = await newRepo();
  const trace = join(repo.store.root, 'trace');
  const synced = async (args: string[], input: string) => {
    await rm(trace, { force: true });
    await run(repo, args, { input, env: { GIT_TRACE2_EVENT: trace } });
    const events = (await readFile(trace, 'utf8')).split('\n').filter((line) => line.includes('fsync'));
    return events.some((line) => /"value":"?[1-9]/.test(line));
  };
  const oid = await commit(repo, { a: 'x' });
  expect(await synced(['hash-object', '-w', '--stdin'], 'new content')).toBe(true);
  expect(await synced(['update-ref', '--stdin', '-z'], `update refs/heads/x\0${oid}\0\0`)).toBe(true);
  expect(await synced(['cat-file', '--batch'], `${oid}\n`)).toBe(false);
});

test('a transfer that stands still is ended', async () => {
  const repo = await newRepo({ transferIdle: 100 });
  const body = new PassThrough();
  body.write('00a4');
  expect(await kindOf(uploadPack(repo, body))).toBe('timeout');
});

test('no more commands run at once than allowed, and the places come back after failures', async () => {
  const repo = await newRepo({ commands: 2 });
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => run(repo, ['cat-file', 'blob', 'f'.repeat(40)])));
  expect(results.every(({ status }) => status === 'rejected')).toBe(true);
  expect((await run(repo, ['version'])).code).toBe(0);
});

test('an archive holds the files under its prefix, links as links', async () => {
  const repo = await newRepo();
  const tree = await writeTree(repo, {
    changes: [
      { path: 'd/a', mode: '100644', content: Buffer.from('hello') },
      { path: '-rf', mode: '100755', content: Buffer.from('#!') },
      { path: 'escape', mode: '120000', content: Buffer.from('/etc/passwd') },
    ],
  });
  const oid = await writeCommit(repo, { tree, parents: [], author: ada, committer: ada, message: 'x' });
  const folder = await scratch();
  await writeFile(
    join(folder, 'x.tar.gz'),
    await buffer(await openArchive(repo, { commit: oid, format: 'tar.gz', prefix: 'repo-abc' })),
  );
  const { execFileSync } = await import('node:child_process');
  const listed = execFileSync('tar', ['-tvzf', join(folder, 'x.tar.gz')], { encoding: 'utf8' });
  expect(listed).toMatch(/repo-abc\/d\/a\n/);
  expect(listed).toMatch(/^l.*repo-abc\/escape -> \/etc\/passwd$/m);
  const zip = await buffer(await openArchive(repo, { commit: oid, format: 'zip', prefix: 'p' }));
  expect(zip.subarray(0, 2).toString()).toBe('PK');
  expect(await kindOf(openArchive(repo, { commit: 'f'.repeat(40), format: 'zip', prefix: 'p' }))).toBe('not-found');
  expect(await kindOf(openArchive(repo, { commit: oid, format: 'zip', prefix: '../p' }))).toBe('invalid');
  expect(await kindOf(openArchive(repo, { commit: '--output=/tmp/x', format: 'zip', prefix: 'p' }))).toBe('invalid');
});

test('one file is streamed whatever its size', async () => {
  const repo = await newRepo({ object: 10 });
  const work = await scratch();
  await writeFile(join(work, 'f'), Buffer.alloc(1_000_000, 'x'));
  const oid = (await git(repo.path, 'hash-object', '-w', join(work, 'f'))).trim();
  expect((await buffer(await openBlob(repo, oid))).length).toBe(1_000_000);
  expect(await kindOf(openBlob(repo, 'f'.repeat(40)))).toBe('not-found');
});

test('a repository is imported from a path or an address, with branches, tags, HEAD and progress', async () => {
  const store = await newStore();
  const source = await createRepository(store, 1, { defaultBranch: 'dev' });
  let tip = await commit(source, { a: '0' });
  for (let index = 1; index < 40; index++) tip = await commit(source, { a: String(index) }, [tip]);
  await updateRefs(
    source,
    ['heads/dev', 'heads/main', 'tags/v1', 'pull/1/head'].map((name) => ({ ref: `refs/${name}`, to: tip })),
  );
  await git(source.path, 'update-ref', 'refs/heads/refs/heads/none', tip);
  const { url } = await serve(source);
  const told: Progress[] = [];
  const byPath = await importRepository(store, 2, {
    source: source.path,
    fallbackBranch: 'main',
    onProgress: (step) => told.push(step),
  });
  const byUrl = await importRepository(store, 3, { source: url, fallbackBranch: 'main' });
  for (const repo of [byPath, byUrl]) {
    expect(await getDefaultBranch(repo)).toEqual({ name: 'dev', oid: tip });
    expect((await listRefs(repo, { prefix: 'refs/' })).rows.map(({ name }) => name)).toEqual([
      'refs/heads/dev',
      'refs/heads/main',
      'refs/tags/v1',
    ]);
    expect(await checkRepository(repo)).toEqual([]);
  }
  expect(told.some(({ done, total }) => done === total && total > 0)).toBe(true);
});

test.each(['--upload-pack=touch /tmp/x', 'ext::sh -c x', 'ssh://host/x', 'relative', '', 'file:///x', 'http://'])(
  'Git option injection: nothing is imported from %j',
  async (source) => {
    const store = await newStore();
    expect(await kindOf(importRepository(store, 1, { source, fallbackBranch: 'main' }))).toBe('invalid');
    expect(await repositoryExists(repoOf(store, 1))).toBe(false);
  },
);

test('nothing is imported from a shallow clone, of which git would leave out the branches', async () => {
  const source = await newRepo();
  const first = await commit(source, { a: '1' });
  await updateRefs(source, [{ ref: 'refs/heads/main', to: await commit(source, { a: '2' }, [first]) }]);
  const clone = join(await scratch(), 'clone');
  await git(source.path, 'clone', '--quiet', '--depth', '1', `file://${source.path}`, clone);
  const store = await newStore();
  const error = await importRepository(store, 1, { source: clone, fallbackBranch: 'main' }).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ kind: 'invalid', message: expect.stringMatching(/^The repository is a shallow clone/) });
  expect(await repositoryExists(repoOf(store, 1))).toBe(false);
});

test('a token is given to the source, and to no server to which that redirects', async () => {
  const source = await newRepo();
  await updateRefs(source, [{ ref: 'refs/heads/main', to: await commit(source, { a: '1' }) }]);
  const asked: (string | undefined)[] = [];
  const listening = async (handle: RequestListener): Promise<string> => {
    const server = createServer((request, response) => {
      asked.push(request.headers.authorization);
      handle(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server's address
  };
  const { url } = await serve(source);
  const other = await listening((_request, response) => response.writeHead(404).end());
  const store = await newStore();
  const given = { token: 'secret', fallbackBranch: 'main' };
  await importRepository(store, 2, { ...given, source: url });
  for (const [status, location] of [[404], [302, `${other}/info/refs?service=git-upload-pack`]] as const) {
    const at = await listening((_request, response) => response.writeHead(status, location ? { location } : {}).end());
    expect(await kindOf(importRepository(store, 3, { ...given, source: `${at}/x.git` }))).toBe('failed');
  }
  const expected = `Basic ${Buffer.from('x-access-token:secret').toString('base64')}`;
  expect(asked).toEqual([expected, expected]);
});

test('an import that fails leaves nothing, and its error no password', async () => {
  const store = await newStore();
  const source = 'http://ada:secret@127.0.0.1:1/x.git';
  const error = await importRepository(store, 1, { source, fallbackBranch: 'main' }).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ kind: 'failed' });
  expect(JSON.stringify(error)).not.toContain('secret');
  expect(await readdir(join(store.root, 'tmp'))).toEqual([]);
});

test('garbage collection packs what is loose, and keeps what is reachable or new', async () => {
  const repo = await newRepo();
  let tip = await commit(repo, { a: '0' });
  for (let index = 1; index < 10; index++) tip = await commit(repo, { a: String(index), [`f${index}`]: 'x' }, [tip]);
  await updateRefs(repo, [{ ref: 'refs/heads/main', to: tip }]);
  const unreachable = await commit(repo, { a: 'unreachable' }, [tip]);
  expect((await measureObjects(repo)).looseObjects).toBeGreaterThan(20);
  await collectGarbage(repo);
  const { bytes, ...counts } = await measureObjects(repo);
  expect(counts).toEqual({ looseObjects: 0, packs: 2 });
  expect(bytes).toBeGreaterThan(500);
  expect(await checkRepository(repo)).toEqual([]);
  await using reader = await openObjects(repo);
  expect((await reader.getCommit('HEAD')).oid).toBe(tip);
  expect((await reader.getCommit(unreachable)).parents).toEqual([tip]);
});

test('a damaged repository is reported', async () => {
  const repo = await newRepo();
  const oid = await commit(repo, { a: 'x' });
  await updateRefs(repo, [{ ref: 'refs/heads/main', to: oid }]);
  await using reader = await openObjects(repo);
  const blob = (await reader.findInfo(oid, { path: 'a' }))?.oid ?? '';
  await rm(join(repo.path, 'objects', blob.slice(0, 2), blob.slice(2)));
  expect((await checkRepository(repo)).join('\n')).toContain(`missing blob ${blob}`);
});

test('what a killed git left behind is swept once it is old, and only then', async () => {
  const repo = await newRepo();
  const oid = await commit(repo, { a: 'x' });
  const lock = join(repo.path, 'refs', 'heads', 'main.lock');
  await writeFile(lock, '');
  await mkdir(join(repo.store.root, 'tmp', 'new-x'));
  const now = Date.now();
  expect(await removeLeftovers(repo, new Date(now - 3_600_000))).toEqual([]);
  await removeLeftoverFolders(repo.store, new Date(now - 3_600_000));
  expect(await readdir(join(repo.store.root, 'tmp'))).toEqual(['new-x']);
  await utimes(lock, new Date(now - 7_200_000), new Date(now - 7_200_000));
  expect(await removeLeftovers(repo, new Date(now - 3_600_000))).toEqual(['refs/heads/main.lock']);
  await removeLeftoverFolders(repo.store, new Date(now + 1000));
  expect(await readdir(join(repo.store.root, 'tmp'))).toEqual([]);
  expect(await updateRefs(repo, [{ ref: 'refs/heads/main', to: oid }])).toEqual({ updated: true });
});

test('a repository that fails to be made is cleared away, though a process of it still writes', async () => {
  const { store } = await newRepo();
  const failing = buildRepository(repoOf(store, 2), async (draft) => {
    await mkdir(draft.path);
    const writer = spawn('sh', ['-c', 'i=0; while [ $i -lt 5000 ]; do i=$((i+1)); : > f$i || exit; done'], {
      cwd: draft.path,
      stdio: 'ignore',
    });
    await expect.poll(async () => (await readdir(draft.path)).length).toBeGreaterThan(0);
    onTestFinished(() => void writer.kill());
    throw new Error('the build failed');
  });
  await expect(failing).rejects.toThrow('the build failed');
  expect(await readdir(join(store.root, 'tmp'))).toEqual([]);
});

test('a missing git is said in one line', async () => {
  expect(await assertGitPresent(process.env)).toMatch(/^2\.\d+/);
  await expect(assertGitPresent({ PATH: '/nonexistent' })).rejects.toThrow(/^git was not found: install git 2\.38\.3 or newer/);
  const folder = await scratch();
  await writeFile(join(folder, 'git'), '#!/bin/sh\necho git version 2.30.1\n');
  await chmod(join(folder, 'git'), 0o755);
  await expect(assertGitPresent({ PATH: folder })).rejects.toThrow(/2\.30\.1 is too old: Hearth needs git 2\.38\.3 or newer/);
  expect((await stat(folder)).isDirectory()).toBe(true);
});

/** A folder whose `git` says that it is of this version, and is the real one otherwise, but for what `more` does. */
async function gitOfVersion(version: string, more = ''): Promise<string> {
  const folder = await scratch();
  const path = process.env.PATH ?? '';
  const script = `#!/bin/sh\nPATH=${path}\n[ "$1" = --version ] && exec echo git version ${version}\n${more}\nexec git "$@"\n`;
  await writeFile(join(folder, 'git'), script, { mode: 0o755 });
  return folder;
}

test.each(['2.38.0', '2.38.2', '2.39.0', '2.38.1.rc1'])('git %s is used only where its padding was mended', async (version) => {
  expect(await assertGitPresent({ PATH: await gitOfVersion(version) })).toBe(version);
  const unmended = '[ "$1" = log ] && exec head -c 20001 /dev/zero';
  await expect(assertGitPresent({ PATH: await gitOfVersion(version, unmended) })).rejects.toThrow(
    /CVE-2022-41903.*git 2\.38\.3 or newer, and not 2\.39\.0/,
  );
  const broken = '[ "$1" = init ] && exit 1';
  await expect(assertGitPresent({ PATH: await gitOfVersion(version, broken) })).rejects.toThrow(/CVE-2022-41903/);
});

test.each(['2.38.3', '2.39.1', '2.39.5 (Apple Git-154)', '2.50.1.windows.1', '2.40', '3.0.0'])(
  'git %s is used',
  async (version) => {
    const folder = await gitOfVersion(`'${version}'`, '[ "$1" = log ] && exit 1');
    expect(await assertGitPresent({ PATH: folder })).toBe(version.split(' ')[0]);
  },
);
