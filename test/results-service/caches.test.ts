// Caches by the client that actions use, unmodified.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { restoreCache, saveCache } from '@actions/cache';
import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { removeUnused } from '#resources/actions/caches/jobs.ts';
import type { Task } from '#runner-protocol/generated/runner/v1/runner_pb.js';
import { nextTask } from '#test/resources/actions/artifacts/setting.ts';
import { pushWorkflow } from '#test/resources/actions/workflow-runs/setting.ts';
import { inJob, newWorkspace, runtimeToken } from '#test/support/in-job.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';

const w = await world({ vocabulary: 'github', resourceLimits: { results: { caches: 4 } } });

const workflow = `on: {workflow_dispatch: null, pull_request: null}
jobs: {build: {runs-on: ubuntu-latest, steps: [{run: make}]}}`;

/** A repository with branches, and jobs that run on them. */
async function cacheSetting(owner?: Account) {
  const ada = await w.user();
  if (owner) await w.member(owner, ada, 'owner');
  const repo = await w.repo(owner ?? ada, { by: ada });
  const client = await w.as(ada);
  const base = `/repos/${(owner ?? ada).login}/${repo.name}`;
  const sha = await pushWorkflow(w, repo, { '.github/workflows/ci.yml': workflow });
  const runner = await startRunner(w, repo);
  const branch = (name: string) => client.post(`${base}/git/refs`, { ref: `refs/heads/${name}`, sha });
  const jobOn = async (ref: string): Promise<Task> => {
    await client.post(`${base}/actions/workflows/ci.yml/dispatches`, { ref });
    return nextTask(runner);
  };
  const listed = async (query = ''): Promise<{ id: number; key: string; ref: string; size_in_bytes: number }[]> =>
    (await client.get(`${base}/actions/caches${query}`)).body.actions_caches;
  const keys = async (query = '') => (await listed(query)).map(({ key }) => key);
  return { ada, repo, client, base, runner, branch, jobOn, listed, keys };
}

/** All jobs work in it, one at a time: where the files of a cache lie belongs to what names it. */
const workspace = await newWorkspace();

const inWorkspace = <Result>(task: Task, work: () => Promise<Result>): Promise<Result> => inJob(w, task, work, workspace);

/** Saves a text under a key; -1 where the service says no. */
const save = (task: Task, key: string, content: string, folder = 'modules') =>
  inWorkspace(task, async () => {
    const path = join(workspace, folder);
    await mkdir(path, { recursive: true });
    await writeFile(join(path, 'a.txt'), content);
    return saveCache([path], key);
  });

/** The key of the cache that a job gets, and its text. */
const restore = (task: Task, key: string, more: readonly string[] = [], folder = 'modules') =>
  inWorkspace(task, async () => {
    const path = join(workspace, folder);
    await rm(path, { recursive: true, force: true });
    const found = await restoreCache([path], key, [...more]);
    return found === undefined ? undefined : [found, await readFile(join(path, 'a.txt'), 'utf8')];
  });

async function call(method: string, message: object, task: Task) {
  const response = await fetch(`${w.url}/twirp/github.actions.results.api.v1.CacheService/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${runtimeToken(task)}`, 'content-type': 'application/json' },
    body: JSON.stringify(message),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

const later = (seconds: number): void => {
  w.clock.now = new Date(w.clock.now.getTime() + seconds * 1_000);
};

test('a cache is found by its key or the beginning of it, by whom its ref is for', async () => {
  const { client, base, runner, branch, jobOn } = await cacheSetting();
  for (const name of ['release', 'topic']) await branch(name);
  const main = await jobOn('main');
  expect(await save(main, 'linux-1', 'one')).toBeGreaterThan(0);
  later(1);
  expect(await save(main, 'linux-2', 'two')).toBeGreaterThan(0);
  expect(await restore(main, 'linux-1')).toEqual(['linux-1', 'one']);
  expect(await restore(main, 'linux-')).toEqual(['linux-2', 'two']);
  expect(await restore(main, 'windows-1')).toBeUndefined();
  expect(await restore(main, 'windows-1', ['mac-', 'linux-'])).toEqual(['linux-2', 'two']);
  expect(await restore(main, 'linux-1', [], 'other')).toBeUndefined();

  // What is there stays as it is.
  expect(await save(await jobOn('main'), 'linux-1', 'changed')).toBe(-1);
  expect(await restore(main, 'linux-1')).toEqual(['linux-1', 'one']);

  const release = await jobOn('release');
  expect(await restore(release, 'linux-1')).toEqual(['linux-1', 'one']);
  expect(await save(release, 'linux-1', 'released')).toBeGreaterThan(0);
  expect(await restore(release, 'linux-')).toEqual(['linux-1', 'released']);
  expect(await restore(await jobOn('topic'), 'linux-1')).toEqual(['linux-1', 'one']);

  await client.put(`${base}/contents/b.txt`, { message: 'Add b', content: btoa('b'), branch: 'topic' });
  const { body: pull } = await client.post(`${base}/pulls`, { title: 'Take b', head: 'topic', base: 'release' });
  await w.settle();
  const tested = await nextTask(runner);
  expect(tested.context?.ref).toBe(`refs/pull/${pull.number}/merge`);
  expect(await restore(tested, 'linux-1')).toEqual(['linux-1', 'released']);
  expect(await restore(tested, 'linux-2')).toEqual(['linux-2', 'two']);
  expect(await save(tested, 'linux-3', 'tested')).toBeGreaterThan(0);
  expect(await restore(tested, 'linux-3')).toEqual(['linux-3', 'tested']);
  for (const other of [main, release]) expect(await restore(other, 'linux-3')).toBeUndefined();
});

test('caches are listed, counted and deleted', async () => {
  const acme = await w.org(await w.user());
  const { client, base, repo, branch, jobOn, listed, keys } = await cacheSetting(acme);
  await branch('topic');
  const main = await jobOn('main');
  await save(main, 'a-1', 'x'.repeat(2_000));
  later(1);
  await save(main, 'a-2', 'y');
  later(1);
  await save(await jobOn('topic'), 'a-1', 'z');
  await restore(main, 'a-1');
  expect(await listed('?key=a-1&ref=refs/heads/topic')).toEqual([
    {
      id: expect.any(Number),
      ref: 'refs/heads/topic',
      key: 'a-1',
      version: expect.stringMatching(/^[0-9a-f]{64}$/),
      created_at: expect.any(String),
      last_accessed_at: expect.any(String),
      size_in_bytes: expect.any(Number),
    },
  ]);
  const named = async (query: string) => (await listed(query)).map(({ ref, key }) => `${key} ${ref.split('/').at(-1)}`);
  expect(await named('?sort=created_at&direction=asc')).toEqual(['a-1 main', 'a-2 main', 'a-1 topic']);
  expect(await named('')).toEqual(['a-1 topic', 'a-1 main', 'a-2 main']);
  expect(await keys('?key=a-')).toHaveLength(3);
  expect(await keys('?key=%25')).toEqual([]);
  const sizes = (await listed('?sort=size_in_bytes')).map(({ size_in_bytes }) => size_in_bytes);
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  const active_caches_size_in_bytes = sizes.reduce((sum, size) => sum + size, 0);
  const usage = { full_name: `${acme.login}/${repo.name}`, active_caches_size_in_bytes, active_caches_count: 3 };
  expect((await client.get(`${base}/actions/cache/usage`)).body).toEqual(usage);
  expect((await client.get(`/orgs/${acme.login}/actions/cache/usage`)).body).toEqual({
    total_active_caches_size_in_bytes: active_caches_size_in_bytes,
    total_active_caches_count: 3,
  });
  const ofOrg = (await client.get(`/orgs/${acme.login}/actions/cache/usage-by-repository`)).body;
  expect(ofOrg).toEqual({ total_count: 1, repository_cache_usages: [usage] });

  expect((await client.delete(`${base}/actions/caches`)).status).toBe(422);
  expect((await client.delete(`${base}/actions/caches?key=a-`)).status).toBe(404);
  const { body } = await client.delete(`${base}/actions/caches?key=a-1&ref=refs/heads/topic`);
  expect(body).toMatchObject({ total_count: 1, actions_caches: [{ key: 'a-1', ref: 'refs/heads/topic' }] });
  const [last] = await listed('?key=a-2');
  expect((await client.delete(`${base}/actions/caches/${last?.id}`)).status).toBe(204);
  expect(await keys()).toEqual(['a-1']);
  expect((await client.delete(`${base}/actions/caches?key=a-1`)).body.total_count).toBe(1);
  await w.settle();
  expect(await objectsOf(repo.id)).toEqual([]);
});

async function objectsOf(repository: number): Promise<string[]> {
  const keys: string[] = [];
  for await (const batch of w.hearth.services.objects.list()) keys.push(...batch.map(({ group, name }) => `${group}/${name}`));
  return keys.filter((key) => key.startsWith(`caches-${repository}/`));
}

test('beyond the bounds, what was not used for the longest time goes', async () => {
  const { ada, client, base, repo, jobOn, keys } = await cacheSetting();
  const task = await jobOn('main');
  for (const key of ['a', 'b', 'c', 'd']) {
    await save(task, key, key);
    later(1);
  }
  await restore(task, 'a');
  later(1);
  await save(task, 'e', 'e');
  expect((await keys()).toSorted()).toEqual(['a', 'c', 'd', 'e']);
  await client.put(`${base}/actions/cache/storage-limit`, { max_cache_size_gb: 1 });
  const large = w.db.updateTable('caches').set({ size: 1024 ** 3 - 10 });
  await large.where('repository_id', '=', repo.id).where('key', '=', 'a').execute();
  later(1);
  await save(task, 'f', 'f');
  expect((await keys()).toSorted()).toEqual(['e', 'f']);
  const run = () => removeUnused.run({}, w.jobContext());
  later(6 * 86_400);
  await run();
  expect((await keys()).toSorted()).toEqual(['e', 'f']);
  later(86_400);
  await run();
  expect(await keys()).toEqual(['f']);
  expect(await w.statements(ada, `${base}/actions/caches`)).toBe(2);
  await w.settle();
  expect(await objectsOf(repo.id)).toHaveLength(1);
  expect((await client.delete(base)).status).toBe(204);
  await w.settle();
  expect(await objectsOf(repo.id)).toEqual([]);
});

test('a cache is served when it is whole, and while its bytes are there', async () => {
  const { repo, jobOn, keys, runner } = await cacheSetting();
  const [task, other] = [await jobOn('main'), await jobOn('main')];
  const entry = { key: 'k', version: 'v' };
  const find = async () => (await call('GetCacheEntryDownloadURL', { ...entry, restoreKeys: [] }, task)).body.ok;
  const address = (await call('CreateCacheEntry', entry, task)).body.signed_upload_url ?? '';
  expect((await call('FinalizeCacheEntryUpload', { ...entry, size_bytes: '1' }, task)).status).toBe(400);
  expect((await call('FinalizeCacheEntryUpload', { ...entry, key: 'never-begun' }, task)).status).toBe(404);
  expect((await fetch(address, { method: 'PUT', body: 'one' })).status).toBe(201);
  expect([await find(), await keys()]).toEqual([false, []]);
  expect((await call('FinalizeCacheEntryUpload', { ...entry, size_bytes: '1' }, task)).status).toBe(400);
  // Another job may be there first.
  const second = (await call('CreateCacheEntry', entry, other)).body.signed_upload_url ?? '';
  await fetch(second, { method: 'PUT', body: 'two' });
  const done = await call('FinalizeCacheEntryUpload', { ...entry, size_bytes: '3' }, other);
  expect(done.body).toMatchObject({ ok: true, entry_id: expect.stringMatching(/^\d+$/) });
  expect(await call('FinalizeCacheEntryUpload', { ...entry, size_bytes: '3' }, other)).toEqual(done);
  expect((await call('FinalizeCacheEntryUpload', { ...entry, size_bytes: '3' }, task)).body.ok).toBe(false);
  expect((await call('CreateCacheEntry', entry, task)).body).toEqual({
    ok: false,
    message: 'a cache with this key already exists',
  });
  const found = await call('GetCacheEntryDownloadURL', entry, task);
  expect(found.body).toMatchObject({ ok: true, matched_key: 'k' });
  const url = found.body.signed_download_url ?? '';
  expect((await fetch(url, { method: 'HEAD' })).headers.get('content-length')).toBe('3');
  expect(await (await fetch(url, { headers: { 'x-ms-range': 'bytes=1-' } })).text()).toBe('wo');

  for (const wrong of [{ key: '' }, { key: 'a,b' }, { key: 'x'.repeat(513) }, { version: '' }, { version: 'x'.repeat(513) }])
    expect((await call('CreateCacheEntry', { ...entry, ...wrong }, task)).status).toBe(400);
  const many = { ...entry, restore_keys: Array.from({ length: 10 }, (_, at) => `k${at}`) };
  expect((await call('GetCacheEntryDownloadURL', many, task)).status).toBe(400);
  expect((await call('GetCacheEntryDownloadURL', { ...entry, restore_keys: [1] }, task)).status).toBe(400);
  expect((await call('CreateCacheEntry', entry, { ...task, context: {} })).status).toBe(401);

  for (const key of await objectsOf(repo.id)) await w.hearth.services.objects.remove(key);
  expect([await find(), await keys()]).toEqual([false, []]);
  await runner.end(task, 'success');
  expect((await call('GetCacheEntryDownloadURL', entry, task)).status).toBe(401);
});
