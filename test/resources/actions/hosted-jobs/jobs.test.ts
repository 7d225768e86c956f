import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { enqueue } from '#jobs/job.ts';
import { watchPrograms } from '#resources/actions/hosted-jobs/jobs.ts';
import { processesUnder } from '#runner-providers/machines/processes.ts';
import { groupOf } from '#test/resources/actions/hosted-runners/setting.ts';
import { machineRoom } from '#test/runner-providers/process/support.ts';
import { actRunner, hasActRunner, withoutActRunner } from '#test/support/act-runner.ts';
import { commitFiles } from '#test/support/commit.ts';
import { fresh, world } from '#test/support/world.ts';

const { provider, machine } = await machineRoom({ program: actRunner });
const runners: { provider: typeof provider; address?: string } = { provider };
const here = await world({ runners });
runners.address = here.url;
const { user, org: makeOrg, repo: makeRepo, as, clock, settle, change } = here;
const ada = await user('ada');
const acme = await makeOrg(ada, 'acme');
const client = await as(ada);
const group = await groupOf(here, acme);

beforeEach((context) => {
  if (!hasActRunner) context.skip(withoutActRunner);
});

/** A hosted runner that is ready. */
async function hosted(maximum_runners = 1) {
  const name = fresh('builder');
  const wanted = { name, image: { id: 'ubuntu-24.04', source: 'service' }, size: '4-core', maximum_runners };
  const { body } = await client.post('/orgs/acme/actions/hosted-runners', { ...wanted, runner_group_id: group });
  await settle();
  return { id: body.id as number, name, path: `/orgs/acme/actions/hosted-runners/${body.id}` };
}

/** Pushes a workflow, and gives its run and jobs, as they are then. */
async function push(jobs: object) {
  const repo = await makeRepo(acme, { by: ada, visibility: 'private' });
  await commitFiles(here, repo, { '.github/workflows/ci.yml': JSON.stringify({ on: 'push', jobs }) });
  await settle();
  const base = `/repos/acme/${repo.name}/actions/runs`;
  return {
    async state() {
      await settle(); // what ended makes room for others
      const [run] = (await client.get(base)).body.workflow_runs;
      return { run, jobs: (await client.get(`${base}/${run.id}/jobs`)).body.jobs };
    },
  };
}

/** A minute later, somebody looks after the programs. */
async function later(seconds = 60): Promise<void> {
  clock.now = new Date(clock.now.getTime() + seconds * 1_000);
  await change((scope) => enqueue(scope.tx, watchPrograms, {}));
  await settle();
}

test('jobs run by themselves on hosted runners that they name, by name or by group', async () => {
  const { id, name, path } = await hosted();
  const step = { run: 'test -n "$GITHUB_SHA" && echo made > "$HOME/made"' };
  const { state } = await push({
    build: { 'runs-on': name, strategy: { matrix: { size: ['small', 'large'] } }, steps: [step] },
    after: { needs: 'build', 'runs-on': { group: 'Default' }, steps: [{ run: 'cat "$HOME/made"' }] },
  });
  expect((await client.get('/orgs/acme/actions/runners')).body.total_count).toBe(0);
  const programs = (await provider.programs()).filter(({ runner }) => runner === id);
  expect(programs).toHaveLength(1); // as maximum_runners says, though two jobs wait
  await expect.poll(async () => (await state()).run.conclusion).toBe('success');
  const { jobs } = await state();
  for (const job of jobs)
    expect(job).toMatchObject({
      conclusion: 'success',
      runner_name: expect.stringMatching(`^${name}-[\\da-f]{8}$`),
      runner_group_name: 'Default',
    });
  expect(jobs).toHaveLength(3);
  expect((await client.get(path)).body).toMatchObject({ status: 'Ready', last_active_on: '2026-01-01T00:00:00Z' });
  await later();
  expect((await provider.programs()).filter(({ runner }) => runner === id)).toEqual([]);
  expect((await readFile(join(machine(id), 'work', 'made'), 'utf8')).trim()).toBe('made');
});

test('a program that dies is seen: its job fails, and another may begin', async () => {
  const { id, name } = await hosted();
  const { state } = await push({ build: { 'runs-on': name, steps: [{ run: 'touch "$HOME/begun" && sleep 1000' }] } });
  await expect.poll(() => existsSync(join(machine(id), 'work', 'begun'))).toBe(true);
  await expect
    .poll(async () => (await state()).jobs[0].steps.some(({ status }: { status: string }) => status === 'in_progress'))
    .toBe(true);
  const [program] = await readdir(join(machine(id), 'programs'));
  const { pid } = JSON.parse(await readFile(join(machine(id), 'programs', program ?? '', 'process.json'), 'utf8'));
  process.kill(pid, 'SIGKILL');
  await expect.poll(async () => (await provider.programs()).some(({ isRunning }) => isRunning)).toBe(false);
  await later();
  const { run, jobs } = await state();
  expect([run.conclusion, jobs[0].conclusion]).toEqual(['failure', 'failure']);
  expect(processesUnder(join(machine(id), 'programs'))).toEqual([]);
  const again = await push({ build: { 'runs-on': name, steps: [{ run: 'true' }] } });
  await expect.poll(async () => (await again.state()).run.conclusion).toBe('success');
});

test('a program that no job came for ends after a while', async () => {
  const { id, name } = await hosted();
  const { state } = await push({ build: { 'runs-on': name, steps: [{ run: 'true' }] } });
  // Before the program asks for it, the job is gone.
  const { run } = await state();
  await client.post(`/repos/${run.repository.full_name}/actions/runs/${run.id}/force-cancel`);
  await later(121);
  expect((await provider.programs()).filter(({ runner }) => runner === id)).toEqual([]);
});

test('nothing is left when the server stops', async () => {
  const { id, name } = await hosted(2);
  const jobs = { build: { 'runs-on': name, strategy: { matrix: { at: [1, 2, 3] } }, steps: [{ run: 'sleep 1000' }] } };
  const { state } = await push(jobs);
  const running = async () => (await state()).jobs.filter(({ status }: { status: string }) => status === 'in_progress').length;
  await expect.poll(running).toBe(2);
  await provider.stopAll();
  expect((await provider.programs()).filter(({ runner }) => runner === id)).toEqual([]);
  expect(processesUnder(join(machine(id), 'programs'))).toEqual([]);
});

test('a program that cannot be started leaves its job waiting for the next try', async () => {
  const { id, name } = await hosted();
  const { start } = provider;
  Object.assign(provider, { start: async () => Promise.reject(new Error('no more processes')) });
  const { state } = await push({ build: { 'runs-on': name, steps: [{ run: 'true' }] } });
  expect((await state()).jobs[0].status).toBe('queued');
  Object.assign(provider, { start });
  await later();
  await expect.poll(async () => (await state()).run.conclusion).toBe('success');
  await later();
  expect((await provider.programs()).filter(({ runner }) => runner === id)).toEqual([]);
});
