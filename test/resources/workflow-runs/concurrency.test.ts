import { expect, test } from 'vitest';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';
import { ciPath, pushWorkflow } from './setting.ts';

const w = await world({ vocabulary: 'github' });

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
    total_count: 1,
    group_members: [{ run_id: first.id }],
  });
  expect((await client.get(`${groups}/Deploy/main?ahead_of_run=${first.id}`)).body).toMatchObject({ total_count: 0 });
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
    total_count: position,
  });
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
