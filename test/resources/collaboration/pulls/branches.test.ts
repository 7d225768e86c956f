import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { addCommit, diskOf } from '#test/resources/code/commits/setting.ts';
import { fresh, world } from '#test/support/world.ts';
import { pullSetting, push } from './setting.ts';

const w = await world();
const kinds = (events: { event: string }[]) => events.map(({ event }) => event);

test('a pull request from a fork brings its commits along, and follows its branch', async () => {
  const { client, base, repo, first } = await pullSetting(w);
  const grace = await w.user();
  const other = await w.as(grace);
  const { body: fork } = await other.post(`${base}/forks`, {});
  await w.settle();
  const gitRepository = diskOf(w, fork);
  const one = await addCommit(gitRepository, { files: { 'b.txt': 'fork\n' }, parents: [first], message: 'In the fork' });
  await push(w, grace, fork, 'topic', one);
  const wanted = { title: 'From a fork', head: `${grace.login}:topic`, base: 'main' };
  const { status, body } = await other.post(`${base}/pulls`, wanted);
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { head: { label: `${grace.login}:topic`, repo: { fork: true } }, maintainer_can_modify: true },
  });
  expect(await other.post(`${base}/pulls`, wanted)).toMatchObject({
    status: 422,
    body: { errors: [{ message: `A pull request already exists for ${grace.login}:topic.` }] },
  });
  const two = await addCommit(gitRepository, { files: { 'c.txt': 'fork\n' }, parents: [one], message: 'Again' });
  await push(w, grace, fork, 'topic', two);
  await w.settle();
  expect((await client.get(`${base}/pulls/1`)).body).toMatchObject({
    head: { sha: two },
    commits: 2,
    changed_files: 2,
    mergeable: true,
  });
  const url = `${w.url}/${repo.owner.login}/${repo.name}.git`;
  const { stdout: refs } = await promisify(execFile)('git', ['ls-remote', url, 'refs/pull/1/*']);
  expect(refs).toContain(`${two}\trefs/pull/1/head`);
  expect(refs).toContain('refs/pull/1/merge');
  const { body: merged } = await client.put(`${base}/pulls/1/merge`);
  const { body: commit } = await client.get(`${base}/commits/${merged.sha}`);
  expect(commit.commit.message).toBe(`Merge pull request #1 from ${grace.login}/topic\n\nFrom a fork`);
});

test('a pull request is closed with its branch, and opened again with it', async () => {
  const { client, base, commit, open } = await pullSetting(w);
  const head = await commit('topic', { 'b.txt': 'new\n' });
  const number = await open('topic');
  await client.delete(`${base}/git/refs/heads/topic`);
  await w.settle();
  expect((await client.get(`${base}/pulls/${number}`)).body).toMatchObject({ state: 'closed', merged: false });
  const refused = await client.patch(`${base}/pulls/${number}`, { state: 'open' });
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ field: 'state' }] } });
  expect((await client.patch(`${base}/issues/${number}`, { state: 'open' })).status).toBe(422);
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/topic', sha: head });
  await w.settle();
  expect((await client.patch(`${base}/pulls/${number}`, { state: 'open' })).body).toMatchObject({ state: 'open' });
  const { body } = await client.get(`${base}/issues/${number}/events`);
  expect(kinds(body)).toEqual(['head_ref_deleted', 'closed', 'head_ref_restored', 'reopened']);
});

test('pushes are followed: new commits, commits that replace others, and a merge by hand', async () => {
  const { client, base, commit, open, tested, first, repo, ada } = await pullSetting(w);
  await commit('topic', { 'b.txt': 'one\n' });
  const number = await open('topic');
  const added = await commit('topic', { 'b.txt': 'two\n' });
  expect(await tested(number)).toMatchObject({ head: { sha: added }, commits: 2, mergeable: true });
  const replaced = await addCommit(diskOf(w, repo), { files: { 'b.txt': 'three\n' }, parents: [first] });
  await push(w, ada, repo, 'topic', replaced);
  expect(await tested(number)).toMatchObject({ head: { sha: replaced }, commits: 1 });
  const merge = await client.post(`${base}/merges`, { base: 'main', head: 'topic' });
  await w.settle();
  expect((await client.get(`${base}/pulls/${number}`)).body).toMatchObject({ merged: true, merge_commit_sha: merge.body.sha });
  const { body } = await client.get(`${base}/issues/${number}/events`);
  expect(kinds(body)).toEqual(['head_ref_force_pushed', 'merged', 'closed']);
});

test('the base can be changed, and a renamed branch takes its pull requests along', async () => {
  const { client, base, commit, open, tested } = await pullSetting(w);
  await commit('release', { 'r.txt': 'r\n' });
  await commit('topic', { 'b.txt': 'one\n' });
  const number = await open('topic');
  const changed = await client.patch(`${base}/pulls/${number}`, { base: 'release' });
  expect(changed.body).toMatchObject({ base: { ref: 'release' }, mergeable: null });
  expect(await tested(number)).toMatchObject({ mergeable: true });
  await client.post(`${base}/branches/release/rename`, { new_name: 'stable' });
  await client.post(`${base}/branches/topic/rename`, { new_name: 'subject' });
  expect(await tested(number)).toMatchObject({
    state: 'open',
    base: { ref: 'stable' },
    head: { ref: 'subject' },
    mergeable: true,
  });
  expect((await client.patch(`${base}/pulls/${number}`, { base: 'none' })).status).toBe(422);
  expect(kinds((await client.get(`${base}/issues/${number}/events`)).body)).toEqual(['base_ref_changed']);
});

test('update-branch merges the base into the head', async () => {
  const { client, base, commit, open, tested } = await pullSetting(w);
  const head = await commit('topic', { 'b.txt': 'one\n' });
  const number = await open('topic');
  const update = (wanted: object = {}) => client.put(`${base}/pulls/${number}/update-branch`, wanted);
  expect((await update()).status).toBe(422);
  await commit('main', { 'm.txt': 'main\n' });
  expect((await update({ expected_head_sha: 'b'.repeat(40) })).status).toBe(422);
  expect(await update({ expected_head_sha: head })).toMatchObject({ status: 202 });
  expect(await tested(number)).toMatchObject({ commits: 2, mergeable: true });
});

test('bad ends are refused', async () => {
  const { client, base, commit } = await pullSetting(w);
  await commit('topic', { 'b.txt': 'one\n' });
  const refused = async (wanted: object) => (await client.post(`${base}/pulls`, { title: 'T', ...wanted })).body.errors;
  expect(await refused({ head: 'none', base: 'main' })).toMatchObject([{ field: 'head', code: 'invalid' }]);
  expect(await refused({ head: 'topic', base: 'none' })).toMatchObject([{ field: 'base', code: 'invalid' }]);
  expect(await refused({ head: 'main', base: 'main' })).toMatchObject([{ message: 'No commits between main and main' }]);
  expect(await refused({ head: 'nobody:topic', base: 'main' })).toMatchObject([{ field: 'head' }]);
  const stranger = await w.as(await w.user());
  const denied = await stranger.post(`${base}/pulls`, { title: 'T', head: 'topic', base: 'main' });
  expect(denied).toMatchObject({ status: 422, body: { errors: [{ message: 'must be a collaborator' }] } });
  expect((await client.get(base)).body.open_issues_count).toBe(0);
});

test('a head that moved while the pull request was closed is followed when that is opened again', async () => {
  const { client, base, commit, open, tested } = await pullSetting(w);
  await commit('topic', { 'b.txt': 'one\n' });
  const number = await open('topic');
  await client.patch(`${base}/pulls/${number}`, { state: 'closed' });
  await w.settle();
  const head = await commit('topic', { 'c.txt': 'two\n' });
  await w.settle();
  expect((await client.get(`${base}/pulls/${number}`)).body).toMatchObject({ commits: 1 });
  await client.patch(`${base}/pulls/${number}`, { state: 'open' });
  expect(await tested(number)).toMatchObject({ head: { sha: head }, commits: 2, mergeable: true });
});

test('a base that was replaced by another history can not be merged into', async () => {
  const { client, base, commit, open, tested, repo, ada } = await pullSetting(w);
  await commit('topic', { 'b.txt': 'one\n' });
  const number = await open('topic');
  await push(w, ada, repo, 'main', await addCommit(diskOf(w, repo), { files: { 'z.txt': 'new\n' } }));
  expect(await tested(number)).toMatchObject({ mergeable: false, mergeable_state: 'dirty' });
  expect((await client.put(`${base}/pulls/${number}/merge`)).status).toBe(405);
});

test('a pull request whose fork is gone keeps its commits, and can be merged, but not opened again', async () => {
  const { client, base, first } = await pullSetting(w);
  const grace = await w.user();
  const other = await w.as(grace);
  const { body: fork } = await other.post(`${base}/forks`, {});
  await w.settle();
  const oids: string[] = [];
  for (const name of ['one', 'two']) {
    const oid = await addCommit(diskOf(w, fork), { files: { [`${name}.txt`]: name }, parents: [first], message: name });
    await push(w, grace, fork, name, oid);
    oids.push(oid);
    await other.post(`${base}/pulls`, { title: name, head: `${grace.login}:${name}`, base: 'main' });
  }
  await w.settle();
  expect((await other.delete(`/repos/${grace.login}/${fork.name}`)).status).toBe(204);
  await w.settle();
  const { body: list } = await client.get(`${base}/pulls?state=all&direction=asc`);
  expect(list).toMatchObject(
    oids.map((sha) => ({ state: 'open', head: { repo: null, sha, label: expect.stringContaining(':') } })),
  );
  expect((await client.get(`${base}/pulls/1/files`)).body).toMatchObject([{ filename: 'one.txt' }]);
  expect((await client.put(`${base}/pulls/1/update-branch`)).status).toBe(422);
  expect((await client.put(`${base}/pulls/1/merge`)).status).toBe(200);
  await client.patch(`${base}/pulls/2`, { state: 'closed' });
  expect((await client.patch(`${base}/pulls/2`, { state: 'open' })).status).toBe(422);
});

test('head_repo names the repository of the head where its owner has several', async () => {
  const { client, base, repo, first } = await pullSetting(w);
  const grace = await w.user();
  const other = await w.as(grace);
  const { body: fork } = await other.post(`${base}/forks`, { name: fresh('copy') });
  await w.settle();
  const one = await addCommit(diskOf(w, fork), { files: { 'b.txt': 'fork\n' }, parents: [first], message: 'In the fork' });
  await push(w, grace, fork, 'topic', one);
  const wanted = { title: 'By name', head: `${grace.login}:topic`, base: 'main' };
  expect((await other.post(`${base}/pulls`, { ...wanted, head_repo: repo.name })).status).toBe(422);
  const { status, body } = await other.post(`${base}/pulls`, { ...wanted, head_repo: fork.name });
  expect([status, body.head.repo.id]).toEqual([201, fork.id]);
  expect((await client.get(`${base}/pulls/${body.number}`)).body.head.sha).toBe(one);
});
