import { expect, test } from 'vitest';
import type { RepositoryRow } from '#access/viewer.ts';
import { workflowJobs } from '#cli/doctor/workflows.ts';
import { enqueue } from '#jobs/job.ts';
import { explainJob } from '#resources/actions/workflow-runs/index.ts';
import { endOverdueJobs, endSilentJobs } from '#resources/actions/workflow-runs/jobs/deadlines.ts';
import { Result } from '#runner-protocol/generated/runner/v1/runner_pb.js';
import { groupOf } from '#test/resources/actions/hosted-runners/setting.ts';
import { startRunner, startRunnerOf, type TestRunner } from '#test/support/runner-client.ts';
import { fresh, world } from '#test/support/world.ts';
import { ciPath, pushWorkflow } from '../setting.ts';

const w = await world({ resourceLimits: { workflows: { poll: 20 } } });
const ada = await w.user('ada');
const acme = await w.org(ada, 'acme');
const client = await w.as(ada);

/** A repository in whose run these jobs wait. */
async function setting(jobs: object, more: object = {}) {
  const repo = await w.repo(acme, { by: ada, visibility: 'private' });
  const commit = await pushWorkflow(w, repo, { [ciPath]: JSON.stringify({ on: 'push', jobs, ...more }) });
  const base = `/repos/acme/${repo.name}`;
  const [run] = (await client.get(`${base}/actions/runs`)).body.workflow_runs;
  const jobsOf = async () => (await client.get(`${base}/actions/runs/${run.id}/jobs`)).body.jobs;
  return { repo, base, commit, run, jobsOf };
}

const steps = [{ run: 'make' }];
const build = { 'runs-on': 'ubuntu-latest', steps };

async function take(runner: TestRunner) {
  const task = await runner.fetch();
  if (!task) throw new Error('No job');
  return task;
}

/** So many seconds later, the sweep looks at the jobs. */
async function later(seconds: number, sweep: typeof endSilentJobs): Promise<void> {
  w.clock.now = new Date(w.clock.now.getTime() + seconds * 1_000);
  await w.change((scope) => enqueue(scope.tx, sweep, {}));
  await w.settle();
}

test('a job that never reached its runner waits again, with its check; one whose runner falls silent fails', async () => {
  const { repo, base, commit, jobsOf } = await setting({ build });
  const [first, second] = [await startRunner(w, repo), await startRunner(w, repo, { name: 'r2' })];
  await take(first);
  const check = async () => (await client.get(`${base}/commits/${commit}/check-runs`)).body.check_runs[0];
  expect(await check()).toMatchObject({ status: 'in_progress' });
  await later(59, endSilentJobs);
  expect(await jobsOf()).toMatchObject([{ status: 'in_progress', runner_name: 'r1' }]);
  await later(2, endSilentJobs);
  expect(await jobsOf()).toMatchObject([{ status: 'queued', runner_name: null }]);
  expect(await check()).toMatchObject({ status: 'queued', conclusion: null });

  const task = await take(second);
  await second.log(task, ['begun']);
  await later(299, endSilentJobs);
  expect(await jobsOf()).toMatchObject([{ status: 'in_progress', runner_name: 'r2' }]);
  await later(2, endSilentJobs);
  expect(await jobsOf()).toMatchObject([{ conclusion: 'failure' }]);
  expect(await check()).toMatchObject({ conclusion: 'failure', output: { summary: 'The runner was not heard of any more' } });
});

test('a job is told to end when its time is over, and ended where its runner does not', async () => {
  const { repo, base, commit, jobsOf } = await setting({
    build: { ...build, 'timeout-minutes': 5, steps: [...steps, { if: 'always()', run: 'tidy' }] },
    other: { ...build, 'timeout-minutes': 60 },
  });
  const runner = await startRunner(w, repo);
  const [task, other] = [await take(runner), await take(runner)];
  const told = async () => (await runner.client.updateTask({ state: { id: task.id } })).state?.result;
  await later(5 * 60, endOverdueJobs);
  expect(await told()).toBe(Result.UNSPECIFIED);
  await later(61, endOverdueJobs);
  expect(await told()).toBe(Result.CANCELLED);
  expect(await jobsOf()).toMatchObject([{ status: 'in_progress' }, { status: 'in_progress' }]);
  await later(299, endOverdueJobs);
  expect(await told()).toBe(Result.CANCELLED);
  await later(2, endOverdueJobs);
  expect(await jobsOf()).toMatchObject([{ conclusion: 'cancelled' }, { status: 'in_progress' }]);
  const { body } = await client.get(`${base}/commits/${commit}/check-runs?check_name=build`);
  expect(body.check_runs).toMatchObject([{ conclusion: 'cancelled', output: { summary: 'It ran for longer than 5 minutes' } }]);
  await runner.end(other, 'success');
});

const explain = (repo: RepositoryRow, job: { id: number }, runsHosted = false) =>
  explainJob(
    w.db,
    { owner: 'ACME', name: repo.name, job: job.id },
    { now: w.clock.now, runsHosted, secrets: w.hearth.services.secrets },
  );

test('explain says what a job waits for, up to its runner', async () => {
  const { repo, base, jobsOf } = await setting({ build: { ...build, 'runs-on': { group: 'Fast', labels: ['gpu'] } } });
  const [job] = await jobsOf();
  const reason = async () => (await explain(repo, job)).message;
  expect(await reason()).toBe('neither the repository nor its organization has a runner');
  const runner = await startRunnerOf(w, { organization: acme.id }, { name: fresh('r'), labels: ['linux'] });
  const groups = '/orgs/acme/actions/runner-groups';
  const { body: group } = await client.post(groups, { name: 'Slow', visibility: 'selected', runners: [runner.id] });
  const path = `${groups}/${group.id}`;
  expect(await reason()).toBe('0 of 1 runners are for the repository');
  await client.put(`${path}/repositories/${repo.id}`);
  await client.patch(path, { name: 'Slow', restricted_to_workflows: true });
  expect(await reason()).toBe('0 of 1 runners are for the workflow');
  await client.patch(path, { name: 'Slow', restricted_to_workflows: false });
  expect(await reason()).toBe('0 of 1 runners are in the group Fast');
  await client.patch(path, { name: 'Fast' });
  expect(await reason()).toBe('0 of 1 runners have the labels gpu');
  await client.post(`/orgs/acme/actions/runners/${runner.id}/labels`, { labels: ['GPU'] });
  expect(await reason()).toBe('0 of 1 runners are online');
  await w.db.updateTable('runners').set({ seen_at: w.clock.now }).where('name', 'like', 'r-%').execute();
  expect(await explain(repo, job)).toMatchObject({ name: 'build', waits: true, message: 'a runner can take it now' });
  const task = await take(runner);
  expect(await explain(repo, job)).toMatchObject({ waits: false, message: expect.stringMatching(/^r-\d+ runs it$/) });
  await runner.end(task, 'success');
  expect((await explain(repo, job)).message).toBe('it is over: success');
  expect((await explain(repo, { id: 999_999 })).message).toBe(`There is no job 999999 in ACME/${repo.name}`);
  await client.delete(`/orgs/acme/actions/runners/${runner.id}`);
  expect((await client.get(`${base}/actions/runs`)).body.workflow_runs[0].conclusion).toBe('success');
});

test('explain says that it is not yet a job’s turn', async () => {
  const matrix = { strategy: { 'max-parallel': 1, matrix: { at: [1, 2] } } };
  const { repo, run, jobsOf } = await setting({ build: { ...build, ...matrix }, alone: { ...build, concurrency: 'one' } });
  const runner = await startRunner(w, repo);
  await take(runner);
  const jobs = await jobsOf();
  const waiting = jobs.find((one: { name: string; status: string }) => one.name.startsWith('build') && one.status === 'queued');
  expect((await explain(repo, waiting)).message).toBe('1 of at most 1 jobs of its matrix are in progress');
  const alone = jobs.find(({ name }: { name: string }) => name === 'alone');
  expect((await explain(repo, alone)).message).toBe('0 of 1 runners have no job');

  const files = { [ciPath]: JSON.stringify({ on: 'push', jobs: { alone: { ...build, concurrency: 'one' } } }) };
  await pushWorkflow(w, repo, { ...files, again: 'again' });
  const [later] = (await client.get(`/repos/acme/${repo.name}/actions/runs`)).body.workflow_runs;
  const [held] = (await client.get(`/repos/acme/${repo.name}/actions/runs/${later.id}/jobs`)).body.jobs;
  expect((await explain(repo, held)).message).toBe(`it waits for the concurrency group one, which run ${run.id} has`);
});

test('explain says why no hosted runner runs a job that names one', async () => {
  const { repo, jobsOf } = await setting({ build: { ...build, 'runs-on': 'Builder' } });
  const [job] = await jobsOf();
  const wanted = { name: 'builder', image: { id: 'ubuntu-24.04', source: 'service' }, size: '4-core' };
  await client.post('/orgs/acme/actions/hosted-runners', { ...wanted, runner_group_id: await groupOf(w, acme) });
  expect((await explain(repo, job)).message).toBe(
    'nothing runs jobs on hosted runners: see HEARTH_RUNNER_PROVIDER and HEARTH_RUNNER_PROGRAM',
  );
  expect((await explain(repo, job, true)).message).toBe('0 of 1 hosted runners are ready');
  await w.settle();
  expect((await explain(repo, job, true)).message).toBe('a runner can take it now');
});

test('doctor names jobs that wait for long, and those that nobody gave up', async () => {
  const doctor = () => workflowJobs({ db: w.db, hearth: w.hearth }, w.clock.now);
  await w.db.deleteFrom('workflow_runs').execute();
  expect(await doctor()).toEqual({ check: 'workflow jobs', ok: true, detail: '0 waiting, 0 in progress' });
  const { repo, jobsOf } = await setting({ build, other: build });
  const runner = await startRunner(w, repo);
  await take(runner);
  expect(await doctor()).toMatchObject({ ok: true, detail: '1 waiting, 1 in progress' });
  w.clock.now = new Date(w.clock.now.getTime() + 61 * 60_000);
  const job = (await jobsOf()).find(({ status }: { status: string }) => status === 'queued');
  const name = `acme/${repo.name} ${job.id}`;
  expect(await doctor()).toMatchObject({
    ok: false,
    detail:
      `1 waiting, 1 in progress; ${name} waits for 61 minutes: \`hearth explain JOB ${name}\` says why; 1 job in ` +
      'progress not heard of, and not given up: do background jobs run?',
  });
});
