// Pull requests in archives: with their commits, numbers and what was said and done about them.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repoOf } from '#git/store.ts';
import { git } from '#test/git/support.ts';
import { pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { world } from '#test/support/world.ts';
import { download, exported, importInto, repacked, unpack } from './support.ts';

const w = await world();

/** A repository with an open, a merged and a forked pull request, and an issue that has the number 1. */
async function full() {
  const setting = await pullSetting(w);
  const { client, base, commit, open, tested, ada, repo } = setting;
  await client.post(`${base}/issues`, { title: 'The pump leaks' });
  const head = await commit('seal', { 'seal.txt': 's\n' });
  await open('seal', { title: 'Seal the pump', body: 'Closes #1', draft: true });
  await client.post(`${base}/issues/2/comments`, { body: 'Still dripping' });
  await client.post(`${base}/issues/2/labels`, { labels: ['bug'] });
  await commit('gasket', { 'gasket.txt': 'g\n' });
  await open('gasket', { title: 'A new gasket' });
  await tested(3);
  const { body: merge } = await client.put(`${base}/pulls/3/merge`, {});
  const bob = await w.user();
  const asBob = await w.as(bob);
  const { body: fork } = await asBob.post(`${base}/forks`, {});
  await w.settle();
  const contents = { message: 'Paint', content: Buffer.from('p\n').toString('base64'), branch: 'main' };
  const { body: painted } = await asBob.put(`/repos/${fork.full_name}/contents/paint.txt`, contents);
  await asBob.post(`${base}/pulls`, { title: 'Paint', head: `${bob.login}:main`, base: 'main' });
  await w.settle();
  return {
    ...setting,
    head,
    merge: merge.sha as string,
    painted: painted.commit.sha as string,
    bob,
    name: `${ada.login}/${repo.name}`,
  };
}

test('they come back with their commits, and can be merged', async () => {
  const { ada, repo, base, name, head, merge, painted, bob } = await full();
  const bytes = await download(w, ada, await exported(w, ada, { repositories: [name] }));
  const archive = await unpack(bytes);
  const url = `${w.url}/${name}`;
  expect((await archive.objects('issues')).map((one) => one.url)).toEqual([`${url}/issues/1`]);
  const records = await archive.objects('pull_requests');
  expect(records).toMatchObject([
    {
      type: 'pull_request',
      url: `${url}/pull/2`,
      title: 'Seal the pump',
      work_in_progress: true,
      base: { ref: 'main', repo: url, user: `${w.url}/${ada.login}` },
      head: { ref: 'seal', sha: head, repo: url },
      labels: [`${url}/labels/bug`],
      merged_at: null,
      merge_commit_sha: null,
    },
    { url: `${url}/pull/3`, state: 'closed', merge_commit_sha: merge, merged_by: `${w.url}/${ada.login}` },
    { url: `${url}/pull/4`, head: { sha: painted, user: `${w.url}/${bob.login}`, repo: `${w.url}/${bob.login}/${repo.name}` } },
  ]);
  expect(await archive.objects('issue_comments')).toMatchObject([{ pull_request: `${url}/pull/2`, body: 'Still dripping' }]);
  const merged = (await archive.objects('issue_events')).filter(({ event }) => event === 'merged');
  expect(merged).toMatchObject([{ pull_request: `${url}/pull/3`, commit_id: merge }]);
  const gitRepository = join(archive.folder, 'repositories', `${name}.git`);
  expect(await git(gitRepository, 'for-each-ref', '--format=%(refname)', 'refs/pull')).toBe(
    'refs/pull/2/head\nrefs/pull/3/head\nrefs/pull/4/head\n',
  );

  await w.db.deleteFrom('repositories').where('id', '=', repo.id).execute();
  expect(await importInto(w, bytes)).toMatchObject({ repositories: [name] });
  await w.settle();
  const client = await w.as(ada);
  expect((await client.get(base)).body).toMatchObject({ open_issues_count: 3 });
  expect(
    (await client.get(`${base}/issues?state=all`)).body.map(
      ({ number, pull_request }: { number: number; pull_request?: object }) => [number, pull_request !== undefined],
    ),
  ).toEqual([
    [4, true],
    [3, true],
    [2, true],
    [1, false],
  ]);
  expect((await client.get(`${base}/pulls/3`)).body).toMatchObject({
    merged: true,
    merge_commit_sha: merge,
    commits: 1,
    changed_files: 1,
  });
  expect((await client.get(`${base}/pulls/4`)).body).toMatchObject({
    state: 'open',
    head: { sha: painted, user: { login: bob.login }, repo: null },
  });
  expect((await client.get(`${base}/pulls/4/files`)).body).toMatchObject([{ filename: 'paint.txt' }]);
  const imported = await w.db
    .selectFrom('repositories')
    .select('id')
    .where('name', '=', repo.name)
    .where('owner_id', '=', ada.id)
    .executeTakeFirstOrThrow();
  expect(await git(repoOf(w.hearth.services.git, imported.id).path, 'rev-parse', 'refs/pull/2/head')).toBe(`${head}\n`);
  expect((await client.patch(`${base}/pulls/2`, { draft: false })).status).toBe(200);
  await w.settle();
  expect((await client.get(`${base}/pulls/2`)).body).toMatchObject({
    mergeable: true,
    head: { ref: 'seal', repo: { full_name: name } },
  });
  expect((await client.put(`${base}/pulls/2/merge`, {})).body).toMatchObject({ merged: true });
  await w.settle();
  expect((await client.get(`/search/issues?q=${encodeURIComponent(`is:pr repo:${name}`)}`)).body.total_count).toBe(3);
});

test('without Git data, they come as issues, with what was said', async () => {
  const { ada, repo, base, name } = await full();
  const bytes = await download(w, ada, await exported(w, ada, { repositories: [name], exclude_git_data: true }));
  await w.db.deleteFrom('repositories').where('id', '=', repo.id).execute();
  await importInto(w, bytes);
  const client = await w.as(ada);
  expect((await client.get(base)).body).toMatchObject({ open_issues_count: 3 });
  const { body: issue } = await client.get(`${base}/issues/2`);
  expect(issue).toMatchObject({ title: 'Seal the pump', state: 'open', comments: 1 });
  expect(issue).not.toHaveProperty('pull_request');
  expect((await client.get(`${base}/issues/3`)).body).toMatchObject({ state: 'closed' });
  expect((await client.get(`${base}/pulls/2`)).status).toBe(404);
});

test('an archive in which a pull request has the number of an issue, or a comment names nothing, is refused', async () => {
  const { ada, repo, name } = await full();
  const archive = await unpack(await download(w, ada, await exported(w, ada, { repositories: [name] })));
  const { objects } = archive;
  await w.db.deleteFrom('repositories').where('id', '=', repo.id).execute();
  const url = `${w.url}/${name}`;
  const [pull, ...others] = await objects('pull_requests');
  const [comment] = await objects('issue_comments');
  const { pull_request: _, ...aboutNothing } = comment;
  for (const [changes, reason] of [
    [{ 'pull_requests_000001.json': [{ ...pull, url: `${url}/pull/1` }, ...others] }, 'has the number of'],
    [
      { 'pull_requests_000001.json': [{ ...pull, base: { ...pull.base, repo: `${url}x` } }, ...others] },
      'goes into another repository',
    ],
    [
      { 'pull_requests_000001.json': [{ ...pull, url: `${url}/issues/2` }, ...others] },
      'is no address of one of the pull requests',
    ],
    [{ 'issue_comments_000001.json': [aboutNothing] }, 'names neither an issue nor a pull request'],
  ] as const)
    await w.unchanged(['repositories', 'issues', 'pull_requests'], async () => {
      await expect(importInto(w, await repacked(archive, changes))).rejects.toThrow(reason);
    });
});
