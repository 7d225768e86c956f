import { expect, test } from 'vitest';
import { addFile } from '#test/resources/code/commits/setting.ts';
import { world } from '#test/support/world.ts';

const w = await world();

async function setting(visibility: 'public' | 'private' = 'public') {
  const ada = await w.user();
  const repo = await w.repo(ada, { visibility });
  const client = await w.as(ada);
  const base = `/repos/${ada.login}/${repo.name}`;
  const { commit } = await addFile(client, base);
  const set = (state: string, context?: string) =>
    client.post(`${base}/statuses/${commit}`, { state, ...(context === undefined ? {} : { context }) });
  const combined = async () => (await client.get(`${base}/commits/${commit}/status`)).body;
  return { ada, repo, client, base, commit, set, combined };
}

test('a status is set and listed, the latest first, by commit and by branch', async () => {
  const { ada, client, base, commit } = await setting();
  const wanted = { state: 'pending', target_url: 'https://ci.example/1', description: 'Building', context: 'ci/build' };
  const { status, body } = await client.post(`${base}/statuses/${commit}`, wanted);
  expect(status).toBe(201);
  expect(body).toMatchObject({ ...wanted, creator: { login: ada.login }, url: `${w.url}/api/v3${base}/statuses/${commit}` });
  const { body: second } = await client.post(`${base}/statuses/${commit}`, { state: 'success' });
  expect(second).toMatchObject({ context: 'default', description: null, target_url: null });
  for (const ref of [commit, commit.slice(0, 10), 'main', 'heads%2Fmain'])
    expect((await client.get(`${base}/commits/${ref}/statuses`)).body, ref).toEqual([second, body]);
  expect((await client.get(`${base}/commits/${commit}/statuses?per_page=1&page=2`)).body).toEqual([body]);
  expect((await client.get(`${base}/commits/none/statuses`)).status).toBe(404);
});

test('the combined state follows the latest status of each context, whatever the case of its letters', async () => {
  const { client, base, commit, set, combined } = await setting();
  expect(await combined()).toMatchObject({ state: 'pending', statuses: [], total_count: 0, sha: commit });
  await set('failure', 'build');
  await set('success', 'lint');
  expect(await combined()).toMatchObject({
    state: 'failure',
    total_count: 2,
    statuses: [{ context: 'build' }, { context: 'lint' }],
  });
  await set('success', 'Build');
  expect(await combined()).toMatchObject({
    state: 'success',
    total_count: 2,
    statuses: [{ context: 'lint' }, { context: 'Build' }],
  });
  await set('pending', 'lint');
  expect(await combined()).toMatchObject({ state: 'pending' });
  await set('error', 'deploy');
  expect(await combined()).toMatchObject({ state: 'failure', total_count: 3 });
  const { body, headers } = await client.get(`${base}/commits/main/status?per_page=1`);
  expect(body).toMatchObject({ state: 'failure', total_count: 3, statuses: [{ context: 'Build' }] });
  expect(headers.link).toContain('page=3>; rel="last"');
  expect(body.repository.full_name).toBe(base.slice('/repos/'.length));
});

test('statuses that are set at the same time leave one latest', async () => {
  const { set, combined } = await setting();
  await Promise.all(Array.from({ length: 8 }, (_, at) => set(at % 2 === 0 ? 'success' : 'pending', 'build')));
  expect(await combined()).toMatchObject({ total_count: 1, statuses: [{ context: 'build' }] });
});

test('bad statuses and unknown commits are refused and change nothing', async () => {
  const { client, base, commit } = await setting();
  await w.unchanged(['commit_statuses', 'events'], async () => {
    const bad = [
      {},
      { state: 'fine' },
      { state: 'success', description: 'x'.repeat(141) },
      { state: 'success', context: 'x'.repeat(256) },
      { state: 'success', context: '' },
      { state: 'success', target_url: 'javascript:alert(1)' },
      { state: 'success', target_url: 'nowhere' },
    ];
    for (const body of bad)
      expect((await client.post(`${base}/statuses/${commit}`, body)).status, JSON.stringify(body)).toBe(422);
    for (const sha of ['main', commit.slice(0, 10), '0'.repeat(40)])
      expect((await client.post(`${base}/statuses/${sha}`, { state: 'success' })).status, sha).toBe(422);
  });
});

test('a commit has at most 1,000 statuses of a context', async () => {
  const { repo, commit, set } = await setting();
  await set('pending', 'build');
  await w.db.updateTable('commit_statuses').set({ number: 999 }).where('repository_id', '=', repo.id).execute();
  expect((await set('pending', 'build')).status).toBe(201);
  const refused = await set('success', 'BUILD');
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ field: 'context' }] } });
  expect((await set('success', 'other')).status).toBe(201);
  const latest = await w.db
    .selectFrom('commit_statuses')
    .select('state')
    .where('commit_sha', '=', commit)
    .where('is_latest', '=', true);
  expect((await latest.orderBy('id').execute()).map(({ state }) => state)).toEqual(['pending', 'success']);
});

test('setting needs the right to push, and the scope repo:status is enough; readers read', async () => {
  const { ada, repo, base, commit } = await setting('private');
  const [reader, eve] = [await w.user(), await w.user()];
  await w.collaborator(repo, reader, 'read');
  const path = `${base}/statuses/${commit}`;
  const [asReader, asEve] = [await w.as(reader), await w.as(eve)];
  expect((await asReader.post(path, { state: 'success' })).status).toBe(403);
  expect((await asReader.get(`${base}/commits/main/status`)).status).toBe(200);
  expect((await asEve.post(path, { state: 'success' })).status).toBe(404);
  expect((await asEve.get(`${base}/commits/main/status`)).status).toBe(404);
  const narrow = await w.as(await w.token(ada, ['repo:status']));
  expect((await narrow.post(path, { state: 'success' })).status).toBe(201);
  expect((await narrow.get(`${base}/commits/main/statuses`)).status).toBe(200);
  expect((await narrow.get(`${base}/commits/main`)).status).toBe(404);
  const read = await w.as(await w.fineGrained(ada, ada, { statuses: 'read' }));
  expect((await read.post(path, { state: 'success' })).status).toBe(403);
  expect((await read.get(`${base}/commits/main/status`)).status).toBe(200);
});

test('an empty repository has no commits to tell of', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada);
  const client = await w.as(ada);
  expect((await client.get(`/repos/${ada.login}/${repo.name}/commits/main/status`)).status).toBe(409);
});

test('lists of statuses send as many statements for one as for thirty', async () => {
  const { ada, base, set } = await setting();
  await set('success', 'one');
  const counts = async () => [
    await w.statements(ada, `${base}/commits/main/statuses`),
    await w.statements(ada, `${base}/commits/main/status`),
  ];
  const few = await counts();
  expect(few).toEqual([3, 6]);
  for (let at = 0; at < 29; at++) await set('success', `context-${at}`);
  expect(await counts()).toEqual(few);
});
