import { expect, test } from 'vitest';
import { checker, listenAs } from '#test/resources/code/checks/setting.ts';
import { addFile } from '#test/resources/code/commits/setting.ts';
import { receiver } from '#test/support/receiver.ts';
import { heard, listening, parts } from './listening.ts';

/** A repository with a commit, and an app with a hook that checks it without having subscribed to anything. */
async function setting() {
  const { here, owner, org, client, target } = await listening();
  const { name } = await here.repo(org, { by: owner });
  const base = `/repos/${org.login}/${name}`;
  const app = await checker(here, org);
  const told = await listenAs(here, app.app);
  const { commit } = await addFile(client, base);
  return { here, owner, org, client, target, base, app, told, commit };
}

test('a push asks the apps that check the repository for a suite, and nobody else is told', async () => {
  const { here, owner, org, target, app, told, commit, base, client } = await setting();
  const reader = await checker(here, org, { checks: 'read' });
  const other = await listenAs(here, reader.app);
  const { check_suite, ...rest } = (await heard(here, told))['check_suite.requested'];
  expect(check_suite).toMatchObject({
    head_sha: commit,
    head_branch: 'main',
    status: 'queued',
    conclusion: null,
    after: commit,
    pull_requests: [],
    latest_check_runs_count: 0,
    app: { id: app.app, permissions: { checks: 'write' } },
    head_commit: { id: commit },
  });
  expect(rest).toMatchObject({ ...parts(org, owner), installation: { id: app.installation }, repository: { owner: {} } });
  expect(Object.keys(await heard(here, target))).not.toContain('check_suite.requested');
  expect(await heard(here, other)).toEqual({});
  const { body } = await client.get(`${base}/check-suites/${check_suite.id}`);
  expect(body).toMatchObject({ head_branch: 'main', before: check_suite.before });
});

test('runs and their suite are told to hooks and to apps that read checks', async () => {
  const { here, org, target, app, told, commit, base } = await setting();
  const reader = await checker(here, org, { checks: 'read' });
  await here.db
    .updateTable('installations')
    .set({ events: ['check_run'] })
    .where('id', '=', reader.installation)
    .execute();
  const readerTold = await listenAs(here, reader.app);
  await heard(here, target);
  await heard(here, told);
  const wanted = { name: 'tests', head_sha: commit, status: 'in_progress', output: { title: 'T', summary: 'S' } };
  const { body: run } = await app.client.post(`${base}/check-runs`, wanted);
  const created = await heard(here, target);
  expect(Object.keys(created)).toEqual(['check_run.created']);
  expect(created['check_run.created']).toMatchObject({
    ...parts(org, app.bot),
    check_run: {
      id: run.id,
      name: 'tests',
      status: 'in_progress',
      output: { title: 'T', summary: 'S', annotations_count: 0 },
      check_suite: { id: run.check_suite.id, head_branch: 'main', head_sha: commit, app: { id: app.app } },
    },
  });
  expect(Object.keys(await heard(here, readerTold))).toEqual(['check_run.created']);
  await app.client.patch(`${base}/check-runs/${run.id}`, { conclusion: 'timed_out' });
  const completed = await heard(here, target);
  expect(Object.keys(completed).sort()).toEqual(['check_run.completed', 'check_suite.completed']);
  expect(completed['check_run.completed'].check_run).toMatchObject({
    conclusion: 'timed_out',
    check_suite: { status: 'completed', conclusion: 'timed_out' },
  });
  expect(completed['check_suite.completed'].check_suite).toMatchObject({
    status: 'completed',
    conclusion: 'timed_out',
    latest_check_runs_count: 1,
  });
  expect(Object.keys(await heard(here, readerTold))).toEqual(['check_run.completed']);
  expect(Object.keys(await heard(here, told)).sort()).toEqual([
    'check_run.completed',
    'check_run.created',
    'check_suite.completed',
  ]);
  // The same conclusion again is no news, and another is.
  await app.client.patch(`${base}/check-runs/${run.id}`, { conclusion: 'timed_out', output: { summary: 'More' } });
  expect(await heard(here, target)).toEqual({});
  await app.client.patch(`${base}/check-runs/${run.id}`, { conclusion: 'success' });
  expect(Object.keys(await heard(here, target)).sort()).toEqual(['check_run.completed', 'check_suite.completed']);
});

test('another run is asked of the app alone that it belongs to', async () => {
  const { here, target, org, app, told, commit, base } = await setting();
  const others = await listenAs(here, (await checker(here, org)).app);
  const { body: run } = await app.client.post(`${base}/check-runs`, { name: 'a', head_sha: commit, conclusion: 'failure' });
  await here.settle();
  for (const { requests } of [told, target, others]) requests.length = 0;
  expect(await app.client.post(`${base}/check-runs/${run.id}/rerequest`)).toMatchObject({ status: 201, body: {} });
  expect((await heard(here, told))['check_run.rerequested'].check_run).toMatchObject({
    id: run.id,
    conclusion: 'failure',
    check_suite: { status: 'queued', conclusion: null },
  });
  expect((await app.client.post(`${base}/check-suites/${run.check_suite.id}/rerequest`)).status).toBe(201);
  const asked = await heard(here, told);
  expect(Object.keys(asked)).toEqual(['check_suite.rerequested']);
  expect(asked['check_suite.rerequested'].check_suite).toMatchObject({ id: run.check_suite.id, status: 'queued' });
  expect(await heard(here, target)).toEqual({});
  expect(await heard(here, others)).toEqual({});
});

test('hooks of repositories are told of runs, too', async () => {
  const { here, app, commit, base, client } = await setting();
  const target = await receiver();
  const config = { url: target.url, content_type: 'json' };
  await client.post(`${base}/hooks`, { config, events: ['check_run', 'check_suite'] });
  await heard(here, target);
  await app.client.post(`${base}/check-runs`, { name: 'a', head_sha: commit, conclusion: 'success' });
  expect(Object.keys(await heard(here, target)).sort()).toEqual([
    'check_run.completed',
    'check_run.created',
    'check_suite.completed',
  ]);
});
