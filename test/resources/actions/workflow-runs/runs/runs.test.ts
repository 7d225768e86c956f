import { expect, test } from 'vitest';
import { fromBuffer } from 'yauzl';
import { enqueue } from '#jobs/job.ts';
import { expireRuns } from '#resources/actions/workflow-runs/runs/retention.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';
import { ci, ciPath, pushWorkflow } from '../setting.ts';

const w = await world({ vocabulary: 'github' });

async function setting() {
  const ada = await w.user();
  const repo = await w.repo(ada);
  const client = await w.as(ada);
  const base = `/repos/${ada.login}/${repo.name}`;
  const commit = await pushWorkflow(w, repo);
  const runs = async () => (await client.get(`${base}/actions/runs`)).body.workflow_runs;
  const [run] = await runs();
  const url = `${base}/actions/runs/${run.id}`;
  const jobsOf = async (query = '') => (await client.get(`${url}/jobs${query}`)).body.jobs;
  return { ada, repo, client, base, commit, runs, run, url, jobsOf };
}

/** The files of a zip archive. */
async function unzip(archive: Buffer): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  return new Promise((resolve, reject) => {
    fromBuffer(archive, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error);
      zip.on('entry', (entry) =>
        zip.openReadStream(entry, async (failed, stream) => {
          if (failed) return reject(failed);
          files[entry.fileName] = Buffer.concat(await stream.toArray()).toString();
          zip.readEntry();
        }),
      );
      zip.once('end', () => resolve(files));
      zip.once('error', reject);
      zip.readEntry();
    });
  });
}

test('a run goes its way, with its jobs, steps, times and logs', async () => {
  const { ada, repo, client, base, commit, run, url, jobsOf } = await setting();
  expect(run).toMatchObject({
    name: 'CI',
    event: 'push',
    status: 'queued',
    conclusion: null,
    head_branch: 'main',
    head_sha: commit,
    path: ciPath,
    run_number: 1,
    run_attempt: 1,
    previous_attempt_url: null,
    actor: { login: ada.login },
    repository: { full_name: `${ada.login}/${repo.name}` },
    head_repository: { id: repo.id },
  });
  const runner = await startRunner(w, repo);
  const build = await runner.fetch();
  if (!build) throw new Error('No job');
  expect((await client.get(url)).body).toMatchObject({ status: 'in_progress' });
  expect((await client.get(`${url}/logs`)).status).toBe(404);
  await runner.log(build, ['setting up', 'make', 'made', 'make test', 'ok', 'done']);
  w.clock.now = new Date(w.clock.now.getTime() + 5_000);
  await runner.end(build, 'success', {
    outputs: { made: 'it' },
    steps: [
      { first: 1, rows: 2 },
      { first: 3, rows: 2 },
    ],
  });
  const [job, check] = await jobsOf();
  expect(job).toMatchObject({
    id: Number(build.id),
    name: 'build',
    conclusion: 'success',
    runner_name: 'r1',
    labels: ['ubuntu-latest'],
  });
  expect(job.steps.map(({ name, conclusion }: { name: string; conclusion: string }) => [name, conclusion])).toEqual([
    ['Set up job', 'success'],
    ['Run make', 'success'],
    ['Run make test', 'success'],
    ['Complete job', 'success'],
  ]);
  expect(check).toMatchObject({ name: 'check', status: 'queued' });
  const text = async (path: string) => {
    const { status, headers } = await client.get(path);
    expect(status).toBe(302);
    return fetch(headers.location ?? '');
  };
  const whole = await (await text(`${base}/actions/jobs/${job.id}/logs`)).text();
  expect(whole.split('\n').map((line) => line.slice(29))).toEqual(['setting up', 'make', 'made', 'make test', 'ok', 'done', '']);
  await w.settle(); // moves the log into the object store
  expect(await (await text(`${base}/actions/jobs/${job.id}/logs`)).text()).toBe(whole);
  const files = await unzip(Buffer.from(await (await text(`${url}/logs`)).arrayBuffer()));
  expect(Object.keys(files)).toEqual([
    '0_build.txt',
    'build/1_Set up job.txt',
    'build/2_Run make.txt',
    'build/3_Run make test.txt',
    'build/4_Complete job.txt',
  ]);
  expect(files['0_build.txt']).toBe(whole);
  expect(files['build/2_Run make.txt']?.match(/make|made/g)).toEqual(['make', 'made']);
  const last = await runner.fetch();
  if (!last) throw new Error('No job');
  expect(last.needs.build?.outputs).toEqual({ made: 'it' });
  await runner.end(last, 'success');
  expect((await client.get(url)).body).toMatchObject({ status: 'completed', conclusion: 'success' });
  expect((await client.get(`${url}/timing`)).body).toMatchObject({
    billable: { UBUNTU: { total_ms: 5_000, jobs: 2 } },
    run_duration_ms: 5_000,
  });
  expect((await client.get(`${base}/actions/workflows/ci.yml/timing`)).body).toEqual({
    billable: { UBUNTU: { total_ms: 5_000 } },
  });
  expect((await client.delete(`${url}/logs`)).status).toBe(204);
  expect((await client.get(`${base}/actions/jobs/${job.id}/logs`)).status).toBe(404);
  expect((await client.delete(url)).status).toBe(204);
  expect((await client.get(url)).status).toBe(404);
});

test('logs expire after the days of the settings, and runs after longer', async () => {
  const [short, usual] = [await setting(), await setting()];
  for (const one of [short, usual]) {
    const runner = await startRunner(w, one.repo);
    const build = await runner.fetch();
    if (!build) throw new Error('No job');
    await runner.log(build, ['made']);
    await runner.end(build, 'failure');
    await w.settle();
    expect((await one.client.get(`${one.url}/logs`)).status).toBe(302);
  }
  const { client, base, url, jobsOf } = short;
  const put = await client.put(`${base}/actions/permissions/artifact-and-log-retention`, { days: 3 });
  expect(put.status).toBe(204);
  const before = w.clock.now;
  const afterDays = async (days: number) => {
    w.clock.now = new Date(before.getTime() + days * 24 * 60 * 60_000);
    await w.change((scope) => enqueue(scope.tx, expireRuns, {}));
    await w.settle();
  };
  const [job] = await jobsOf();
  const keys = await w.db.selectFrom('workflow_jobs').select('log_key').where('id', '=', job.id).execute();
  const { objects } = w.hearth.services;
  await afterDays(2);
  expect((await client.get(`${url}/logs`)).status).toBe(302);
  await afterDays(4);
  for (const path of [`${url}/logs`, `${url}/attempts/1/logs`, `${base}/actions/jobs/${job.id}/logs`])
    expect([path, (await client.get(path)).status]).toEqual([path, 410]);
  expect(await objects.open(keys[0]?.log_key ?? '')).toBeUndefined();
  expect((await usual.client.get(`${usual.url}/logs`)).status).toBe(302);
  expect((await client.post(`${url}/rerun`)).status).toBe(201);
  expect((await client.get(`${url}/logs`)).status).toBe(404); // the next attempt has none yet
  await afterDays(401);
  expect((await usual.client.get(usual.url)).status).toBe(404);
  expect((await client.get(url)).body).toMatchObject({ status: 'queued' }); // it isn't over
  w.clock.now = before;
});

test('failed jobs are run again with what needs them, and the others are carried', async () => {
  const { repo, client, base, url, jobsOf } = await setting();
  const runner = await startRunner(w, repo);
  const build = await runner.fetch();
  if (!build) throw new Error('No job');
  expect((await client.post(`${url}/rerun`)).status).toBe(403); // it isn't over
  await runner.log(build, ['made']);
  await runner.end(build, 'success', { outputs: { made: 'once' } });
  const check = await runner.fetch();
  if (!check) throw new Error('No job');
  await runner.end(check, 'failure');
  expect((await client.get(url)).body).toMatchObject({ conclusion: 'failure' });
  expect((await client.post(`${url}/rerun-failed-jobs`, { enable_debug_logging: true })).status).toBe(201);
  const { body: again } = await client.get(url);
  expect(again).toMatchObject({ run_attempt: 2, status: 'queued', conclusion: null });
  expect((await client.get(new URL(again.previous_attempt_url).pathname.replace('/api/v3', ''))).body).toMatchObject({
    run_attempt: 1,
    conclusion: 'failure',
  });
  const [carried, queued, ...more] = await jobsOf();
  expect(more).toEqual([]);
  expect(carried).toMatchObject({ name: 'build', conclusion: 'success', run_attempt: 2, steps: [{}, {}, {}, {}] });
  expect(queued).toMatchObject({ name: 'check', status: 'queued', run_attempt: 2 });
  expect(await jobsOf('?filter=all')).toHaveLength(4);
  expect((await client.get(`${url}/attempts/1/jobs`)).body.jobs).toHaveLength(2);
  expect((await client.get(`${url}/attempts/3/jobs`)).status).toBe(404);
  expect((await client.get(`${base}/actions/jobs/${carried.id}/logs`)).status).toBe(302);
  const second = await runner.fetch();
  if (!second) throw new Error('No job');
  expect(second.secrets.ACTIONS_STEP_DEBUG).toBe('true');
  expect(second.needs.build?.outputs).toEqual({ made: 'once' });
  await runner.end(second, 'success');
  expect((await client.get(url)).body).toMatchObject({ status: 'completed', conclusion: 'success' });
  expect((await client.post(`${url}/rerun-failed-jobs`)).status).toBe(403); // none has failed
  // One job, and what needs it.
  const [first] = await jobsOf();
  expect((await client.post(`${base}/actions/jobs/${first.id}/rerun`)).status).toBe(201);
  expect((await jobsOf()).map(({ name, status }: { name: string; status: string }) => [name, status])).toEqual([
    ['build', 'queued'],
  ]);
  expect((await client.post(`${url}/cancel`)).status).toBe(202);
  expect((await client.get(url)).body).toMatchObject({ run_attempt: 3, conclusion: 'cancelled' });
  expect((await client.post(`${url}/cancel`)).status).toBe(409);
});

test('a forced end doesn’t wait for the runner', async () => {
  const { repo, client, url } = await setting();
  const runner = await startRunner(w, repo);
  const build = await runner.fetch();
  if (!build) throw new Error('No job');
  expect((await client.post(`${url}/cancel`)).status).toBe(202);
  expect((await client.get(url)).body).toMatchObject({ status: 'in_progress' });
  expect((await client.delete(url)).status).toBe(403);
  expect((await client.post(`${url}/force-cancel`)).status).toBe(202);
  expect((await client.get(url)).body).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
  await runner.end(build, 'success');
  expect((await client.get(url)).body).toMatchObject({ conclusion: 'cancelled' });
});

test('a dispatch is checked against the file of its ref', async () => {
  const { client, base, runs } = await setting();
  const dispatch = (body: object) => client.post(`${base}/actions/workflows/ci.yml/dispatches`, body);
  const refused: [object, RegExp][] = [
    [{ ref: 'none', inputs: { level: 'low' } }, /No ref found for: none/],
    [{ ref: 'main' }, /Required input 'level' not provided/],
    [{ ref: 'main', inputs: { level: 'middle' } }, /not in the list of allowed values/],
    [{ ref: 'main', inputs: { level: 'low', dry: 'maybe' } }, /not a boolean/],
    [{ ref: 'main', inputs: { level: 'low', count: 'many' } }, /not a number/],
    [{ ref: 'main', inputs: { level: 'low', other: 1 } }, /Unexpected inputs provided: \["other"\]/],
  ];
  await w.unchanged(['workflow_runs', 'workflow_jobs'], async () => {
    for (const [body, message] of refused) {
      const { status, body: error } = await dispatch(body);
      expect(status, JSON.stringify(body)).toBe(422);
      expect(error.message).toMatch(message);
    }
  });
  expect((await dispatch({ ref: 'main', inputs: { level: 'low', dry: true } })).status).toBe(204);
  const { status, body } = await dispatch({ ref: 'refs/heads/main', inputs: { level: 'high' }, return_run_details: true });
  expect(status).toBe(200);
  const [latest, first] = await runs();
  expect(latest).toMatchObject({ id: body.workflow_run_id, url: body.run_url, event: 'workflow_dispatch', display_title: 'CI' });
  const { payload } = await w.db
    .selectFrom('workflow_runs')
    .select('payload')
    .where('id', '=', first.id)
    .executeTakeFirstOrThrow();
  expect(JSON.parse(payload)).toMatchObject({
    inputs: { level: 'low', dry: 'true', count: '3' },
    ref: 'refs/heads/main',
    workflow: ciPath,
  });
  expect((await client.put(`${base}/actions/workflows/ci.yml/disable`)).status).toBe(204);
  expect((await client.get(`${base}/actions/workflows/ci.yml`)).body).toMatchObject({ state: 'disabled_manually' });
  expect((await dispatch({ ref: 'main', inputs: { level: 'low' } })).status).toBe(422);
  expect((await client.post(`${base}/actions/runs/${first.id}/rerun`)).status).toBe(403);
  expect((await client.put(`${base}/actions/workflows/ci.yml/enable`)).status).toBe(204);
  expect((await dispatch({ ref: 'main', inputs: { level: 'low' } })).status).toBe(204);
});

test('lists are filtered, and cost the same for one run and for many', async () => {
  const { ada, repo, client, base, run, commit } = await setting();
  await client.post(`${base}/actions/runs/${run.id}/force-cancel`);
  const statements = await w.statements(ada, `${base}/actions/runs`);
  const jobStatements = await w.statements(ada, `${base}/actions/runs/${run.id}/jobs`);
  await w.db
    .updateTable('workflow_runs')
    .set({ created_at: new Date('2025-06-01T00:00:00Z') })
    .where('id', '=', run.id)
    .execute();
  await pushWorkflow(w, repo, { [ciPath]: ci, 'other.txt': 'x' });
  await pushWorkflow(w, repo, { [ciPath]: ci, 'other.txt': 'y' });
  const count = async (query: string) => (await client.get(`${base}/actions/runs?${query}`)).body.total_count;
  expect(await w.statements(ada, `${base}/actions/runs`)).toBe(statements);
  expect(await w.statements(ada, `${base}/actions/runs/${run.id}/jobs`)).toBe(jobStatements);
  for (const [query, wanted] of [
    ['', 3],
    [`actor=${ada.login}`, 3],
    ['actor=nobody-at-all', 0],
    ['branch=main', 3],
    ['branch=none', 0],
    ['event=push', 3],
    ['event=schedule', 0],
    ['status=completed', 1],
    ['status=cancelled', 1],
    ['status=queued', 2],
    ['created=<2026-01-01', 1],
    ['created=2026-01-01..2026-12-31', 2],
    [`head_sha=${commit}`, 1],
    ['check_suite_id=9999999', 0],
  ] as const)
    expect(await count(query), query).toBe(wanted);
  expect((await client.get(`${base}/actions/runs?created=soon`)).status).toBe(422);
  expect((await client.get(`${base}/actions/workflows/ci.yml/runs?branch=main`)).body.total_count).toBe(3);
});

test('a run that needs approval begins when somebody approves it', async () => {
  const { client, url, run } = await setting();
  expect((await client.post(`${url}/approve`)).status).toBe(403);
  await client.post(`${url}/force-cancel`);
  const changed = w.db.updateTable('workflow_runs').where('id', '=', run.id);
  await changed.set({ is_from_fork: true, attempt: 2, cancelled_at: null }).execute();
  await w.unchanged(['workflow_runs', 'workflow_jobs', 'events'], async () =>
    expect(await client.post(`${url}/approve`)).toMatchObject({
      status: 403,
      body: { message: 'This run does not need to be approved' },
    }),
  );
  await changed.set({ conclusion: 'action_required' }).execute();
  expect((await client.post(`${url}/approve`)).status).toBe(201);
  expect((await client.get(url)).body).toMatchObject({ status: 'queued', conclusion: null });
});

test('a workflow whose file is gone is neither enabled nor disabled', async () => {
  const { client, base } = await setting();
  const file = `${base}/contents/${ciPath}`;
  const { sha } = (await client.get(file)).body;
  await client.delete(file, { message: 'Remove', sha });
  await w.settle();
  const path = `${base}/actions/workflows/ci.yml`;
  for (const state of ['enable', 'disable'])
    expect(await client.put(`${path}/${state}`)).toMatchObject({
      status: 422,
      body: { message: 'The file of this workflow was deleted' },
    });
  expect((await client.get(path)).body).toMatchObject({ state: 'deleted' });
});
