// When a cancelled job is over. Some runners wait for the programs that a step began, and tell nothing meanwhile.
import { expect, test } from 'vitest';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';
import { pushWorkflow } from '../setting.ts';

const w = await world();

async function cancelled(steps: string) {
  const ada = await w.user();
  const repo = await w.repo(ada);
  const client = await w.as(ada);
  const base = `/repos/${ada.login}/${repo.name}/actions`;
  const file = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`;
  await pushWorkflow(w, repo, { '.github/workflows/ci.yml': file });
  const runner = await startRunner(w, repo);
  const task = await runner.fetch();
  if (!task) throw new Error('No job');
  await runner.tell(task, [{ first: 0, rows: 0 }]);
  const [run] = (await client.get(`${base}/runs`)).body.workflow_runs;
  await client.post(`${base}/runs/${run.id}/cancel`);
  const job = async () => (await client.get(`${base}/jobs/${task.id}`)).body;
  const runners = async () => (await client.get(`${base}/runners`)).body.runners;
  return { runner, task, job, runners };
}

const script = '      - run: one\n      - run: sleep 300\n      - run: three\n';

test('a job of scripts is over as soon as its runner hears of the cancellation', async () => {
  const { runner, task, job } = await cancelled(script);
  expect(await job()).toMatchObject({ status: 'in_progress' });
  await runner.tell(task, [{ first: 0, rows: 0 }]);
  const { status, conclusion, steps } = await job();
  expect([status, conclusion]).toEqual(['completed', 'cancelled']);
  expect(steps.map((step: { conclusion: string }) => step.conclusion)).toEqual([
    'success',
    'success',
    'skipped',
    'skipped',
    'success',
  ]);
  // What the runner says at its end changes nothing.
  await runner.end(task, 'cancelled');
  expect(await job()).toMatchObject({ conclusion: 'cancelled' });
});

test.each([
  ['a condition that wants success', "      - if: github.ref == 'refs/heads/main'\n        run: more\n"],
  ['failure() as a condition', `      - if: \${{ failure() }}\n        run: more\n`],
  ['an action that is still to come', '      - uses: ./own\n'],
  ['an image', '      - uses: docker://alpine:3\n'],
])('a job with %s among its steps has nothing to clean up', async (_, step) => {
  const { runner, task, job } = await cancelled(`      - run: one\n      - run: sleep 300\n${step}`);
  await runner.tell(task, [{ first: 0, rows: 0 }]);
  expect(await job()).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
});

test.each([
  ['always() as a condition', '      - run: one\n      - run: sleep 300\n      - if: always()\n        run: tidy\n'],
  ['another condition', `      - run: one\n      - run: sleep 300\n      - if: \${{ !success() }}\n        run: tidy\n`],
  ['an action that has begun', '      - uses: ./own\n      - run: sleep 300\n'],
])('a job with %s among its steps goes on until its runner has cleaned up', async (_, steps) => {
  const { runner, task, job } = await cancelled(steps);
  await runner.tell(task, [{ first: 0, rows: 0 }]);
  expect(await job()).toMatchObject({ status: 'in_progress' });
  await runner.end(task, 'cancelled');
  expect(await job()).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
});

test('a runner whose job prints nothing is online', async () => {
  const { runner, task, runners } = await cancelled('      - uses: ./own\n');
  w.clock.now = new Date(w.clock.now.getTime() + 120_000);
  expect(await runners()).toMatchObject([{ status: 'online', busy: true }]);
  await runner.end(task, 'cancelled');
  w.clock.now = new Date(w.clock.now.getTime() + 120_000);
  expect(await runners()).toMatchObject([{ status: 'offline', busy: false }]);
});
