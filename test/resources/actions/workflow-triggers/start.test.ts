import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repoOf } from '#git/store.ts';
import { commitFiles } from '#test/support/commit.ts';
import { fresh, world } from '#test/support/world.ts';

const here = await world();
const { user, org: makeOrg, repo: makeRepo, as, db, settle, clock, collaborator } = here;
const [ada, bob] = [await user('ada'), await user('bob')];
const acme = await makeOrg(ada, 'acme');
const job = 'jobs:\n  a: {runs-on: x, steps: [{run: x}]}\n';
const path = '.github/workflows/ci.yml';

/** A repository whose default branch has a workflow with these events. */
async function withWorkflow(on: string, more: Record<string, string> = {}) {
  const repo = await makeRepo(acme, { name: fresh('engine'), visibility: 'public', by: ada });
  await commitFiles(here, repo, { [path]: `name: CI\non: ${on}\n${job}`, ...more });
  await settle();
  const base = `/repos/acme/${repo.name}`;
  return { repo, base, client: await as(ada), other: await as(bob) };
}

const runsOf = async ({ id }: { id: number }) =>
  (
    await db
      .selectFrom('workflow_runs')
      .select([
        'event',
        'title',
        'ref',
        'head_branch',
        'sha',
        'head_sha',
        'is_from_fork',
        'status',
        'actor_id',
        'payload',
        'problems',
        'conclusion',
      ])
      .where('repository_id', '=', id as never)
      .orderBy('id')
      .execute()
  ).map(({ payload, ...row }) => ({ ...row, payload: JSON.parse(payload) }));

test('a push runs the files of its own commit', async () => {
  const { repo, base, client } = await withWorkflow('{push: {branches: [topic], paths: [src/**]}}');
  expect(await runsOf(repo)).toEqual([]);
  const { body: branch } = await client.get(`${base}/branches/main`);
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/topic', sha: branch.commit.sha });
  await settle();
  // A new branch has no commit before it to compare with.
  expect(await runsOf(repo)).toMatchObject([
    { event: 'push', ref: 'refs/heads/topic', head_branch: 'topic', actor_id: ada.id, title: 'Change files' },
  ]);
  const put = (file: string, message = 'Change it') =>
    client.put(`${base}/contents/${file}`, { message, content: btoa(file), branch: 'topic' });
  await put('docs/a');
  await put('src/a', 'Not now [skip ci]');
  await settle();
  expect(await runsOf(repo)).toHaveLength(1);
  await put('src/b');
  await settle();
  const [, second] = await runsOf(repo);
  expect(second).toMatchObject({
    title: 'Change it',
    payload: { ref: 'refs/heads/topic', repository: { name: repo.name }, sender: { login: 'ada' } },
  });
});

test("a file that can't be read makes a failed run that tells why", async () => {
  const { repo, base, client } = await withWorkflow('push');
  await client.put(`${base}/contents/.github/workflows/bad.yml`, {
    message: 'Bad',
    content: btoa('on: push\njobs: {a: {steps: [{run: x}]}}\n'),
  });
  await settle();
  const bad = (await runsOf(repo)).filter(({ conclusion }) => conclusion === 'startup_failure');
  expect(bad).toMatchObject([{ status: 'completed', problems: [{ message: 'Required property is missing: runs-on', line: 2 }] }]);
});

test.each([
  ['push: {paths: [a]}', Array(1_001).fill('a').join(', '), 'on.push.paths has more than 1000 patterns'],
  ['push: {branches: [a]}', 'b'.repeat(65 * 1_024), 'on.push.branches has patterns of more than 64 KiB'],
])('a file with filters that are too large makes a failed run that tells why: %s', async (on, entries, message) => {
  const { repo, base, client } = await withWorkflow('push');
  const large = `on: {${on.replace('[a]', `[${entries}]`)}}\n${job}`;
  await client.put(`${base}/contents/.github/workflows/large.yml`, { message: 'Large', content: btoa(large) });
  await settle();
  const failed = (await runsOf(repo)).filter(({ conclusion }) => conclusion === 'startup_failure');
  expect(failed).toMatchObject([{ status: 'completed', problems: [{ message, line: 1 }] }]);
});

test('a file with too many lines of schedule makes a failed run that tells why', async () => {
  const { repo, base, client } = await withWorkflow('push');
  const large = `on:\n  push:\n  schedule:\n${"    - cron: '0 0 30 2 *'\n".repeat(51)}${job}`;
  await client.put(`${base}/contents/.github/workflows/large.yml`, { message: 'Large', content: btoa(large) });
  await settle();
  const failed = (await runsOf(repo)).filter(({ conclusion }) => conclusion === 'startup_failure');
  expect(failed).toMatchObject([{ problems: [{ message: 'on.schedule has more than 50 lines' }] }]);
});

test('a pull request from a fork runs its test merge, and only reads', async () => {
  const { repo, base, client, other } = await withWorkflow('pull_request');
  expect((await other.post(`${base}/forks`)).status).toBe(202);
  await settle();
  const fork = `/repos/bob/${repo.name}`;
  await other.put(`${fork}/contents/a.txt`, { message: 'Add a', content: btoa('a') });
  const { body: pull } = await other.post(`${base}/pulls`, { title: 'Take a', head: 'bob:main', base: 'main' });
  await settle();
  const { body: tested } = await client.get(`${base}/pulls/${pull.number}`);
  expect(await runsOf(repo)).toMatchObject([
    {
      event: 'pull_request',
      title: 'Take a',
      ref: `refs/pull/${pull.number}/merge`,
      head_branch: 'main',
      head_sha: pull.head.sha,
      sha: tested.merge_commit_sha,
      is_from_fork: true,
      // Nothing of bob's was merged here before.
      status: 'completed',
      conclusion: 'action_required',
      actor_id: bob.id,
      payload: { action: 'opened', number: pull.number },
    },
  ]);
  await client.post(`${base}/issues/${pull.number}/labels`, { labels: ['bug'] });
  await settle();
  expect(await runsOf(repo)).toHaveLength(1);
  await other.put(`${fork}/contents/b.txt`, { message: 'Add b', content: btoa('b') });
  await settle();
  expect((await runsOf(repo)).map(({ payload }) => payload.action)).toEqual(['opened', 'synchronize']);
});

test('issues, comments, releases and dispatches run the files of the default branch', async () => {
  const { repo, base, client } = await withWorkflow(
    '{issues: {types: [opened]}, issue_comment: null, release: {types: [published]}, repository_dispatch: {types: ' +
      '[deployed]}, watch: null}',
  );
  await client.post(`${base}/issues`, { title: 'It fails' });
  await client.patch(`${base}/issues/1`, { state: 'closed' });
  await client.post(`${base}/issues/1/comments`, { body: 'Why?' });
  await client.post(`${base}/releases`, { tag_name: 'v1', name: 'One' });
  expect((await client.post(`${base}/dispatches`, { event_type: 'deployed', client_payload: { to: 'moon' } })).status).toBe(204);
  expect((await client.post(`${base}/dispatches`, { event_type: 'other' })).status).toBe(204);
  await settle();
  expect(await runsOf(repo)).toMatchObject([
    { event: 'issues', title: 'It fails', ref: 'refs/heads/main' },
    { event: 'issue_comment', title: 'It fails', payload: { action: 'created', comment: { body: 'Why?' } } },
    { event: 'release', title: 'One', ref: 'refs/tags/v1', head_branch: 'v1' },
    { event: 'repository_dispatch', payload: { action: 'deployed', client_payload: { to: 'moon' } } },
  ]);
});

test("who may only read can't dispatch", async () => {
  const { repo, base, other } = await withWorkflow('{repository_dispatch: null}');
  await collaborator(repo, bob, 'read');
  expect((await other.post(`${base}/dispatches`, { event_type: 'x' })).status).toBe(403);
  await settle();
  expect(await runsOf(repo)).toEqual([]);
});

test('a schedule runs once for each of its times', async () => {
  const { repo } = await withWorkflow('{schedule: [{cron: "*/10 * * * *"}]}');
  expect(await runsOf(repo)).toEqual([]);
  clock.now = new Date('2026-01-01T00:10:20Z');
  const { runSchedules } = await import('#resources/actions/workflow-triggers/schedules.ts');
  const context = here.jobContext({ now: clock.now });
  await Promise.all([runSchedules.run({}, context), runSchedules.run({}, context)]);
  expect(await runsOf(repo)).toMatchObject([
    { event: 'schedule', payload: { schedule: '*/10 * * * *' }, ref: 'refs/heads/main' },
  ]);
  await runSchedules.run({}, context);
  expect(await runsOf(repo)).toHaveLength(1);
});

test('a scheduled workflow whose repository is damaged does not stop the schedules of others', async () => {
  const [damaged, sound] = [
    await withWorkflow('{schedule: [{cron: "*/10 * * * *"}]}'),
    await withWorkflow('{schedule: [{cron: "*/10 * * * *"}]}'),
  ];
  const gitRepository = repoOf(here.hearth.services.git, damaged.repo.id);
  await rm(join(gitRepository.path, 'objects'), { recursive: true });
  await mkdir(join(gitRepository.path, 'objects'));
  clock.now = new Date('2026-01-01T00:30:20Z');
  const { runSchedules } = await import('#resources/actions/workflow-triggers/schedules.ts');
  const context = here.jobContext({ now: clock.now });
  await runSchedules.run({}, context);
  expect(await runsOf(damaged.repo)).toEqual([]);
  expect(await runsOf(sound.repo)).toMatchObject([{ event: 'schedule' }]);
  const next = await db
    .selectFrom('workflows')
    .select('next_run_at')
    .where('repository_id', 'in', [damaged.repo.id, sound.repo.id])
    .execute();
  expect(next).toEqual(Array(2).fill({ next_run_at: new Date('2026-01-01T00:40:00Z') }));
});

test('of a concurrency group one runs and the latest waits', async () => {
  const { repo, base, client } = await withWorkflow('issues\nconcurrency: all');
  for (const title of ['one', 'two', 'three']) await client.post(`${base}/issues`, { title });
  await settle();
  expect((await runsOf(repo)).map(({ title, status, conclusion }) => [title, status, conclusion])).toEqual([
    ['one', 'queued', null],
    ['two', 'completed', 'cancelled'],
    ['three', 'pending', null],
  ]);
});

test('what the settings forbid makes no run, or one that tells why', async () => {
  const uses = {
    '.github/workflows/uses.yml': 'on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: other/thing@v1\n',
  };
  const { repo, base, client } = await withWorkflow('issues', uses);
  expect(await runsOf(repo)).toMatchObject([{ event: 'push', status: 'queued', problems: [] }]);
  await client.put(`${base}/actions/permissions`, { enabled: true, allowed_actions: 'local_only' });
  await client.put(`${base}/contents/a`, { message: 'Add a', content: '' });
  await settle();
  const [, refused] = await runsOf(repo);
  expect(refused).toMatchObject({
    conclusion: 'startup_failure',
    problems: [{ line: 6, message: expect.stringContaining('other/thing@v1') }],
  });
  await client.put(`${base}/actions/permissions`, { enabled: false });
  await client.put(`${base}/contents/b`, { message: 'Add b', content: '' });
  await client.post(`${base}/issues`, { title: 'one' });
  await settle();
  expect(await runsOf(repo)).toHaveLength(2);
});

test('a job passes no protection of its environment', async () => {
  const deploys = 'on: issues\njobs:\n  a: {environment: live, runs-on: x, steps: [{run: x}]}\n';
  const { repo, base, client } = await withWorkflow('issues', { '.github/workflows/deploy.yml': deploys });
  const jobs = () =>
    db
      .selectFrom('workflow_jobs')
      .select(['status', 'problem'])
      .where('repository_id', '=', repo.id)
      .where('name', '=', 'a')
      .orderBy('id')
      .execute();
  const ended = async () => (await jobs()).map(({ status, problem }) => problem ?? status);
  await client.post(`${base}/issues`, { title: 'one' });
  await settle();
  expect(await ended()).toEqual(['queued', 'queued']);
  await client.put(`${base}/environments/live`, { wait_timer: 5 });
  await client.post(`${base}/issues`, { title: 'two' });
  await settle();
  expect((await ended()).slice(2).sort()).toEqual(['queued', 'waiting']);
  const policy = { protected_branches: false, custom_branch_policies: true };
  await client.put(`${base}/environments/live`, { deployment_branch_policy: policy });
  await client.post(`${base}/issues`, { title: 'three' });
  await settle();
  expect((await ended()).slice(4).sort()).toEqual(['The environment live does not take refs/heads/main', 'queued']);
});

test('no run is of the test merge of a head before', async () => {
  const { repo, base, client } = await withWorkflow('{pull_request: {types: [closed]}}');
  const { body: branch } = await client.get(`${base}/branches/main`);
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/topic', sha: branch.commit.sha });
  const put = async (file: string) => {
    await client.put(`${base}/contents/${file}`, { message: file, content: btoa(file), branch: 'topic' });
    await settle();
  };
  await put('good');
  const { body: pull } = await client.post(`${base}/pulls`, { title: 'Merge it', head: 'topic', base: 'main' });
  await settle();
  const { body: before } = await client.get(`${base}/pulls/${pull.number}`);
  await put('bad');
  // As if it was closed after its head had moved, and before the merge was tested.
  await db
    .updateTable('pull_requests')
    .set({ tested_base_sha: null, tested_head_sha: null, merge_commit_sha: before.merge_commit_sha })
    .where('repository_id', '=', repo.id)
    .execute();
  const { body: closed } = await client.patch(`${base}/pulls/${pull.number}`, { state: 'closed' });
  await settle();
  expect(closed.head.sha).not.toBe(before.head.sha);
  expect(await runsOf(repo)).toMatchObject([{ event: 'pull_request', head_sha: closed.head.sha, sha: closed.head.sha }]);
});
