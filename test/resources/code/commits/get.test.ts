import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { addCommit, diskOf, history, point } from './setting.ts';

const w = await world();

test('shows one commit with what it changed', async () => {
  const owner = await w.user();
  const { oids, path, gitRepository, repo } = await history(w, owner, 2);
  const oid = await addCommit(gitRepository, {
    files: { '1.txt': null, 'moved/ünï #1.txt': '1\n', '2.txt': '2\nmore\n', 'new.bin': '\0\u0001' },
    parents: [oids[1] ?? ''],
    message: 'Move and add\n\nWith a body\n',
  });
  await point(w, repo, 'refs/heads/feature/y', oid);
  const client = await w.as(owner);

  const { status, body } = await client.get(`${path}/commits/feature/y`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    sha: oid,
    commit: { message: 'Move and add\n\nWith a body', verification: { verified: false, reason: 'unsigned', signature: null } },
    stats: { total: 1, additions: 1, deletions: 0 },
    parents: [{ sha: oids[1] }],
  });
  expect(body.files.map(({ filename, status }: { filename: string; status: string }) => [filename, status])).toEqual([
    ['2.txt', 'modified'],
    ['moved/ünï #1.txt', 'renamed'],
    ['new.bin', 'added'],
  ]);
  expect(body.files[0].patch).toBe('@@ -1 +1,2 @@\n 2\n+more');
  expect(body.files[1]).toMatchObject({ previous_filename: '1.txt', changes: 0 });
  expect(body.files[1].contents_url).toContain(`/contents/moved/%C3%BCn%C3%AF%20%231.txt?ref=${oid}`);
  expect(body.files[2].patch).toBeUndefined();
  for (const revision of [oid, oid.slice(0, 8), 'heads/feature/y', 'feature%2Fy', 'refs/heads/feature/y'])
    expect((await client.get(`${path}/commits/${revision}`)).body.sha).toBe(oid);
});

test('gives the text of a commit as a diff, as a patch, or its name alone', async () => {
  const owner = await w.user();
  const { oids, path } = await history(w, owner, 2);
  const client = await w.as(owner);
  const as = (media: string) => client.get(`${path}/commits/main`, { headers: { accept: `application/vnd.service.${media}` } });

  const sha = await as('sha');
  expect(sha.text).toBe(oids[1]);
  expect(sha.headers['content-type']).toBe('application/vnd.service.sha; charset=utf-8');
  const unchanged = await client.get(`${path}/commits/main`, {
    headers: { accept: 'application/vnd.service.sha', 'if-none-match': sha.headers.etag ?? '' },
  });
  expect(unchanged.status).toBe(304);
  expect((await as('diff')).text).toMatch(/^diff --git a\/2\.txt b\/2\.txt\nnew file mode 100644\n/);
  const patch = (await as('patch')).text;
  expect(patch).toMatch(/^From [0-9a-f]{40} /);
  expect(patch).toContain('Subject: [PATCH] Change 2\n');
  expect(
    (await client.get(`${path}/commits/${oids[0]}`, { headers: { accept: 'application/vnd.service.diff' } })).text,
  ).toContain('+1\n');
});

test('pages the files of a large commit', async () => {
  const owner = await w.user();
  const { path, gitRepository, repo } = await history(w, owner, 1);
  const files = Object.fromEntries(Array.from({ length: 320 }, (_, at) => [`${String(at).padStart(3, '0')}.txt`, `${at}\n`]));
  await point(w, repo, 'refs/heads/many', await addCommit(gitRepository, { files }));
  const client = await w.as(owner);

  const first = await client.get(`${path}/commits/many`);
  expect(first.body.files).toHaveLength(300);
  expect(first.body.stats.additions).toBe(320);
  expect(first.headers.link).toContain('page=2>; rel="next"');
  const second = await client.get(`${path}/commits/many?page=2`);
  expect(second.body.files.map(({ filename }: { filename: string }) => filename).at(-1)).toBe('319.txt');
  expect(second.body.files).toHaveLength(20);
});

test('shows a signature that can not be read', async () => {
  const owner = await w.user();
  const repo = await w.repo(owner);
  const signature = '-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----';
  const oid = await addCommit(diskOf(w, repo), { files: { a: 'a' }, signature });
  await point(w, repo, 'refs/heads/main', oid);
  const { body } = await (await w.as(owner)).get(`/repos/${owner.login}/${repo.name}/commits/${oid}`);
  expect(body.commit.verification).toMatchObject({ verified: false, reason: 'malformed_signature', signature });
  expect(body.commit.verification.payload).toMatch(/^tree [0-9a-f]{40}\n/);
});

test('refuses what is no commit', async () => {
  const owner = await w.user();
  const { path } = await history(w, owner, 1);
  const empty = await w.repo(owner);
  const client = await w.as(owner);
  expect(await client.get(`${path}/commits/nowhere`)).toMatchObject({
    status: 422,
    body: { message: 'No commit found for SHA: nowhere' },
  });
  for (const wrong of ['0'.repeat(40), '--output=x', 'main..main', 'main@%7B1%7D', ':%2Fx']) {
    expect((await client.get(`${path}/commits/${wrong}`)).status).toBe(422);
  }
  expect((await client.get(`/repos/${owner.login}/${empty.name}/commits/main`)).status).toBe(409);
});
