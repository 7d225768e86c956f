import { expect, test } from 'vitest';
import { addCommit, diskOf, history, point } from '#test/resources/code/commits/setting.ts';
import { world } from '#test/support/world.ts';

const w = await world();

test('stores a blob from text or Base64 and gives it back', async () => {
  const owner = await w.user();
  const { path } = await history(w, owner, 1);
  const client = await w.as(owner);
  const bytes = Buffer.from([0, 255, 254, 10, ...Array.from({ length: 100 }, (_, at) => at)]);

  const made = await client.post(`${path}/git/blobs`, { content: bytes.toString('base64'), encoding: 'base64' });
  expect(made.status).toBe(201);
  expect(made.headers.location).toBe(made.body.url);
  const { body } = await client.get(`${path}/git/blobs/${made.body.sha}`);
  expect(body).toMatchObject({ size: 104, encoding: 'base64' });
  expect(Buffer.from(body.content, 'base64').equals(bytes)).toBe(true);
  expect(body.content.split('\n')[0]).toHaveLength(60);

  const text = await client.post(`${path}/git/blobs`, { content: 'Grüße\n' });
  const accept = { accept: 'application/vnd.service.raw' };
  const raw = await client.get(`${path}/git/blobs/${text.body.sha}`, { headers: accept });
  expect(raw.text).toBe('Grüße\n');
  expect(raw.headers['x-content-type-options']).toBe('nosniff');
  const again = await client.get(`${path}/git/blobs/${text.body.sha}`, {
    headers: { ...accept, 'if-none-match': raw.headers.etag ?? '' },
  });
  expect(again.status).toBe(304);
});

test('refuses blobs that are none', async () => {
  const owner = await w.user();
  const { path, oids } = await history(w, owner, 1);
  const client = await w.as(owner);
  for (const body of [{ content: '!!!', encoding: 'base64' }, { content: 'a', encoding: 'utf-7' }, {}])
    expect((await client.post(`${path}/git/blobs`, body)).status).toBe(422);
  expect((await client.get(`${path}/git/blobs/${oids[0]}`)).status).toBe(404);
  expect((await client.get(`${path}/git/blobs/${'1'.repeat(40)}`)).status).toBe(404);
  expect((await client.get(`${path}/git/blobs/--all`)).status).toBe(404);
});

test('gives blobs of many megabytes as raw bytes', async () => {
  const owner = await w.user();
  const repo = await w.repo(owner);
  const text = 'x'.repeat(3_000_000);
  await point(w, repo, 'refs/heads/main', await addCommit(diskOf(w, repo), { files: { big: text } }));
  const client = await w.as(owner);
  const path = `/repos/${owner.login}/${repo.name}`;
  const { body } = await client.get(`${path}/git/trees/main`);
  const raw = await client.get(`${path}/git/blobs/${body.tree[0].sha}`, { headers: { accept: 'application/vnd.service.raw' } });
  expect(raw.text.length).toBe(text.length);
});

test('a tree has the id of the commit by which it is named, or its own', async () => {
  const owner = await w.user();
  const { path, oids } = await history(w, owner, 1);
  const [commit = ''] = oids;
  const client = await w.as(owner);
  const tree = (await client.get(`${path}/git/commits/${commit}`)).body.tree.sha;
  const tag = { tag: 'v1', message: 'One', object: commit, type: 'commit' };
  const tagged = (await client.post(`${path}/git/tags`, tag)).body.sha;
  await client.post(`${path}/git/refs`, { ref: 'refs/tags/v1', sha: tagged });
  for (const [named, sha] of [
    ['main', commit],
    ['heads/main', commit],
    [commit, commit],
    [commit.slice(0, 10), commit],
    ['v1', commit],
    [tagged, commit],
    [tree, tree],
  ] as const) {
    const { body } = await client.get(`${path}/git/trees/${named}`);
    expect([named, body.sha, body.url]).toEqual([named, sha, `${w.url}/api/v3${path}/git/trees/${sha}`]);
    expect(body.tree).toEqual((await client.get(`${path}/git/trees/${tree}`)).body.tree);
  }
  expect((await client.get(`${path}/git/trees/none`)).status).toBe(404);
});

test('makes a tree of a base, of contents, and by leaving out', async () => {
  const owner = await w.user();
  const { path, oids } = await history(w, owner, 2);
  const client = await w.as(owner);

  const made = await client.post(`${path}/git/trees`, {
    base_tree: oids[1],
    tree: [
      { path: 'lib/a/new.ts', mode: '100755', type: 'blob', content: 'new\n' },
      { path: 'link', mode: '120000', type: 'blob', content: '1.txt' },
      { path: 'sub', mode: '160000', type: 'commit', sha: '1'.repeat(40) },
      { path: '1.txt', mode: '100644', type: 'blob', sha: null },
    ],
  });
  expect(made.status).toBe(201);
  const { body } = await client.get(`${path}/git/trees/${made.body.sha}?recursive=0`);
  expect(body.truncated).toBe(false);
  expect(
    body.tree.map((entry: { path: string; mode: string; type: string; size?: number }) => [
      entry.path,
      entry.mode,
      entry.type,
      entry.size,
    ]),
  ).toEqual([
    ['2.txt', '100644', 'blob', 2],
    ['lib', '040000', 'tree', undefined],
    ['lib/a', '040000', 'tree', undefined],
    ['lib/a/new.ts', '100755', 'blob', 4],
    ['link', '120000', 'blob', 5],
    ['sub', '160000', 'commit', undefined],
  ]);
  const flat = await client.get(`${path}/git/trees/${made.body.sha}`);
  expect(flat.body.tree).toHaveLength(4);
  expect((await client.get(`${path}/git/trees/main`)).body.tree).toHaveLength(2);
});

test.each([
  [{ path: '../up', mode: '100644', content: 'x' }, 'tree.0.path'],
  [{ path: '.git/config', mode: '100644', content: 'x' }, 'tree.0.path'],
  [{ path: 'a//b', mode: '100644', content: 'x' }, 'tree.0.path'],
  [{ path: 'a', mode: '100600', content: 'x' }, 'tree.0.mode'],
  [{ path: 'a', mode: '100644' }, 'tree.0.sha'],
  [{ path: 'a', mode: '100644', content: 'x', sha: '1'.repeat(40) }, 'tree.0.sha'],
  [{ path: 'a', mode: '100644', type: 'tree', content: 'x' }, 'tree.0.type'],
  [{ path: 'a', mode: '040000', content: 'x' }, 'tree.0.content'],
  [{ path: 'a', mode: '100644', sha: '1'.repeat(40) }, 'tree'],
  [{ path: 'absent', mode: '100644', sha: null }, 'tree'],
])('refuses the tree entry %o, naming %s', async (entry, field) => {
  const owner = await w.user();
  const { path } = await history(w, owner, 1);
  const reply = await (await w.as(owner)).post(`${path}/git/trees`, { tree: [entry] });
  expect(reply).toMatchObject({ status: 422, body: { errors: [{ field }] } });
});

test('makes commits by the caller or by whom the body names, with time and zone', async () => {
  const owner = await w.user(undefined, { name: 'Ada', email: 'ada@here.example' });
  const { path, oids } = await history(w, owner, 1);
  const client = await w.as(owner);
  const tree = (await client.get(`${path}/git/commits/${oids[0]}`)).body.tree.sha;

  const plain = await client.post(`${path}/git/commits`, { message: 'Plain', tree, parents: [oids[0]] });
  expect(plain.status).toBe(201);
  const me = { name: 'Ada', email: 'ada@here.example', date: '2026-01-01T00:00:00Z' };
  expect(plain.body).toMatchObject({
    message: 'Plain',
    author: me,
    committer: me,
    parents: [{ sha: oids[0] }],
    tree: { sha: tree },
  });

  const signature = '-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----';
  const named = await client.post(`${path}/git/commits`, {
    message: 'Named',
    tree,
    author: { name: 'Grace', email: 'grace@example.org', date: '2020-02-03T04:05:06+05:30' },
    committer: { date: '2020-02-04T00:00:00Z' },
    signature,
  });
  expect(named.body).toMatchObject({
    author: { name: 'Grace', date: '2020-02-02T22:35:06Z' },
    committer: { name: 'Ada', date: '2020-02-04T00:00:00Z' },
    parents: [],
    verification: { signature },
  });
  expect((await client.get(`${path}/git/commits/${named.body.sha}`)).body).toEqual(named.body);
});

test('refuses commits and tags of what is not there', async () => {
  const owner = await w.user();
  const { path, oids } = await history(w, owner, 1);
  const client = await w.as(owner);
  const tree = (await client.get(`${path}/git/commits/${oids[0]}`)).body.tree.sha;
  const none = '1'.repeat(40);
  const fieldOf = async (what: string, body: object) => {
    const reply = await client.post(`${path}/git/${what}`, body);
    return [reply.status, reply.body.errors?.[0].field];
  };
  expect(await fieldOf('commits', { message: 'x', tree: none })).toEqual([422, 'tree']);
  expect(await fieldOf('commits', { message: 'x', tree: oids[0] })).toEqual([422, 'tree']);
  expect(await fieldOf('commits', { message: 'x', tree, parents: [tree] })).toEqual([422, 'parents']);
  expect(await fieldOf('commits', { message: 'x', tree: 'main' })).toEqual([422, 'tree']);
  expect(await fieldOf('commits', { tree })).toEqual([422, 'message']);
  expect(await fieldOf('commits', { message: 'x', tree, author: { name: 'a', email: 'a@b.c', date: 'soon' } })).toEqual([
    422,
    'author.date',
  ]);
  expect(await fieldOf('tags', { tag: 'v1', message: 'x', object: none, type: 'commit' })).toEqual([422, 'parents']);
  expect((await client.get(`${path}/git/commits/${tree}`)).status).toBe(404);
  expect((await client.get(`${path}/git/commits/main`)).status).toBe(404);
});

test('makes an annotated tag, which a ref then names', async () => {
  const owner = await w.user();
  const { path, oids } = await history(w, owner, 1);
  const client = await w.as(owner);
  const tagger = { name: 'Grace', email: 'grace@example.org', date: '2020-02-03T04:05:06Z' };

  const made = await client.post(`${path}/git/tags`, {
    tag: 'v1.0',
    message: 'First\n',
    object: oids[0],
    type: 'commit',
    tagger,
  });
  expect(made).toMatchObject({
    status: 201,
    body: { tag: 'v1.0', message: 'First', tagger, object: { sha: oids[0], type: 'commit' } },
  });
  expect((await client.get(`${path}/git/tags/${made.body.sha}`)).body).toEqual(made.body);
  const ref = await client.post(`${path}/git/refs`, { ref: 'refs/tags/v1.0', sha: made.body.sha });
  expect(ref.body.object).toMatchObject({ type: 'tag', sha: made.body.sha });
  expect((await client.get(`${path}/commits/v1.0`)).body.sha).toBe(oids[0]);
  expect((await client.get(`${path}/git/tags/${oids[0]}`)).status).toBe(404);
});

test('an empty repository takes no objects, as in the public API', async () => {
  const owner = await w.user();
  const { name } = await w.repo(owner);
  const client = await w.as(owner);
  const path = `/repos/${owner.login}/${name}/git`;
  const sha = '1'.repeat(40);
  const tree = { tree: [{ path: 'a', mode: '100644', content: '' }] };
  for (const reply of [
    await client.post(`${path}/blobs`, { content: 'a' }),
    await client.post(`${path}/trees`, tree),
    await client.post(`${path}/commits`, { message: 'a', tree: sha }),
    await client.post(`${path}/refs`, { ref: 'refs/heads/a', sha }),
    await client.get(`${path}/trees/main`),
    await client.get(`${path}/ref/heads/main`),
  ])
    expect(reply).toMatchObject({ status: 409, body: { message: 'Git Repository is empty.' } });
});
