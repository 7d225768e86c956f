import { expect, test } from 'vitest';
import { addCommit, history } from '#test/resources/code/commits/setting.ts';
import { told, unfinished } from '#test/resources/code/pushes/support.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const base64 = (text: string) => Buffer.from(text).toString('base64');

test('makes, changes and removes a file, each by a commit that is told of as a push', async () => {
  const owner = await w.user(undefined, { name: 'Ada', email: 'ada@here.example' });
  const { path, oids, repo } = await history(w, owner, 1);
  const client = await w.as(owner);
  const before = (await told(w, repo)).length;
  const place = `${path}/contents/docs/a note.md`;

  const made = await client.put(place, { message: 'Add a note', content: base64('one\n') });
  expect(made).toMatchObject({
    status: 201,
    body: {
      content: { type: 'file', path: 'docs/a note.md', name: 'a note.md', size: 4 },
      commit: { message: 'Add a note', author: { name: 'Ada', email: 'ada@here.example' }, parents: [{ sha: oids[0] }] },
    },
  });
  const { sha } = made.body.content;
  const changed = await client.put(place, { message: 'Change it', content: base64('two\n'), sha });
  expect(changed.status).toBe(200);
  expect(changed.body.commit.parents[0].sha).toBe(made.body.commit.sha);
  expect(Buffer.from((await client.get(place)).body.content, 'base64').toString()).toBe('two\n');

  const gone = await client.delete(place, { message: 'Remove it', sha: changed.body.content.sha });
  expect(gone).toMatchObject({ status: 200, body: { content: null, commit: { message: 'Remove it' } } });
  expect((await client.get(place)).status).toBe(404);
  expect((await client.get(`${path}/contents/docs`)).status).toBe(404);
  expect((await client.get(`${path}/commits`)).body[0].sha).toBe(gone.body.commit.sha);
  expect((await told(w, repo)).slice(before).map(({ kind }) => kind)).toEqual(['push', 'push', 'push']);
  expect(await unfinished(w, repo)).toEqual([]);
});

test('begins an empty repository, on the branch that is named', async () => {
  const owner = await w.user();
  const repo = await w.repo(owner);
  const client = await w.as(owner);
  const path = `/repos/${owner.login}/${repo.name}`;
  const made = await client.put(`${path}/contents/README.md`, { message: 'Begin', content: base64('# Hello'), branch: 'trunk' });
  expect(made).toMatchObject({ status: 201, body: { commit: { parents: [] } } });
  expect((await client.get(path)).body.default_branch).toBe('trunk');
  expect((await client.get(`${path}/readme`)).status).toBe(200);
});

test('takes author and committer, and keeps the mode of the file', async () => {
  const owner = await w.user(undefined, { name: 'Ada', email: 'ada.l@here.example' });
  const { path, oids } = await history(w, owner, 1);
  const client = await w.as(owner);
  const tree = await client.post(`${path}/git/trees`, {
    base_tree: oids[0],
    tree: [{ path: 'run', mode: '100755', content: 'a' }],
  });
  const commit = await client.post(`${path}/git/commits`, { message: 'run', tree: tree.body.sha, parents: [oids[0]] });
  await client.patch(`${path}/git/refs/heads/main`, { sha: commit.body.sha });
  const { sha } = (await client.get(`${path}/contents/run`)).body;

  const grace = { name: 'Grace', email: 'grace@example.org', date: '2020-01-02T03:04:05Z' };
  const changed = await client.put(`${path}/contents/run`, { message: 'x', content: base64('b'), sha, author: grace });
  expect(changed.body.commit).toMatchObject({ author: grace, committer: { name: 'Ada' } });
  const by = { name: 'Mary', email: 'mary@example.org', date: '2021-01-02T03:04:05Z' };
  const again = { message: 'y', content: base64('c'), sha: changed.body.content.sha, committer: { ...by, date: by.date } };
  expect((await client.put(`${path}/contents/run`, again)).body.commit).toMatchObject({ committer: by });
  const found = await client.get(`${path}/git/trees/main`);
  expect(found.body.tree.find((entry: { path: string }) => entry.path === 'run').mode).toBe('100755');
});

test('refuses what has changed meanwhile, and what names no version of a file that is there', async () => {
  const owner = await w.user();
  const { path } = await history(w, owner, 1);
  const client = await w.as(owner);
  const body = { message: 'x', content: base64('x') };
  const none = '1'.repeat(40);
  expect(await client.put(`${path}/contents/1.txt`, body)).toMatchObject({
    status: 422,
    body: { message: expect.stringContaining('"sha"') },
  });
  expect((await client.put(`${path}/contents/1.txt`, { ...body, sha: none })).status).toBe(409);
  expect((await client.put(`${path}/contents/new.txt`, { ...body, sha: none })).status).toBe(409);
  expect((await client.delete(`${path}/contents/1.txt`, { message: 'x', sha: none })).status).toBe(409);
  expect((await client.delete(`${path}/contents/none.txt`, { message: 'x', sha: none })).status).toBe(404);
  expect((await client.put(`${path}/contents/new.txt`, { ...body, branch: 'none' })).status).toBe(404);
  expect((await client.get(`${path}/commits`)).body).toHaveLength(1);
});

test.each([
  ['../x', {}, 'path'],
  ['.git/hooks/x', {}, 'path'],
  ['.GIT/x', {}, 'path'],
  ['a/./b', {}, 'path'],
  ['1.txt/below', {}, 'path'],
  ['lib', {}, 'path'],
  ['x', { content: '***' }, 'content'],
  ['x', { content: undefined }, 'content'],
  ['x', { message: undefined }, 'message'],
  ['x', { sha: 'main' }, 'sha'],
  ['x', { branch: 'a..b' }, 'ref'],
  ['x', { author: { name: 'a' } }, 'author.email'],
])('refuses to write %s with %o, naming %s', async (name, wrong, field) => {
  const owner = await w.user();
  const { path, gitRepository, oids } = await history(w, owner, 1);
  const client = await w.as(owner);
  const next = await addCommit(gitRepository, { files: { 'lib/a': 'a' }, parents: [oids[0] ?? ''] });
  await client.patch(`${path}/git/refs/heads/main`, { sha: next });
  const reply = await client.put(`${path}/contents/${encodeURIComponent(name)}`, {
    message: 'x',
    content: base64('x'),
    ...wrong,
  });
  expect(reply).toMatchObject({ status: 422, body: { errors: [{ field }] } });
  expect((await client.get(`${path}/git/ref/heads/main`)).body.object.sha).toBe(next);
});

test('of two who write at once, one is told that the branch has moved or the file has changed', async () => {
  const owner = await w.user();
  const { path } = await history(w, owner, 1);
  const client = await w.as(owner);
  const write = (at: number) => client.put(`${path}/contents/same.txt`, { message: `${at}`, content: base64(`${at}`) });
  const replies = await Promise.all([1, 2, 3, 4].map(write));
  const statuses = replies.map(({ status }) => status).sort();
  expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  expect(statuses.filter((status) => status === 409 || status === 422)).toHaveLength(3);
});

test('is for those who may write', async () => {
  const owner = await w.user();
  const reader = await w.user();
  const { path, repo } = await history(w, owner, 1);
  await w.collaborator(repo, reader, 'triage');
  const put = async (who: Parameters<typeof w.as>[0]) =>
    (await (await w.as(who)).put(`${path}/contents/x${Math.random()}`, { message: 'x', content: base64('x') })).status;
  expect(await put(reader)).toBe(403);
  expect(await put(undefined)).toBe(401);
  expect(await put(await w.token(owner, ['public_repo']))).toBe(201);
  expect(await put(await w.token(owner, ['read:org']))).toBe(403);
  expect(await put(await w.fineGrained(owner, owner, { contents: 'read' }, [repo]))).toBe(403);
  expect(await put(await w.fineGrained(owner, owner, { contents: 'write' }, [repo]))).toBe(201);
});

test('a file is removed by what stands in the query, where the request has no body', async () => {
  const owner = await w.user();
  const { path } = await history(w, owner, 1);
  const client = await w.as(owner);
  const place = `${path}/contents/by-query.txt`;
  const { body } = await client.put(place, { message: 'Write it', content: 'aGVsbG8=' });
  const query = new URLSearchParams({ message: 'Remove it', sha: body.content.sha, branch: 'main' });
  const wrong: [string, string[]][] = [
    ['', ['message', 'sha']],
    ['?message=x', ['sha']],
    [`?message=a%00b&sha=${body.content.sha}`, ['message']],
    [`?message=x&message=y&sha=${body.content.sha}`, ['message']],
  ];
  for (const [text, fields] of wrong) {
    const refused = await client.delete(`${place}${text}`);
    expect(refused.status, text).toBe(422);
    expect(refused.body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
  }
  expect((await client.delete(`${place}?${query}`, { message: 'By its body' })).status).toBe(422);
  expect(await client.delete(`${place}?${query}`)).toMatchObject({ status: 200, body: { commit: { message: 'Remove it' } } });
  expect((await client.get(place)).status).toBe(404);
});
