import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { ciPath, pushWorkflow } from '#test/resources/actions/workflow-runs/setting.ts';
import { expectAccessible, openTab, visit } from '#test/support/browser.ts';
import { pagesAs, sessionCookie } from '#test/support/page-client.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';

const w = await world();

const xss = '<img src=x onerror=alert(1)>';

const file = `name: "CI ${xss}"
run-name: "Run ${xss}"
on: push
jobs:
  build:
    name: "build ${xss}"
    runs-on: ubuntu-latest
    steps:
      - name: "make ${xss}"
        run: make
      - run: make test
  check:
    needs: build
    strategy:
      matrix:
        node: [24, 26]
    runs-on: ubuntu-latest
    steps:
      - run: test
`;

async function setting() {
  const [ada, ben, eve] = [await w.user(), await w.user(), await w.user()];
  const repo = await w.repo(ada, { visibility: 'private' });
  await w.collaborator(repo, ben, 'read');
  await pushWorkflow(w, repo, { [ciPath]: file });
  const api = await w.as(ada);
  const path = `/${ada.login}/${repo.name}`;
  const { workflow_runs: runs } = (await api.get(`/repos${path}/actions/runs`)).body as { workflow_runs: { id: number }[] };
  const run = runs[0]?.id ?? 0;
  const { jobs } = (await api.get(`/repos${path}/actions/runs/${run}/jobs`)).body as { jobs: { id: number }[] };
  return { ada, ben, eve, repo, api, path, run, job: jobs[0]?.id ?? 0 };
}

test('runs, a run and a job are shown to readers, and to nobody else; texts of files are text', async () => {
  const { ada, ben, eve, path, run, job } = await setting();
  const pages = [
    `${path}/actions`,
    `${path}/actions/workflows/ci.yml`,
    `${path}/actions/runs/${run}`,
    `${path}/actions/runs/${run}/job/${job}`,
  ];
  for (const who of [ada, ben]) {
    const client = await pagesAs(w, who);
    for (const address of pages) {
      const shown = await client.get(address);
      expect(shown.status, address).toBe(200);
      expect(shown.text).not.toContain('<img src=x');
      expect(shown.text).toContain('&lt;img src=x');
    }
  }
  for (const client of [await pagesAs(w, eve), await pagesAs(w)])
    for (const address of [...pages, `/_live?subject=job&owner=${ada.login}&repo=x&job_id=${job}`])
      expect((await client.get(address)).status, address).toBe(404);
});

test('a browser shows a job’s lines as they are written', async () => {
  const { ada, repo, path, run, job } = await setting();
  const runner = await startRunner(w, repo);
  const task = await runner.fetch();
  if (!task) throw new Error('No job waits');
  await runner.log(task, ['first line', '\u001b[31mred\u001b[0m <script>alert(1)</script>']);
  const tab = await openTab(w, ada);
  await visit(tab, `${path}/actions/runs/${run}/job/${job}`);
  await tab.page.getByText('first line').waitFor();
  await tab.page.locator('.log .f1', { hasText: 'red' }).waitFor();
  await tab.page.getByText('Live', { exact: true }).waitFor();
  await runner.log(task, ['third line'], 2);
  await tab.page.getByText('third line').waitFor();
  await expectAccessible(tab);
  await runner.end(task, 'failure', { steps: [{ first: 0, rows: 3 }] });
  await tab.page.locator('.run-head', { hasText: 'Failed' }).waitFor();
  expect(tab.problems).toEqual([]);
  await visit(tab, `${path}/actions/runs/${run}`);
  await expectAccessible(tab);
  await visit(tab, `${path}/actions`);
  await visit(tab, `${path}/actions/runs/${run}/job/${job}`);
});

test('changes are signalled again after the connection of the listener was lost', async () => {
  const { ada, repo, path, job } = await setting();
  const runner = await startRunner(w, repo);
  const task = await runner.fetch();
  if (!task) throw new Error('No job waits');
  const cookie = await sessionCookie(w, ada);
  const stop = new AbortController();
  const address = `${w.url}/_live?subject=job&owner=${ada.login}&repo=${path.split('/')[2]}&job_id=${job}`;
  const { body, headers } = await fetch(address, { headers: { cookie }, signal: stop.signal });
  expect(headers.get('content-type')).toBe('text/event-stream');
  expect(headers.get('access-control-allow-origin')).toBeNull();
  let events = 0;
  const reading = (async () => {
    for await (const part of body ?? []) events += Buffer.from(part).toString().split(`data: job:${job}`).length - 1;
  })().catch(() => undefined);
  const listeners = sql<{ pid: number }>`select pid from pg_stat_activity where application_name = 'hearth changes'`;
  await expect.poll(async () => (await listeners.execute(w.db)).rows.length).toBe(1);
  const [before] = (await listeners.execute(w.db)).rows;
  await sql`select pg_terminate_backend(${before?.pid})`.execute(w.db);
  await expect.poll(async () => (await listeners.execute(w.db)).rows.filter(({ pid }) => pid !== before?.pid).length).toBe(1);
  await expect.poll(() => events).toBeGreaterThan(1); // it may have missed something
  const known = events;
  await runner.log(task, ['a line']);
  await expect.poll(() => events).toBeGreaterThan(known);
  stop.abort();
  await reading;
});

test('events end with the session', async () => {
  const { ada, repo, path, job } = await setting();
  const runner = await startRunner(w, repo);
  const task = await runner.fetch();
  if (!task) throw new Error('No job waits');
  const cookie = await sessionCookie(w, ada);
  const address = `${w.url}/_live?subject=job&owner=${ada.login}&repo=${path.split('/')[2]}&job_id=${job}`;
  const { body } = await fetch(address, { headers: { cookie } });
  let text = '';
  const reading = (async () => {
    for await (const part of body ?? []) text += Buffer.from(part).toString();
  })();
  await runner.log(task, ['a line']);
  await expect.poll(() => text).toContain(`data: job:${job}`);
  const known = text;
  await w.db.deleteFrom('sessions').where('account_id', '=', ada.id).execute();
  await runner.log(task, ['another line']);
  await reading;
  expect(text).toBe(known);
});

test('the same number of statements reads a log and runs of any length', async () => {
  const { ada, repo, path, run, job } = await setting();
  const runner = await startRunner(w, repo);
  const task = await runner.fetch();
  if (!task) throw new Error('No job waits');
  await runner.log(task, ['one line']);
  const pages = await pagesAs(w, ada);
  const addresses = [`${path}/actions`, `${path}/actions/runs/${run}`, `${path}/actions/runs/${run}/job/${job}`];
  const count = async (): Promise<number[]> => {
    const all: number[] = [];
    for (const address of addresses) all.push(await pages.statements(address));
    return all;
  };
  const few = await count();
  for (let at = 1; at <= 4; at++) {
    await pushWorkflow(w, repo, { [ciPath]: `${file}# ${at}\n` });
    await runner.log(
      task,
      Array.from({ length: 30 }, (_, line) => `line ${line}`),
      1 + (at - 1) * 30,
    );
  }
  expect(await count()).toEqual(few);
  expect(Math.max(...few)).toBeLessThanOrEqual(20);
});

test('a long log is read in parts, from the database and from the store; searches find lines', async () => {
  const { ada, repo, path, run, job } = await setting();
  const runner = await startRunner(w, repo);
  const task = await runner.fetch();
  if (!task) throw new Error('No job waits');
  const lines = Array.from({ length: 5_000 }, (_, at) => `line-${at}-`);
  for (let at = 0; at < lines.length; at += 1_000) await runner.log(task, lines.slice(at, at + 1_000), at);
  const pages = await pagesAs(w, ada);
  const address = `${path}/actions/runs/${run}/job/${job}`;
  const numbersIn = async (query: string): Promise<number[]> =>
    [...(await pages.get(`${address}${query}`)).text.matchAll(/line-(\d+)-/g)].map(([, number]) => Number(number));
  const check = async (): Promise<void> => {
    expect(await numbersIn('?from=4100')).toEqual(Array.from({ length: 500 }, (_, at) => 4_100 + at));
    expect(await numbersIn('?from=4999')).toEqual([4_999]);
    expect(await numbersIn('?q=LINE-2345-')).toEqual([2_345]);
  };
  await check();
  await runner.end(task, 'success', {
    steps: [
      { first: 10, rows: 2_000 },
      { first: 2_010, rows: 2_990 },
    ],
  });
  await w.settle();
  expect(await w.db.selectFrom('workflow_job_log_positions').selectAll().execute()).toHaveLength(2);
  await check();
  const whole = await pages.get(`${address}/raw`);
  expect([whole.status, whole.headers.get('location')?.startsWith(`${w.url}/api/v3/workflow-logs/`)]).toEqual([302, true]);
});
