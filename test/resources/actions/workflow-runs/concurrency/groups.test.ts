import { expect, test } from 'vitest';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';
import { ciPath, pushWorkflow } from '../setting.ts';

const w = await world({ vocabulary: 'github', resourceLimits: { workflows: { poll: 100 } } });

const file = (name: string, jobs: string): string => `name: ${name}\non: push\nconcurrency: Deploy/main\njobs:\n${jobs}`;
const job = (id: string, more = ''): string => `  ${id}:\n    runs-on: ubuntu-latest\n${more}    steps:\n      - run: make\n`;

async function setting() {
  const ada = await w.user();
  const repo = await w.repo(ada);
  const client = await w.as(ada);
  const base = `/repos/${ada.login}/${repo.name}`;
  const push = async (jobs: string, text: string, path = ciPath) => {
    await pushWorkflow(w, repo, { [path]: file('CI', jobs), 'a.txt': text });
    return (await client.get(`${base}/actions/runs`)).body.workflow_runs[0];
  };
  return { ada, repo, client, base, push, groups: `${base}/actions/concurrency_groups` };
}

test('a group has its members while they are in it, each with its place', async () => {
  const { repo, client, base, groups, push } = await setting();
  expect((await client.get(groups)).body).toEqual({ total_count: 0, concurrency_groups: [] });
  expect((await client.get(`${groups}/deploy%2Fmain`)).status).toBe(404);
  const first = await push(job('build', '    concurrency: builds\n'), 'a');
  const second = await push(job('build', '    concurrency: builds\n'), 'b');
  const { body: listed } = await client.get(groups);
  expect(listed).toMatchObject({
    total_count: 2,
    concurrency_groups: [
      {
        group_name: 'Deploy/main',
        group_url: expect.stringMatching(/\/Deploy%2Fmain$/),
        last_acquired_at: '2026-01-01T00:00:00Z',
      },
      { group_name: 'builds' },
    ],
  });
  const runMember = (run: { id: number; url: string }, status: string) => ({
    run_id: run.id,
    run_name: 'CI',
    run_url: run.url,
    status,
  });
  const { body: group } = await client.get(`${groups}/deploy%2Fmain`);
  expect(group).toMatchObject({
    group_name: 'Deploy/main',
    total_count: 2,
    group_members: [runMember(first, 'in_progress'), runMember(second, 'pending')],
  });
  expect(group.group_members[0]).not.toHaveProperty('job_id');
  expect((await client.get(`${groups}/Deploy/main?ahead_of_run=${second.id}`)).body).toMatchObject({
    total_count: 2,
    group_members: [{ run_id: first.id }, { run_id: second.id }],
  });
  expect((await client.get(`${groups}/Deploy/main?ahead_of_run=${first.id}`)).body).toMatchObject({ total_count: 1 });
  expect((await client.get(`${groups}/Deploy/main?ahead_of_run=999999`)).status).toBe(422);
  const { body: ofFirst } = await client.get(`${base}/actions/runs/${first.id}/concurrency_groups`);
  const [{ id: jobId }] = (await client.get(`${base}/actions/runs/${first.id}/jobs`)).body.jobs;
  expect(ofFirst).toMatchObject({
    total_count: 2,
    concurrency_groups: [
      { group_name: 'Deploy/main', group_members: [{ run_id: first.id, position: 0, status: 'in_progress' }] },
      { group_name: 'builds', group_members: [{ job_id: jobId, job_name: 'build', position: 0 }] },
    ],
  });
  const { body: ofSecond } = await client.get(`${base}/actions/runs/${second.id}/concurrency_groups`);
  const [{ position, position_url }] = ofSecond.concurrency_groups[0].group_members;
  expect(position).toBe(1);
  expect(
    (await client.get(new URL(position_url).pathname.replace('/api/v3', '') + new URL(position_url).search)).body,
  ).toMatchObject({
    total_count: position + 1,
  });
  expect((await client.get(`${groups}/Deploy/main?ahead_of_run=${first.id}&ahead_of_job=${jobId}`)).status).toBe(422);
  const runner = await startRunner(w, repo);
  for (const _run of [first, second]) {
    const task = await runner.fetch();
    if (!task) throw new Error('No job');
    await runner.end(task, 'success');
    await w.settle();
  }
  expect((await client.get(groups)).body).toEqual({ total_count: 0, concurrency_groups: [] });
  expect(await w.db.selectFrom('concurrency_groups').selectAll().where('repository_id', '=', repo.id).execute()).toEqual([]);
});

test('lists are continued after a group, and cost the same for one and for many', async () => {
  const { ada, client, base, groups, push } = await setting();
  const run = await push(job('a', '    concurrency: a\n'), 'one');
  const ofRun = `${base}/actions/runs/${run.id}/concurrency_groups`;
  const before = [await w.statements(ada, groups), await w.statements(ada, ofRun), await w.statements(ada, `${groups}/a`)];
  await client.post(`${base}/actions/runs/${run.id}/force-cancel`);
  await w.settle();
  const many = await push(['a', 'b', 'c'].map((id) => job(id, `    concurrency: ${id}\n`)).join(''), 'many');
  const ofMany = `${base}/actions/runs/${many.id}/concurrency_groups`;
  expect([await w.statements(ada, groups), await w.statements(ada, ofMany), await w.statements(ada, `${groups}/a`)]).toEqual(
    before,
  );
  const names: string[] = [];
  let path: string | undefined = `${groups}?per_page=3`;
  while (path) {
    const { body, headers } = await client.get(path);
    expect(body.total_count).toBe(4);
    names.push(...body.concurrency_groups.map(({ group_name }: { group_name: string }) => group_name));
    path = /<[^>]*\/api\/v3([^>]*)>; rel="next"/.exec(headers.link ?? '')?.[1];
  }
  expect(names).toEqual(['Deploy/main', 'a', 'b', 'c']);
});

test('a group with too long a name makes a failed run', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada);
  await pushWorkflow(w, repo, { [ciPath]: `on: push\nconcurrency: ${'a'.repeat(401)}\njobs:\n${job('build')}` });
  const client = await w.as(ada);
  const [run] = (await client.get(`/repos/${ada.login}/${repo.name}/actions/runs`)).body.workflow_runs;
  expect(run).toMatchObject({ conclusion: 'startup_failure' });
});

/** A run whose call is in a group, with two jobs after each other and one that comes in any case. */
async function calls({ own = '', ofFile = '', more = '' }: { own?: string; ofFile?: string; more?: string }) {
  const ada = await w.user();
  const repo = await w.repo(ada);
  const client = await w.as(ada);
  const base = `/repos/${ada.login}/${repo.name}`;
  const step = '{runs-on: ubuntu-latest, steps: [{run: make}]';
  const called =
    `on: workflow_call\n${ofFile}\njobs:\n  a: ${step}}\n  b: ${step}, needs: a${more}}\n` +
    `  last: ${step}, needs: b, if: always()}\n`;
  const main =
    `on: push\njobs:\n  first: ${step}}\n  call:\n    uses: ./.github/workflows/called.yml\n` +
    `${own}  after: ${step}, needs: call}\n`;
  const push = async (text: string) => {
    await pushWorkflow(w, repo, { [ciPath]: main, '.github/workflows/called.yml': called, 'a.txt': text });
    return (await client.get(`${base}/actions/runs`)).body.workflow_runs[0];
  };
  const jobs = async (run: { id: number }): Promise<string[]> =>
    (await client.get(`${base}/actions/runs/${run.id}/jobs`)).body.jobs.map(
      ({ name, status, conclusion }: { name: string; status: string; conclusion: string | null }) =>
        `${name}: ${conclusion ?? status}`,
    );
  const runner = await startRunner(w, repo);
  /** Ends the jobs that a runner gets, up to some, and gives how many there were. */
  const work = async (most: number): Promise<number> => {
    for (let done = 0; done < most; done++) {
      const task = await runner.fetch();
      if (!task) return done;
      await runner.end(task, 'success');
      await w.settle();
    }
    return most;
  };
  return { repo, client, base, push, jobs, runner, work, groups: `${base}/actions/concurrency_groups` };
}

test('a job that calls a workflow holds its group for all jobs of that, and the next call waits for the last of them', async () => {
  const { client, base, push, jobs, work, groups, runner } = await calls({ own: '    concurrency: deploy\n' });
  const one = await push('1');
  const two = await push('2');
  expect(await jobs(one)).toEqual(['first: queued', 'call / a: queued']);
  expect(await jobs(two)).toEqual(['first: queued']);
  const { body: group } = await client.get(`${groups}/deploy`);
  expect(group.group_members).toEqual([
    expect.objectContaining({ run_id: one.id, job_name: 'call', status: 'in_progress' }),
    expect.objectContaining({ run_id: two.id, job_name: 'call', status: 'pending' }),
  ]);
  const [{ id: inner }] = (await client.get(`${base}/actions/runs/${one.id}/jobs`)).body.jobs.slice(1);
  expect((await client.get(`${groups}/deploy?ahead_of_job=${inner}`)).body.total_count).toBe(1);
  expect((await client.get(`${groups}/deploy?ahead_of_run=${two.id}`)).body.total_count).toBe(2);
  const { body: ofTwo } = await client.get(`${base}/actions/runs/${two.id}/concurrency_groups`);
  expect(ofTwo.concurrency_groups).toMatchObject([{ group_name: 'deploy', group_members: [{ position: 1, job_name: 'call' }] }]);

  // The first of both runs, then a, b and last of the first one.
  expect(await work(4)).toBe(4);
  expect(await jobs(two)).toEqual(['first: success']);
  expect(await work(1)).toBe(1);
  expect(await jobs(one)).toEqual(
    ['first', 'call / a', 'call / b', 'call / last'].map((name) => `${name}: success`).concat('after: queued'),
  );
  expect(await jobs(two)).toEqual(['first: success', 'call / a: queued']);

  // A third one waits for the second; a fourth takes its place, and it says so.
  const three = await push('3');
  const four = await push('4');
  expect(await jobs(three)).toEqual(['first: queued', 'call: cancelled', 'after: skipped']);
  expect(await work(20)).toBe(11);
  expect((await client.get(`${base}/actions/runs/${two.id}`)).body.conclusion).toBe('success');
  expect((await client.get(`${base}/actions/runs/${three.id}`)).body.conclusion).toBe('cancelled');
  expect((await client.get(`${base}/actions/runs/${four.id}`)).body.conclusion).toBe('success');
  expect((await client.get(groups)).body.total_count).toBe(0);

  // Run again, the call that had no turn has one, and the jobs that failed wait for theirs.
  await client.post(`${base}/actions/runs/${three.id}/rerun-failed-jobs`);
  await w.settle();
  expect(await jobs(three)).toEqual(['first: success', 'call / a: queued']);
  const task = await runner.fetch();
  if (!task) throw new Error('No job');
  await runner.end(task, 'failure');
  await w.settle();
  expect(await jobs(three)).toEqual(['first: success', 'call / a: failure', 'call / b: skipped', 'call / last: queued']);
  expect(await work(1)).toBe(1);
  const five = await push('5');
  await client.post(`${base}/actions/runs/${three.id}/rerun-failed-jobs`);
  await w.settle();
  expect(await jobs(three)).toEqual(['first: success', 'call / a: pending']);
  expect(await work(20)).toBe(9);
  for (const run of [three, five]) expect((await client.get(`${base}/actions/runs/${run.id}`)).body.conclusion).toBe('success');
});

test('a called file cancels what is in progress in its group: jobs that come in any case still come, and the next call follows them', async () => {
  const ofFile = 'concurrency: {group: all, cancel-in-progress: true}';
  const { client, base, push, jobs, work, groups, runner } = await calls({ ofFile });
  const one = await push('1');
  expect(await work(2)).toBe(2);
  const running = await runner.fetch();
  if (!running) throw new Error('No job');
  const two = await push('2');
  expect(await jobs(two)).toEqual(['first: queued']);
  expect((await client.get(`${groups}/all`)).body.group_members).toMatchObject([{ run_id: one.id }, { run_id: two.id }]);
  await runner.end(running, 'cancelled');
  await w.settle();
  expect((await jobs(one)).slice(1)).toEqual(['call / a: success', 'call / b: cancelled', 'call / last: queued']);
  expect(await jobs(two)).toEqual(['first: queued']);
  expect(await work(2)).toBe(2);
  expect(await jobs(two)).toEqual(['first: success', 'call / a: queued']);
  const of = async ({ id }: { id: number }) => (await client.get(`${base}/actions/runs/${id}`)).body;
  expect(await of(one)).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
  // A run that is cancelled while its call waits ends, and leaves the group.
  const own = await push('3');
  await client.post(`${base}/actions/runs/${own.id}/force-cancel`);
  await w.settle();
  expect(await of(own)).toMatchObject({ conclusion: 'cancelled' });
});
