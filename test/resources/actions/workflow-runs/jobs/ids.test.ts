// A job has the id of its check, as in the public API.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';
import { pushWorkflow } from '../setting.ts';

const w = await world({ vocabulary: 'github' });

async function setting() {
  const ada = await w.user();
  const repo = await w.repo(ada);
  const base = `/repos/${ada.login}/${repo.name}`;
  const client = await w.as(ada);
  const jobs = async (): Promise<{ id: number; name: string; check_run_url: string; html_url: string; url: string }[]> => {
    const [run] = (await client.get(`${base}/actions/runs`)).body.workflow_runs;
    return (await client.get(`${base}/actions/runs/${run.id}/jobs?filter=all`)).body.jobs;
  };
  return { ada, repo, base, client, jobs };
}

test("a job's id is that of its check, after checks of others and in later attempts too", async () => {
  const { repo, base, client, jobs } = await setting();
  // Checks of others no longer make the ids drift apart.
  await sql`select nextval('check_runs_id_seq') from generate_series(1, 7)`.execute(w.db);
  await pushWorkflow(w, repo);
  const runner = await startRunner(w, repo);
  const task = await runner.fetch();
  if (!task) throw new Error('No job');
  await runner.log(task, ['::error file=a.js,line=3::Broken']);
  await runner.end(task, 'failure');
  await w.settle();
  const [run] = (await client.get(`${base}/actions/runs`)).body.workflow_runs;
  await client.post(`${base}/actions/runs/${run.id}/rerun`);
  await w.settle();
  const found = await jobs();
  expect(found).toHaveLength(3);
  for (const { id, name, check_run_url, html_url } of found) {
    const { body: check } = await client.get(`${base}/check-runs/${id}`);
    expect(check).toMatchObject({ id, name, details_url: html_url, url: check_run_url });
    expect(html_url.endsWith(`/job/${id}`)).toBe(true);
  }
  const [annotation] = (await client.get(`${base}/check-runs/${task.id}/annotations`)).body;
  expect(annotation).toMatchObject({ path: 'a.js', message: 'Broken' });
});

test('a carried job keeps its check, and its own id is no check of another', async () => {
  const { repo, base, client, jobs } = await setting();
  const file =
    'on: push\njobs:\n  a: {runs-on: ubuntu-latest, steps: [{run: x}]}\n  b: {runs-on: ubuntu-latest, steps: [{run: x}]}\n';
  await pushWorkflow(w, repo, { '.github/workflows/ci.yml': file });
  const runner = await startRunner(w, repo);
  for (const result of ['success', 'failure'] as const) {
    const task = await runner.fetch();
    if (!task) throw new Error('No job');
    await runner.end(task, result);
  }
  await w.settle();
  const [run] = (await client.get(`${base}/actions/runs`)).body.workflow_runs;
  await client.post(`${base}/actions/runs/${run.id}/rerun-failed-jobs`);
  await w.settle();
  const [first, , ...later] = await jobs();
  const carried = later.find(({ name }) => name === first?.name);
  expect(carried?.check_run_url).toBe(first?.check_run_url);
  expect((await client.get(`${base}/check-runs/${carried?.id}`)).status).toBe(404);
});

test('new ids are above those of old jobs and of checks', async () => {
  const { rows } = await sql<{ next: number; most: number }>`
    select nextval('check_runs_id_seq') as next,
      greatest((select max(id) from workflow_jobs), (select max(id) from check_runs)) as most`.execute(w.db);
  expect(rows[0]?.next).toBeGreaterThan(rows[0]?.most ?? 0);
});
