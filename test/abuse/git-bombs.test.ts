import { execFileSync } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { wordsOf } from '#endpoint/path-words.ts';
import { openObjects } from '#git/objects/objects.ts';
import { findRef } from '#git/refs/refs.ts';
import type { GitRepository } from '#git/repo.ts';
import { allEndpoints } from '#resources/all.ts';
import { ada, git, scratch } from '#test/git/support.ts';
import { diskOf, point } from '#test/resources/code/commits/setting.ts';
import { world } from '#test/support/world.ts';
import { commitFiles, commitTree, deepBomb, deltaBomb, manyRefs, pushOf, treeBomb } from './support/bombs.ts';
import { watched } from './support/watch.ts';

const mebi = 1024 * 1024;
const limits = {
  commandMemory: 64 * mebi,
  transferMemory: 128 * mebi,
  commandProcessorTime: 1_000,
  listing: mebi,
  indexedFiles: 500,
  listedRefs: 1_000,
  archiveFiles: 100_000,
};
const w = await world({ resourceLimits: { git: limits } });
const { root } = w.hearth.services.git;
const { commandMemory, transferMemory } = limits;

type Bomb = { repo: RepositoryRow & { owner: Account }; gitRepository: GitRepository; tip: string; path: string };

/** A public repository whose branch `main` is what `make` makes, and `base` a file beside it. */
async function bomb(make: (gitRepository: GitRepository, base: string) => Promise<string>): Promise<Bomb> {
  const owner = await w.user();
  const repo = await w.repo(owner);
  const gitRepository = diskOf(w, repo);
  const base = await commitFiles(gitRepository, { 'README.md': '# Engine\n' });
  await point(w, repo, 'refs/heads/base', base);
  const tip = await make(gitRepository, base);
  await point(w, repo, 'refs/heads/main', tip);
  await w.db.updateTable('repositories').set({ default_branch: 'main' }).where('id', '=', repo.id).execute();
  return { repo, gitRepository, tip, path: `/repos/${owner.login}/${repo.name}` };
}

const quiet = await bomb((gitRepository, base) => commitFiles(gitRepository, { 'a.txt': 'a\n' }, [base]));
const visitor = await w.as(await w.user());

const reads =
  /^\/repos\/\{owner\}\/\{repo\}\/(?:archives|branches|commits|compare|contents|contributors|git|languages|license|raw|readme|tags|tarball|zipball)\b/;

/** Every read of Git that the API declares. */
const readers = allEndpoints.filter(({ method, path }) => method === 'GET' && reads.test(path));

/** The addresses at which an endpoint reads a bomb, each with the media types that it knows. */
function addressesOf({ path, media = [] }: Endpoint, { path: repo, tip }: Bomb): { url: string; accept: string }[] {
  const values: Record<string, string> = {
    archive: `${tip}.tar.gz`,
    basehead: 'base...main',
    branch: 'main',
    commit_sha: tip,
    dir: '',
    file_sha: 'main:bomb',
    path: 'bomb',
    ref: path.includes('/git/') ? 'heads/b' : 'main',
    tag_sha: tip,
    tree_sha: 'main',
  };
  const words = wordsOf(path).filter((word) => word !== 'owner' && word !== 'repo');
  const missing = words.filter((word) => values[word] === undefined);
  expect(missing, `words of ${path} without a value here`).toEqual([]);
  const filled = path
    .replace('/repos/{owner}/{repo}', repo)
    .replace(/\{(\w+)\}/g, (_, word: string) => (values[word] ?? '').split('/').map(encodeURIComponent).join('/'));
  const url = `${w.url}/api/v3${filled}${path.includes('/trees/') ? '?recursive=1' : ''}`;
  return ['json', ...media].map((kind) => ({ url, accept: `application/vnd.service.${kind}` }));
}

/** Asks without a credential, and reads the whole answer. */
async function ask(url: string, accept: string): Promise<{ status: number; bytes: number; text: string }> {
  const response = await fetch(url, { headers: { accept }, redirect: 'manual' });
  let bytes = 0;
  let text = '';
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (text.length < 4096) text += Buffer.from(chunk).toString('latin1');
    }
  } catch {
    // A stream that a limit ended.
  }
  return { status: response.status, bytes, text };
}

const kinds: Record<string, (gitRepository: GitRepository, base: string) => Promise<string>> = {
  'a thousand million files': (gitRepository, base) =>
    treeBomb(gitRepository, base, { depth: 9, content: 'export const bomb = 1;\n' }),
  'a million folders without a file': (gitRepository, base) => treeBomb(gitRepository, base, { depth: 6, content: '' }),
  'very deep folders': (gitRepository, base) => deepBomb(gitRepository, base, 60_000),
  'a hundred MiB of empty lines, changed': async (gitRepository, base) => {
    const before = await commitFiles(gitRepository, { bomb: '\n'.repeat(30 * mebi) }, [base]);
    return commitFiles(gitRepository, { bomb: `${'\n'.repeat(15 * mebi)}x${'\n'.repeat(15 * mebi)}` }, [before]);
  },
  'two thousand renamed files': async (gitRepository, base) => {
    const files = (prefix: string, more: string) =>
      Object.fromEntries(
        Array.from({ length: 2_000 }, (_, index) => [`${prefix}${index}`, `${`${index} and more\n`.repeat(100)}${more}`]),
      );
    const before = await commitFiles(gitRepository, files('old', ''), [base]);
    return commitFiles(gitRepository, files('new', 'changed\n'), [before]);
  },
  'thirty thousand branches': async (gitRepository, base) => {
    const tip = await commitFiles(gitRepository, { a: 'a\n' }, [base]);
    await manyRefs(gitRepository, tip, 30_000);
    return tip;
  },
};

test.each(Object.entries(kinds))(
  'every read of %s answers within its limits, and others are answered meanwhile',
  async (_, make) => {
    const made = await bomb(make);
    expect(readers.length).toBeGreaterThan(20);
    for (const endpoint of readers) {
      for (const { url, accept } of addressesOf(endpoint, made)) {
        const { result, taken } = await watched(root, async () => {
          const [bombs, other] = await Promise.all([
            Promise.all([ask(url, accept), ask(url, accept)]),
            visitor.get(`${quiet.path}/contents/a.txt`),
          ]);
          expect(other.status).toBe(200);
          return bombs[0];
        });
        const place = `${endpoint.id} ${accept}: ${result.status} ${result.text.slice(0, 300)}`;
        expect(result.status, place).not.toBe(500);
        if (result.status === 413 || result.status === 503) expect(result.text, place).toMatch(/\(git\.\w+: /);
        expect(taken.git * mebi, `memory of git for ${place}`).toBeLessThan(commandMemory + 32 * mebi);
        if (process.env.BOMB_FIGURES) console.log(endpoint.id, accept.slice(24), result.status, result.bytes, taken);
      }
    }
  },
);

/** The body that a push is sent with, and what git says to it. */
async function pushed(path: string, token: string, body: Buffer): Promise<string> {
  const response = await fetch(`${w.url}${path.replace('/repos', '')}.git/git-receive-pack`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-git-receive-pack-request', authorization: `Bearer ${token}` },
    body,
  });
  expect(response.status).toBe(200);
  return response.text();
}

test.each(['report-status', 'report-status side-band-64k'])(
  'a pack of a few bytes that unpacks to 240 MiB is refused with the limit that it exceeds (%s)',
  async (capabilities) => {
    const owner = await w.user();
    const repo = await w.repo(owner);
    const made = await deltaBomb(240);
    expect(made.pack.length).toBeLessThan(1_000);
    const body = pushOf('refs/heads/main', made, capabilities);
    const token = await w.token(owner);
    const { result, taken } = await watched(root, () => pushed(`/repos/${owner.login}/${repo.name}`, token, body));
    expect(result).toContain('unpack It takes more memory than Git may use (git.transferMemory: 128 MiB)');
    expect(result).toContain('ng refs/heads/main It takes more memory than Git may use (git.transferMemory: 128 MiB)');
    expect(taken.git * mebi).toBeLessThan(transferMemory + 32 * mebi);
    expect(await findRef(diskOf(w, repo), 'refs/heads/main')).toBeUndefined();
  },
);

test('a file that is stored as a few bytes and read as 80 MiB is refused, and keeps nobody from reading others', async () => {
  const owner = await w.user();
  const repo = await w.repo(owner);
  const made = await deltaBomb(80);
  const gitRepository = diskOf(w, repo);
  // A push of a hundred objects or more stays a pack, too.
  execFileSync('git', ['index-pack', '--stdin'], { cwd: gitRepository.path, input: made.pack });
  const small = await commitFiles(gitRepository, { a: 'a\n' }, [made.commit]);
  await point(w, repo, 'refs/heads/main', small);
  await using reader = await openObjects(gitRepository);
  const bombOid = (await reader.findInfo(made.commit, { path: 'bomb' }))?.oid ?? '';
  const treeOid = (await reader.findInfo(small, { peel: 'tree' }))?.oid ?? '';
  const [huge, ...others] = await Promise.allSettled([
    reader.get(bombOid, { maxSize: 1_000 * mebi }),
    reader.getCommit(small),
    reader.getTree(treeOid),
    ...Array.from({ length: 50 }, () => reader.getCommit(made.commit)),
  ]);
  expect(huge).toMatchObject({ status: 'rejected', reason: { kind: 'too-large', limit: 'git.commandMemory' } });
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 'fulfilled'));
  expect(await Array.fromAsync(reader.readMany([bombOid, treeOid], { maxSize: 1_000 * mebi }))).toMatchObject([
    { problem: 'too-large' },
    { object: { oid: treeOid } },
  ]);
});

test('attributes of a repository write nothing into its archives, whose entries have the time of the commit', async () => {
  const formats = '$Format:%<(16000)%an%<(16000)%ae%<(16000)%cn$\n'.repeat(5_000);
  const attributes = '[attr]boom export-subst\nf export-subst\ng boom\nsecret export-ignore\n';
  const made = await bomb((gitRepository, base) =>
    commitFiles(gitRepository, { '.gitattributes': attributes, f: formats, g: '$Format:%H$\n', secret: 'x' }, [base]),
  );
  const read = async () => {
    const response = await fetch(`${w.url}/api/v3${made.path}/archives/${made.tip}.tar.gz`);
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  };
  const { result, taken } = await watched(root, read);
  expect(taken.git).toBeLessThan(64);
  const folder = await scratch();
  await writeFile(join(folder, 'x.tar.gz'), result);
  const tar = (...args: string[]) => execFileSync('tar', ['-xzf', 'x.tar.gz', ...args], { cwd: folder, encoding: 'utf8' });
  tar('--strip-components=1');
  expect(await readFile(join(folder, 'f'), 'utf8')).toBe(formats);
  expect(await readFile(join(folder, 'g'), 'utf8')).toBe('$Format:%H$\n');
  expect(await readdir(folder)).not.toContain('secret');
  expect((await stat(join(folder, 'f'))).mtime).toEqual(ada.date);
  expect(await read()).toEqual(result);
  expect(gunzipSync(result).toString('latin1', 0, 2_000)).toContain(`comment=${made.tip}`);
});

test('the jobs after a push take a part of a bomb, and end', async () => {
  const made = await bomb((gitRepository, base) =>
    treeBomb(gitRepository, base, { depth: 9, content: 'export const bomb = 1;\n' }),
  );
  const { taken } = await watched(root, () => w.settle());
  expect(taken.git * mebi).toBeLessThan(commandMemory + 32 * mebi);
  const { rows } = await sql<{ files: number }>`
    select count(*) as files from code_files where repository_id = ${made.repo.id}`.execute(w.db);
  expect(rows).toEqual([{ files: limits.indexedFiles }]);
  const measured = await w.db
    .selectFrom('repository_languages')
    .select('commit_oid')
    .where('repository_id', '=', made.repo.id)
    .execute();
  expect(measured).toEqual([{ commit_oid: made.tip }]);
  // The next push indexes what the limit leaves, too, and a small tree is whole again.
  const next = await commitFiles(made.gitRepository, { 'a.ts': 'export const a = 1;\n' }, [made.tip]);
  await point(w, made.repo, 'refs/heads/main', next);
  await w.settle();
  const left = await w.db.selectFrom('code_files').select('path').where('repository_id', '=', made.repo.id).execute();
  expect(left).toEqual([{ path: 'a.ts' }]);
});

test('twenty callers who ask for a file of 32 MB at once take little memory of the server', async () => {
  const made = await bomb(async (gitRepository, base) => {
    const work = await scratch();
    await writeFile(join(work, 'f'), Buffer.alloc(32_000_000, 'x'));
    const blob = (await git(gitRepository.path, 'hash-object', '-w', join(work, 'f'))).trim();
    const data = Buffer.concat([Buffer.from('100644 bomb\0'), Buffer.from(blob, 'hex')]);
    return commitTree(gitRepository, data, [base]);
  });
  const blob = (await (await w.as(undefined)).get(`${made.path}/git/trees/main`)).body.tree[0].sha;
  const callers = await Promise.all(Array.from({ length: 20 }, async () => w.token(await w.user())));
  const { result, taken } = await watched(root, () =>
    Promise.all(
      callers.map(async (token, index) => {
        const accept = index % 2 === 0 ? 'application/json' : 'application/vnd.service.raw';
        const response = await fetch(`${w.url}/api/v3${made.path}/git/blobs/${blob}`, {
          headers: { accept, authorization: `Bearer ${token}` },
        });
        let bytes = 0;
        for await (const chunk of response.body ?? []) bytes += chunk.length;
        return { status: response.status, bytes };
      }),
    ),
  );
  const encoded = Math.ceil(32_000_000 / 3) * 4;
  for (const [index, { status, bytes }] of result.entries()) {
    expect(status).toBe(200);
    if (index % 2 === 1) expect(bytes).toBe(32_000_000);
    else expect(bytes).toBeGreaterThan(encoded);
  }
  expect(taken.node, 'MiB of growth').toBeLessThan(200);
  expect(taken.git * mebi).toBeLessThan(commandMemory + 32 * mebi);
  if (process.env.BOMB_FIGURES) console.log('20 readers of 32 MB', taken);
});
