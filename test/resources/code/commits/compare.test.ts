import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { addCommit, history, point } from './setting.ts';

const w = await world();

async function setting(visibility: 'public' | 'private' = 'public') {
  const owner = await w.user();
  const made = await history(w, owner, 3, visibility);
  const [, second = ''] = made.oids;
  const side = await addCommit(made.gitRepository, { files: { 'side.txt': 'side\n' }, parents: [second], message: 'Side\n' });
  await point(w, made.repo, 'refs/heads/feature/side', side);
  return { ...made, owner, side, client: await w.as(owner) };
}

test('compares branches and commits by what the head has since both parted', async () => {
  const { client, path, oids, side } = await setting();
  const { status, body } = await client.get(`${path}/compare/main...feature/side`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    status: 'diverged',
    ahead_by: 1,
    behind_by: 1,
    total_commits: 1,
    base_commit: { sha: oids[2] },
    merge_base_commit: { sha: oids[1] },
    commits: [{ sha: side }],
    files: [{ filename: 'side.txt', status: 'added', patch: '@@ -0,0 +1 @@\n+side' }],
  });
  const statusOf = async (basehead: string) => (await client.get(`${path}/compare/${basehead}`)).body.status;
  expect(await statusOf(`${oids[0]}...main`)).toBe('ahead');
  expect(await statusOf(`main...${oids[0]}`)).toBe('behind');
  expect(await statusOf('main...main')).toBe('identical');
});

test('pages the commits, with the files on the first page', async () => {
  const { client, path, oids } = await setting();
  const first = await client.get(`${path}/compare/${oids[0]}...main?per_page=1`);
  expect(first.body.commits.map(({ sha }: { sha: string }) => sha)).toEqual([oids[1]]);
  expect(first.body.files).toHaveLength(2);
  expect(first.headers.link).toContain('page=2>; rel="next"');
  const second = await client.get(`${path}/compare/${oids[0]}...main?per_page=1&page=2`);
  expect(second.body.commits.map(({ sha }: { sha: string }) => sha)).toEqual([oids[2]]);
  expect(second.body).toMatchObject({ files: [], total_commits: 2 });
});

test('gives the comparison as a diff and as patches', async () => {
  const { client, path } = await setting();
  const as = async (media: string) =>
    (await client.get(`${path}/compare/main...feature/side`, { headers: { accept: `application/vnd.service.${media}` } })).text;
  expect(await as('diff')).toMatch(/^diff --git a\/side\.txt b\/side\.txt\n/);
  expect(await as('patch')).toMatch(/Subject: \[PATCH\] Side\n/);
});

test('compares with a fork, as far as the caller may read it', async () => {
  const { client, path, owner, oids } = await setting();
  const forker = await w.user();
  const theirs = await w.as(forker);
  const { name } = (await theirs.post(`${path}/forks`)).body;
  const fork = `/repos/${forker.login}/${name}`;
  const { commit } = (await theirs.put(`${fork}/contents/new`, { message: 'In the fork', content: '' })).body;

  const { status, body } = await client.get(`${path}/compare/main...${forker.login}:main`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'ahead', commits: [{ sha: commit.sha }], files: [{ filename: 'new' }] });
  expect(body.commits[0].url).toContain(fork);
  const back = await theirs.get(`${fork}/compare/${owner.login}:${oids[0]}...main`);
  expect(back.body).toMatchObject({ ahead_by: 3, base_commit: { sha: oids[0] } });

  await w.db
    .updateTable('repositories')
    .set({ visibility: 'private' })
    .where('name', '=', name)
    .where('owner_id', '=', forker.id)
    .execute();
  expect((await client.get(`${path}/compare/main...${forker.login}:main`)).status).toBe(404);
  expect((await client.get(`${path}/compare/main...nobody:main`)).status).toBe(404);
});

test('refuses what can not be compared', async () => {
  const { client, path, gitRepository, repo } = await setting();
  await point(w, repo, 'refs/heads/alone', await addCommit(gitRepository, { files: { a: 'a' } }));
  for (const wrong of [
    'main',
    'main..main',
    'main...',
    '...main',
    'main...none',
    'none...main',
    'main...alone',
    'main...--all',
    `main...${'1'.repeat(40)}`,
  ])
    expect((await client.get(`${path}/compare/${wrong}`)).status, wrong).toBe(404);
});

test('is for those who may read the contents', async () => {
  const { path, owner, repo } = await setting('private');
  const get = async (who: Parameters<typeof w.as>[0]) => (await (await w.as(who)).get(`${path}/compare/main...main`)).status;
  expect(await get(owner)).toBe(200);
  expect(await get(await w.user())).toBe(404);
  expect(await get(await w.fineGrained(owner, owner, { issues: 'read' }, [repo]))).toBe(403);
});
