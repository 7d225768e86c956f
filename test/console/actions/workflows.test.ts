import { expect, test } from 'vitest';
import { ciPath, pushWorkflow } from '#test/resources/actions/workflow-runs/setting.ts';
import { expectAccessible, openTab, visit } from '#test/support/browser.ts';
import { pagesAs } from '#test/support/page-client.ts';
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
});
