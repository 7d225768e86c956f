// The git processes of requests.
import { expect, test } from 'vitest';
import { oidOf } from '#git/objects/pack.ts';
import { addFile, history } from '#test/resources/code/commits/setting.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const owner = await w.user();
const { oids, path } = await history(w, owner, 40);
const [base, tip] = [oids[35], oids.at(-1)];
const blob = oidOf({ type: 'blob', data: Buffer.from('7\n') });

/** The processes that a request starts once its reader is open: the first time, and again. */
const requests: { path: string; first: string[]; again: string[] }[] = [
  { path: 'commits', first: ['rev-list'], again: [] },
  { path: 'commits?per_page=5', first: [], again: [] },
  { path: 'commits?page=2', first: [], again: [] },
  { path: 'commits?path=3.txt', first: ['rev-list'], again: [] },
  { path: 'commits?author=ada@example.org&per_page=5', first: ['rev-list', 'rev-list'], again: [] },
  { path: 'commits?sha=main~3&per_page=40', first: ['rev-parse'], again: [] },
  { path: 'commits/main', first: ['diff-tree', 'diff-tree'], again: [] },
  { path: `compare/${base}...main`, first: ['diff-tree', 'diff-tree'], again: [] },
  { path: 'contributors', first: ['shortlog'], again: [] },
  { path: 'contents', first: [], again: [] },
  { path: 'contents/7.txt', first: [], again: [] },
  { path: 'branches/main', first: [], again: [] },
  { path: 'git/ref/heads/main', first: [], again: [] },
  { path: `git/commits/${tip}`, first: [], again: [] },
  { path: 'git/trees/main', first: [], again: [] },
  { path: 'git/trees/main?recursive=1', first: ['ls-tree'], again: [] },
  { path: `git/blobs/${blob}`, first: [], again: [] },
  // Which refs there are is known to git alone.
  { path: 'branches', first: ['for-each-ref'], again: ['for-each-ref'] },
  { path: 'tags', first: ['for-each-ref'], again: ['for-each-ref'] },
  { path: 'git/refs', first: ['for-each-ref'], again: ['for-each-ref'] },
];

test.each(requests)('$path starts no more git processes than it needs', async ({ path: wanted, first, again }) => {
  await w.gitProcesses(owner, `${path}/git/ref/heads/main`); // opens the reader
  expect((await w.gitProcesses(owner, `${path}/${wanted}`)).sort()).toEqual(first);
  expect(await w.gitProcesses(owner, `${path}/${wanted}`)).toEqual(again);
});

test('after a change, the list of commits and the new file are read without a process', async () => {
  const client = await w.as(owner);
  await w.gitProcesses(owner, `${path}/commits`);
  const added = await addFile(client, path);
  const before = await client.get(`${path}/commits`);
  expect(before.body[0].sha).toBe(added.commit);
  expect(before.headers.link).toContain('page=2>; rel="last"');
  await addFile(client, path);
  expect(await w.gitProcesses(owner, `${path}/commits`)).toEqual([]);
  expect(await w.gitProcesses(owner, `${path}/contents`)).toEqual([]);
  expect(await w.gitProcesses(owner, `${path}/git/blobs/${added.blob}`)).toEqual([]);
});

test('stale branch: after a change by one process, the others show it, a deletion too', async () => {
  const servers = [w.hearth, await w.another()];
  const client = await w.as(owner);
  const headers = { authorization: `Bearer ${await w.token(owner)}` };
  const read = (what: string) =>
    Promise.all(servers.map(({ app }) => app.inject({ method: 'GET', url: `/api/v3${path}/${what}`, headers })));
  for (let round = 0; round < 3; round++) {
    const { commit } = await addFile(client, path);
    for (const reply of await read('commits?per_page=1')) expect(reply.json()).toMatchObject([{ sha: commit }]);
    for (const reply of await read('branches/main')) expect(reply.json()).toMatchObject({ commit: { sha: commit } });
  }
  const added = await addFile(client, path);
  const created = await client.post(`${path}/git/refs`, { ref: 'refs/heads/topic', sha: added.commit });
  expect(created.status).toBe(201);
  for (const reply of await read('commits?sha=topic')) expect(reply.statusCode).toBe(200);
  expect((await client.delete(`${path}/git/refs/heads/topic`)).status).toBe(204);
  for (const reply of await read('commits?sha=topic')) expect(reply.statusCode).toBe(404);
});

test('a repository made anew under the name of a deleted one has none of its commits', async () => {
  const gone = await history(w, owner, 3);
  const client = await w.as(owner);
  const [commit] = gone.oids;
  expect((await client.get(`${gone.path}/commits?sha=${commit}`)).status).toBe(200);
  expect((await client.delete(gone.path)).status).toBe(204);
  await w.repo(owner, { name: gone.repo.name });
  await addFile(client, gone.path);
  expect((await client.get(`${gone.path}/commits?sha=${commit}`)).status).toBe(404);
  expect((await client.get(`${gone.path}/git/commits/${commit}`)).status).toBe(404);
  expect((await client.get(`${gone.path}/git/trees/${commit}`)).status).toBe(404);
});
