import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { addCommit, history, point } from '#test/resources/code/commits/setting.ts';
import { world } from '#test/support/world.ts';

const w = await world();

async function listed(bytes: Buffer): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-archive-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'archive.tar.gz'), bytes);
  const { stdout } = await promisify(execFile)('tar', ['-tzf', 'archive.tar.gz'], { cwd: folder });
  return stdout.trim().split('\n');
}

test('of a private repository, the address needs no credential, for five minutes and for as long as its reader may read', async () => {
  const [owner, reader] = [await w.user(), await w.user()];
  const { path, oids, repo } = await history(w, owner, 2, 'private');
  await w.collaborator(repo, reader, 'read');
  const address = async (who: typeof owner, kind = 'tarball'): Promise<string> => {
    const { status, headers } = await (await w.as(who)).get(`${path}/${kind}/main`);
    expect(status).toBe(302);
    return headers.location ?? '';
  };
  const folder = `${owner.login}-${repo.name}-${oids[1]?.slice(0, 7)}`;
  const link = await address(owner);
  expect(link).toMatch(new RegExp(`^${w.url}/api/v3/archives/[\\w-]+$`));
  const tar = await fetch(link);
  expect([tar.status, tar.headers.get('content-disposition')]).toEqual([200, `attachment; filename=${folder}.tar.gz`]);
  expect(await listed(Buffer.from(await tar.arrayBuffer()))).toContain(`${folder}/2.txt`);
  const zip = await fetch(await address(owner, 'zipball'));
  expect(Buffer.from(await zip.arrayBuffer()).toString('latin1', 0, 2)).toBe('PK');
  expect((await fetch(`${link.slice(0, -1)}${link.endsWith('A') ? 'B' : 'A'}`)).status).toBe(404);
  const given = await address(reader);
  expect((await fetch(given, { method: 'HEAD' })).status).toBe(200);
  await (await w.as(owner)).delete(`${path}/collaborators/${reader.login}`);
  expect((await fetch(given)).status).toBe(404);
  const before = w.clock.now;
  w.clock.now = new Date(before.getTime() + 299_000);
  expect((await fetch(link, { method: 'HEAD' })).status).toBe(200);
  w.clock.now = new Date(before.getTime() + 300_000);
  expect((await fetch(link)).status).toBe(404);
  w.clock.now = before;
  expect((await fetch(`${w.url}/api/v3${path}/tarball/main`)).status).toBe(404);
});

test('leads to an archive that holds the files of the commit', async () => {
  const owner = await w.user();
  const { path, oids, repo } = await history(w, owner, 2);
  const client = await w.as(owner);
  const authorization = `Bearer ${await w.token(owner)}`;

  for (const place of ['tarball/main', 'tarball', `tarball/${oids[1]}`, 'tarball/refs/heads/main']) {
    const reply = await fetch(`${w.url}/api/v3${path}/${place}`, { redirect: 'manual', headers: { authorization } });
    expect([place, reply.status, reply.headers.get('location')]).toEqual([
      place,
      302,
      `${w.url}/api/v3${path}/archives/${oids[1]}.tar.gz`,
    ]);
  }
  const tar = await fetch(`${w.url}/api/v3${path}/tarball/main`, { headers: { authorization } });
  const folder = `${owner.login}-${repo.name}-${oids[1]?.slice(0, 7)}`;
  expect(tar.headers.get('content-disposition')).toBe(`attachment; filename=${folder}.tar.gz`);
  expect(await listed(Buffer.from(await tar.arrayBuffer()))).toEqual(
    expect.arrayContaining([`${folder}/1.txt`, `${folder}/2.txt`]),
  );
  const zip = await fetch(`${w.url}/api/v3${path}/zipball/main`, { headers: { authorization } });
  expect(
    Buffer.from(await zip.arrayBuffer())
      .subarray(0, 2)
      .toString(),
  ).toBe('PK');
  expect((await client.get(`${path}/tarball/none`)).status).toBe(404);
  for (const wrong of ['main.tar.gz', `${oids[1]}.rar`, `${'1'.repeat(40)}.zip`, '--exec=x.zip'])
    expect((await client.get(`${path}/archives/${wrong}`)).status, wrong).toBe(404);
});

test('lists tags by the commits that they lead to, the last name first', async () => {
  const owner = await w.user();
  const { path, oids, repo } = await history(w, owner, 2);
  const client = await w.as(owner);
  const annotated = await client.post(`${path}/git/tags`, { tag: 'v2', message: 'x', object: oids[1], type: 'commit' });
  await point(w, repo, 'refs/tags/v1', oids[0] ?? '');
  await point(w, repo, 'refs/tags/v2', annotated.body.sha);
  await point(w, repo, 'refs/tags/v3', oids[1] ?? '');

  const { body } = await client.get(`${path}/tags`);
  expect(body.map((tag: { name: string; commit: { sha: string } }) => [tag.name, tag.commit.sha])).toEqual([
    ['v3', oids[1]],
    ['v2', oids[1]],
    ['v1', oids[0]],
  ]);
  const second = await client.get(`${path}/tags?per_page=1&page=2`);
  expect(second.body.map(({ name }: { name: string }) => name)).toEqual(['v2']);
  expect(second.headers.link).toContain('rel="last"');
  const ball = await client.get(new URL(body[2].tarball_url).pathname.replace('/api/v3', ''));
  expect(ball.headers.location).toContain(oids[0]);
});

test('a tag of a folder is no archive of a commit, and no row in the list', async () => {
  const owner = await w.user();
  const { path, gitRepository } = await history(w, owner, 1);
  const client = await w.as(owner);
  const oid = await addCommit(gitRepository, { files: { 'lib/a': 'a' } });
  const tree = (await client.get(`${path}/git/commits/${oid}`)).body.tree.sha;
  await client.post(`${path}/git/refs`, { ref: 'refs/tags/tree', sha: tree });
  expect((await client.get(`${path}/tags`)).body).toEqual([]);
  expect((await client.get(`${path}/tarball/tree`)).status).toBe(404);
});
