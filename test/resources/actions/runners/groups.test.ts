import { beforeAll, expect, test } from 'vitest';
import { commitFiles } from '#test/support/commit.ts';
import { startRunner, startRunnerOf, type TestRunner } from '#test/support/runner-client.ts';
import { fresh, world } from '#test/support/world.ts';

const here = await world({ resourceLimits: { workflows: { poll: 20 } } });
const { user, org: makeOrg, repo: makeRepo, member, as, statements, db, settle } = here;
const [ada, bob] = [await user('ada'), await user('bob')];
const acme = await makeOrg(ada, 'acme');
await member(acme, bob);
const engine = await makeRepo(acme, { name: 'engine', by: ada, visibility: 'private' });
const shown = await makeRepo(acme, { name: 'shown', by: ada, visibility: 'public' });
const client = await as(ada);
const groups = '/orgs/acme/actions/runner-groups';
const { body: all } = await client.get(groups);
const standard = all.runner_groups[0];

const make = async (wanted: object = {}) => {
  const { body, status } = await client.post(groups, { name: fresh('group'), ...wanted });
  expect(status).toBe(201);
  return body;
};

test('an organization has a default group for all repositories, which stays', async () => {
  expect(standard).toEqual({
    id: standard.id,
    name: 'Default',
    visibility: 'all',
    default: true,
    runners_url: `${here.url}/api/v3${groups}/${standard.id}/runners`,
    hosted_runners_url: `${here.url}/api/v3${groups}/${standard.id}/hosted-runners`,
    inherited: false,
    workflow_restrictions_read_only: false,
    allows_public_repositories: true,
    restricted_to_workflows: false,
    selected_workflows: [],
  });
  const { status, body } = await client.delete(`${groups}/${standard.id}`);
  expect([status, body.message]).toEqual([422, "The group Default is the default one, which can't be deleted."]);
  expect((await client.put(`${groups}/${standard.id}/repositories/${engine.id}`)).status).toBe(409);
});

test('groups are made, changed, listed by repository and deleted', async () => {
  const before = (await client.get(groups)).body.total_count;
  const made = await make({ visibility: 'selected', selected_repository_ids: [shown.id], restricted_to_workflows: true });
  const path = `${groups}/${made.id}`;
  expect(made).toMatchObject({
    visibility: 'selected',
    allows_public_repositories: false,
    selected_repositories_url: `${here.url}/api/v3${path}/repositories`,
  });
  const visible = async (name: string) =>
    (await client.get(`${groups}?visible_to_repository=${name}&per_page=100`)).body.runner_groups.some(
      ({ id }: { id: number }) => id === made.id,
    );
  expect([await visible('shown'), await visible('engine')]).toEqual([false, false]);
  const workflow = 'acme/engine/.github/workflows/ci.yml@main';
  const changed = await client.patch(path, {
    name: made.name.toUpperCase(),
    allows_public_repositories: true,
    selected_workflows: [workflow],
  });
  expect(changed.body).toMatchObject({ name: made.name.toUpperCase(), visibility: 'selected', selected_workflows: [workflow] });
  expect([await visible('Shown'), await visible('engine'), await visible('nothing')]).toEqual([true, false, false]);
  expect((await client.put(`${path}/repositories/${engine.id}`)).status).toBe(204);
  expect((await client.delete(`${path}/repositories/${shown.id}`)).status).toBe(204);
  expect((await client.get(`${path}/repositories`)).body).toMatchObject({ total_count: 1, repositories: [{ name: 'engine' }] });
  expect((await client.put(`${path}/repositories`, { selected_repository_ids: [shown.id] })).status).toBe(204);
  expect((await client.patch(path, { name: 'Private ones', visibility: 'private' })).body.visibility).toBe('private');
  expect([await visible('shown'), await visible('engine')]).toEqual([false, true]);
  expect((await client.get(`${path}/repositories`)).body.total_count).toBe(0);
  expect((await client.delete(path)).status).toBe(204);
  expect((await client.get(path)).status).toBe(404);
  expect((await client.get(groups)).body.total_count).toBe(before);
});

test('what makes no sense is refused, and changes nothing', async () => {
  const { name, id } = await make();
  const other = await makeRepo(ada);
  const tries = [
    { name: name.toUpperCase() },
    { name: ' ' },
    { name: fresh('group'), visibility: 'selected', selected_repository_ids: [other.id] },
    { name: fresh('group'), selected_repository_ids: [engine.id] },
    { name: fresh('group'), runners: [999_999] },
    { name: fresh('group'), selected_workflows: ['ci.yml'] },
    { name: fresh('group'), selected_workflows: Array.from({ length: 101 }, (_, at) => `acme/engine/ci.yml@${at}`) },
    { name: fresh('group'), network_configuration_id: 'A1' },
  ];
  const before = (await client.get(groups)).body.total_count;
  for (const wanted of tries) expect((await client.post(groups, wanted)).status, JSON.stringify(wanted)).toBe(422);
  expect((await client.put(`${groups}/${id}/runners`, { runners: [999_999] })).status).toBe(422);
  expect((await client.get(groups)).body.total_count).toBe(before);
  expect((await (await as(bob)).get(groups)).status).toBe(404);
});

const jit = async () => {
  const wanted = { name: fresh('runner'), runner_group_id: standard.id, labels: ['once'] };
  return (await client.post('/orgs/acme/actions/runners/generate-jitconfig', wanted)).body.runner.id as number;
};
const idsIn = async (group: number) =>
  (await client.get(`${groups}/${group}/runners`)).body.runners.map(({ id }: { id: number }) => id);

test('runners of both kinds are moved between groups, and outlive them in the default one', async () => {
  const [first, second, third] = [await jit(), await jit(), await jit()];
  const { id } = await make({ runners: [first] });
  expect((await client.put(`${groups}/${id}/runners/${second}`)).status).toBe(204);
  expect(await idsIn(id)).toEqual([first, second]);
  expect((await client.put(`${groups}/${id}/runners`, { runners: [second, third] })).status).toBe(204);
  expect(await idsIn(id)).toEqual([second, third]);
  expect((await client.delete(`${groups}/${id}/runners/${first}`)).status).toBe(404);
  expect((await client.delete(`${groups}/${id}/runners/${third}`)).status).toBe(204);
  expect(await idsIn(id)).toEqual([second]);
  const hosted = { name: fresh('h'), image: { id: 'ubuntu-24.04', source: 'service' }, size: '4-core', runner_group_id: id };
  await client.post('/orgs/acme/actions/hosted-runners', hosted);
  const hostedIn = async (group: number) => (await client.get(`${groups}/${group}/hosted-runners`)).body;
  expect(await hostedIn(id)).toMatchObject({ total_count: 1, runners: [{ name: hosted.name, runner_group_id: id }] });
  expect((await client.delete(`${groups}/${id}`)).status).toBe(204);
  expect(await idsIn(standard.id)).toEqual([first, second, third]);
  expect((await hostedIn(standard.id)).runners).toMatchObject([{ name: hosted.name }]);
});

test('lists cost the same for one group and for many', async () => {
  const few = await statements(ada, groups);
  for (let at = 0; at < 5; at++) await make();
  expect(await statements(ada, groups)).toBe(few);
});

const ci = (runsOn: string) =>
  `on: [workflow_dispatch]\njobs:\n  build:\n    runs-on: ${runsOn}\n    steps:\n      - run: make\n`;

/** A runner that is alone in a group, and what waits for it. */
async function alone(wanted: object = {}) {
  const runner = await startRunnerOf(here, { organization: acme.id }, { name: fresh('r') });
  const group = await make({ runners: [runner.id], ...wanted });
  return { runner, group, path: `${groups}/${group.id}` };
}

async function start(repo: string, workflow: string): Promise<void> {
  const { status } = await client.post(`/repos/acme/${repo}/actions/workflows/${workflow}/dispatches`, { ref: 'main' });
  expect(status).toBe(204);
  await settle();
}

/** Whether a runner gets a job now, which then ends. */
async function gets(runner: TestRunner): Promise<boolean> {
  const task = await runner.fetch();
  if (task) await runner.end(task, 'success');
  return task !== undefined;
}

beforeAll(async () => {
  const files = { '.github/workflows/ci.yml': ci('ubuntu-latest'), '.github/workflows/deploy.yml': ci('ubuntu-latest') };
  await commitFiles(here, engine, { ...files, '.github/workflows/grouped.yml': ci('{group: Fast, labels: [ubuntu-latest]}') });
  await commitFiles(here, shown, files);
  await settle();
});

test('a job goes to runners of groups that are for its repository alone', async () => {
  const { runner, group, path } = await alone({ visibility: 'selected' });
  await start('engine', 'ci.yml');
  expect(await gets(runner)).toBe(false);
  await client.put(`${path}/repositories/${engine.id}`);
  expect(await gets(runner)).toBe(true);

  await start('shown', 'ci.yml');
  await client.patch(path, { name: group.name, visibility: 'all' });
  expect(await gets(runner)).toBe(false);
  await client.patch(path, { name: group.name, allows_public_repositories: true });
  expect(await gets(runner)).toBe(true);
});

test('a restricted group takes the workflows that it names, as of a ref or a commit', async () => {
  const { runner, group, path } = await alone({ restricted_to_workflows: true });
  await start('engine', 'ci.yml');
  const { head_sha } = await db
    .selectFrom('workflow_runs')
    .select('head_sha')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  const file = '.github/workflows/ci.yml';
  const allowing = async (workflow: string) => {
    await client.patch(path, { name: group.name, selected_workflows: [workflow] });
    return gets(runner);
  };
  for (const wrong of [
    `acme/engine/${file}@v1`,
    `acme/engine/${file}@refs/tags/main`,
    'acme/engine/.github/workflows/deploy.yml@main',
    `acme/shown/${file}@main`,
    `acme/engine/${file.toUpperCase()}@main`,
  ])
    expect(await allowing(wrong), wrong).toBe(false);
  expect(await allowing(`ACME/Engine/${file}@main`)).toBe(true);
  await start('engine', 'ci.yml');
  expect(await allowing(`acme/engine/${file}@refs/heads/main`)).toBe(true);
  await start('engine', 'ci.yml');
  expect(await allowing(`acme/engine/${file}@${head_sha}`)).toBe(true);
});

test('a job that names a group is for runners of that group', async () => {
  const one = await alone();
  const fast = await alone({ name: 'Fast' });
  await start('engine', 'grouped.yml');
  expect(await gets(one.runner)).toBe(false);
  expect(await gets(fast.runner)).toBe(true);
  const { body } = await client.get('/repos/acme/engine/actions/runs?per_page=1');
  const { body: jobs } = await client.get(`/repos/acme/engine/actions/runs/${body.workflow_runs[0].id}/jobs`);
  expect(jobs.jobs[0]).toMatchObject({ runner_group_id: fast.group.id, runner_group_name: 'Fast' });
});

test('runners of a repository get no jobs and no company while its organization wants none there', async () => {
  const own = await startRunner(here, engine, { name: fresh('own') });
  const setting = '/orgs/acme/actions/permissions/self-hosted-runners';
  expect((await client.put(setting, { enabled_repositories: 'none' })).status).toBe(204);
  await start('engine', 'ci.yml');
  expect(await gets(own)).toBe(false);
  const path = '/repos/acme/engine/actions/runners';
  expect((await client.post(`${path}/registration-token`)).status).toBe(403);
  expect((await client.post(`${path}/generate-jitconfig`, { name: 'x', runner_group_id: 1, labels: ['x'] })).status).toBe(403);
  expect((await client.post(`${path}/remove-token`)).status).toBe(201);
  expect((await client.put(setting, { enabled_repositories: 'all' })).status).toBe(204);
  expect(await gets(own)).toBe(true);
});

test('a runner that waits is told when a change makes a job fit', async () => {
  const { runner, path } = await alone({ visibility: 'selected' });
  await start('engine', 'ci.yml');
  // The version stays once the server listens.
  let tasksVersion = 0n;
  await expect
    .poll(async () => {
      const before = tasksVersion;
      ({ tasksVersion } = await runner.client.fetchTask({ tasksVersion }));
      return tasksVersion === before;
    })
    .toBe(true);
  await client.put(`${path}/repositories/${engine.id}`);
  await expect.poll(async () => (await runner.client.fetchTask({ tasksVersion })).task !== undefined).toBe(true);
});

test('an organization has 1,000 groups at most', async () => {
  const other = await makeOrg(ada);
  const path = `/orgs/${other.login}/actions/runner-groups`;
  const values = Array.from({ length: 998 }, (_, at) => ({
    organization_id: other.id,
    name: `g${at}`,
    created_at: here.clock.now,
  }));
  await db.insertInto('runner_groups').values(values).execute();
  expect((await client.post(path, { name: 'last' })).status).toBe(201);
  await here.unchanged(['runner_groups', 'repository_selections', 'events'], async () =>
    expect(await client.post(path, { name: 'further' })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'name', message: 'An organization can have at most 1000 groups' }] },
    }),
  );
});
