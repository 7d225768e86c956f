import { expect, test } from 'vitest';
import { addFile } from '#test/resources/code/commits/setting.ts';
import { installApp } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';
import { checker, setting } from './setting.ts';

const w = await world();

type Answered = { app: { id: number }; head_sha: string };

/** The apps that have a suite of a commit. */
async function appsWithSuite({ client, base }: Pick<Awaited<ReturnType<typeof setting>>, 'client' | 'base'>, commit: string) {
  await w.settle();
  const { status, body } = await client.get(`${base}/commits/${commit}/check-suites`);
  expect(status).toBe(200);
  return body.check_suites.map(({ app }: Answered) => app.id);
}

test('a push makes a suite for each app that checks the repository', async () => {
  const here = await setting(w);
  const { ada, repo, base, client, app } = here;
  const elsewhere = await w.repo(ada);
  await checker(w, ada, { checks: 'read', contents: 'write' });
  await checker(w, await w.user());
  await installApp(w, { on: ada, permissions: { checks: 'write' }, repositories: [elsewhere] });
  await installApp(w, { on: ada, permissions: { checks: 'write' }, repositories: [repo] });
  const { app: suspended, installation } = await checker(w, ada);
  await w.db.updateTable('installations').set({ suspended_at: w.clock.now }).where('id', '=', installation).execute();
  const selected = await w.db
    .selectFrom('installation_repositories')
    .select('installation_id')
    .where('repository_id', '=', repo.id);
  const { app_id } = await w.db
    .selectFrom('installations')
    .select('app_id')
    .where('id', 'in', selected)
    .executeTakeFirstOrThrow();
  const before = here.commit;
  const { commit } = await addFile(client, base);
  expect(await appsWithSuite(here, commit)).toEqual([app.app, app_id]);
  expect(suspended).not.toBe(app.app);
  const { body } = await client.get(`${base}/commits/${commit}/check-suites?app_id=${app.app}`);
  expect(body).toMatchObject({
    total_count: 1,
    check_suites: [{ head_branch: 'main', before, after: commit, status: 'queued', latest_check_runs_count: 0 }],
  });

  // Another branch at the same commit, a tag and a deletion ask for nothing more.
  const count = async () =>
    (await w.db.selectFrom('check_suites').select('id').where('repository_id', '=', repo.id).execute()).length;
  const suites = await count();
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/other', sha: commit });
  await client.post(`${base}/git/refs`, { ref: 'refs/tags/v1', sha: commit });
  await client.delete(`${base}/git/refs/heads/other`);
  await w.settle();
  expect(await count()).toBe(suites);
});

test('what a repository was created with, as a fork, asks for nothing', async () => {
  const { base, app, commit } = await setting(w, 'public');
  const eve = await w.user();
  const other = await checker(w, eve);
  const { body: fork } = await (await w.as(eve)).post(`${base}/forks`);
  await w.settle();
  expect(await w.db.selectFrom('check_suites').select('id').where('repository_id', '=', fork.id).execute()).toEqual([]);
  // It has its objects, so that an app may check them there.
  const path = `/repos/${eve.login}/${fork.name}/check-runs`;
  expect((await other.client.post(path, { name: 'tests', head_sha: commit })).status).toBe(201);
  expect((await app.client.post(path, { name: 'tests', head_sha: commit })).status).toBe(403);
});

test('preferences tell for which apps a push makes no suite', async () => {
  const here = await setting(w);
  const { ada, repo, client, base, app } = here;
  const other = await checker(w, ada);
  const path = `${base}/check-suites/preferences`;
  const set = (...settings: [number, boolean][]) =>
    client.patch(path, { auto_trigger_checks: settings.map(([app_id, setting]) => ({ app_id, setting })) });
  expect((await client.patch(path, {})).body.preferences).toEqual({ auto_trigger_checks: [] });
  const { status, body } = await set([app.app, false], [other.app, true]);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    preferences: {
      auto_trigger_checks: [
        { app_id: app.app, setting: false },
        { app_id: other.app, setting: true },
      ],
    },
    repository: { id: repo.id },
  });
  const { commit } = await addFile(client, base);
  expect(await appsWithSuite(here, commit)).toEqual([other.app]);
  // The app may make one, and the first run does.
  expect((await app.client.post(`${base}/check-suites`, { head_sha: commit })).status).toBe(201);
  const { commit: second } = await addFile(client, base);
  expect((await here.run({ name: 'tests', head_sha: second })).status).toBe(201);
  expect(await appsWithSuite(here, second)).toEqual([app.app, other.app]);
  expect((await set([app.app, true])).body.preferences.auto_trigger_checks).toEqual([
    { app_id: app.app, setting: true },
    { app_id: other.app, setting: true },
  ]);
  const { commit: third } = await addFile(client, base);
  expect(await appsWithSuite(here, third)).toEqual([app.app, other.app]);

  const writer = await w.user();
  await w.collaborator(repo, writer, 'write');
  const foreign = await checker(w, await w.user());
  const one = { auto_trigger_checks: [{ app_id: app.app, setting: false }] };
  await w.unchanged(['check_suite_preferences'], async () => {
    expect((await (await w.as(writer)).patch(path, one)).status).toBe(403);
    expect((await (await w.as(await w.user())).patch(path, one)).status).toBe(404);
    expect((await set([app.app, false], [foreign.app, false])).status).toBe(422);
    expect((await set([999_999, false])).status).toBe(422);
    for (const bad of [{ auto_trigger_checks: [{ app_id: app.app }] }, { auto_trigger_checks: [{ app_id: 'x', setting: true }] }])
      expect((await client.patch(path, bad)).status).toBe(422);
  });
  expect((await app.client.patch(path, one)).status).toBe(200);
});

test('an app has one suite of a commit, which runs join', async () => {
  const { ada, client, base, commit, app, run } = await setting(w);
  const create = (by: typeof app.client) => by.post(`${base}/check-suites`, { head_sha: commit.toUpperCase() });
  const { status, body: suite } = await create(app.client);
  expect(status).toBe(201);
  expect(suite).toMatchObject({ head_sha: commit, head_branch: 'main', status: 'queued', app: { id: app.app } });
  expect(await create(app.client)).toMatchObject({ status: 200, body: { id: suite.id } });
  expect((await run({ name: 'tests' })).body.check_suite.id).toBe(suite.id);
  const other = await checker(w, ada);
  const { body: second } = await create(other.client);
  const listed = async (query: string) =>
    (await client.get(`${base}/commits/main/check-suites${query}`)).body.check_suites.map(({ id }: { id: number }) => id);
  expect(await listed('')).toEqual([suite.id, second.id]);
  expect(await listed(`?app_id=${other.app}`)).toEqual([second.id]);
  expect(await listed('?check_name=tests')).toEqual([suite.id]);
  expect(await listed('?check_name=none')).toEqual([]);
  expect(await listed('?per_page=1&page=2')).toEqual([second.id]);
});

test('the suite says what its latest runs say together', async () => {
  const { client, base, app, run } = await setting(w);
  const { body: first } = await run({ name: 'one', conclusion: 'success' });
  const suite = async () => (await client.get(`${base}/check-suites/${first.check_suite.id}`)).body;
  expect(await suite()).toMatchObject({ status: 'completed', conclusion: 'success', latest_check_runs_count: 1 });
  const { body: second } = await run({ name: 'two' });
  expect(await suite()).toMatchObject({ status: 'in_progress', conclusion: null, latest_check_runs_count: 2 });
  await app.client.patch(`${base}/check-runs/${second.id}`, { conclusion: 'failure' });
  expect(await suite()).toMatchObject({ status: 'completed', conclusion: 'failure' });
  await run({ name: 'two', conclusion: 'skipped' });
  expect(await suite()).toMatchObject({ status: 'completed', conclusion: 'success', latest_check_runs_count: 2 });
});

test('a suite that is requested again waits for its app, and its runs stay as they are', async () => {
  const { client, base, app, run } = await setting(w);
  const { body: done } = await run({ name: 'tests', conclusion: 'failure' });
  const path = `${base}/check-suites/${done.check_suite.id}`;
  const runPath = `${base}/check-runs/${done.id}`;
  for (const again of [`${path}/rerequest`, `${runPath}/rerequest`]) {
    expect(await app.client.post(again)).toMatchObject({ status: 201, body: {} });
    expect((await client.get(path)).body).toMatchObject({ status: 'queued', conclusion: null, latest_check_runs_count: 1 });
    expect((await client.get(runPath)).body).toEqual(done);
    await app.client.patch(runPath, { conclusion: 'failure' });
    expect((await client.get(path)).body).toMatchObject({ status: 'completed', conclusion: 'failure' });
  }
});

test('the combined status of a commit knows of statuses alone', async () => {
  const { client, base, commit, run } = await setting(w);
  await run({ name: 'tests', conclusion: 'failure' });
  await client.post(`${base}/statuses/${commit}`, { state: 'success' });
  expect((await client.get(`${base}/commits/${commit}/status`)).body).toMatchObject({ state: 'success', total_count: 1 });
});
