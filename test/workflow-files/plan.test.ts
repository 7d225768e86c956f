import { expect, test } from 'vitest';
import { system } from '#lib/caller.ts';
import { budget, newBudget } from '#workflow-files/expressions.ts';
import type { WorkflowFile } from '#workflow-files/file.ts';
import { parseWorkflowFile } from '#workflow-files/parse.ts';
import { type JobResult, planJobs, resultOf } from '#workflow-files/plan.ts';

async function fileOf(jobs: string): Promise<WorkflowFile> {
  const parsed = await parseWorkflowFile('.github/workflows/ci.yml', `on: push\njobs:\n${jobs}`, system);
  if (!('file' in parsed)) throw new Error(JSON.stringify(parsed.problems));
  return parsed.file;
}

const run = {
  github: { ref: 'refs/heads/main', event_name: 'push' },
  inputs: {},
  vars: { LEVEL: 'high' },
  [budget]: newBudget(),
};
const success: JobResult = { result: 'success', outputs: {} };
const steps = 'runs-on: any, steps: [{run: exit}]';

const progress = (results: Record<string, JobResult> = {}, isCancelled = false) => ({
  made: new Set(Object.keys(results)),
  results: new Map(Object.entries(results)),
  isCancelled,
});

const plan = (file: WorkflowFile, given: Parameters<typeof planJobs>[2]) =>
  planJobs({ name: undefined, file, called: new Map() }, run, given).jobs;

/** The planned jobs, as `id` or `id: how it ended`. */
const planned = (file: WorkflowFile, ...given: Parameters<typeof progress>): string[] =>
  plan(file, progress(...given)).map(({ id, ended }) => (ended ? `${id}: ${ended.result}` : id));

test('a job comes when all that it needs is over', async () => {
  const file = await fileOf(`  a: {${steps}}\n  b: {needs: a, ${steps}}\n  c: {needs: [a, b], ${steps}}`);
  expect(planned(file)).toEqual(['a']);
  expect(planned(file, { a: success })).toEqual(['b']);
  expect(planned(file, { a: success, b: success })).toEqual(['c']);
  expect(planned(file, { a: success, b: success, c: success })).toEqual([]);
});

test('what needs a job that failed is skipped, unless it says otherwise', async () => {
  const file = await fileOf(
    `  a: {${steps}}\n  b: {needs: a, ${steps}}\n  c: {needs: b, if: always(), ${steps}}\n` +
      `  d: {needs: b, if: failure(), ${steps}}\n  e: {needs: a, if: success() || failure(), ${steps}}`,
  );
  const failed: JobResult = { result: 'failure', outputs: {} };
  expect(planned(file, { a: failed })).toEqual(['b: skipped', 'c', 'd', 'e']);
});

test('a job that is skipped skips what needs it, though another one ran between them', async () => {
  const file = await fileOf(`  a: {if: false, ${steps}}\n  b: {needs: a, if: always(), ${steps}}\n  c: {needs: b, ${steps}}`);
  expect(planned(file)).toEqual(['a: skipped', 'b']);
  expect(planned(file, { a: { result: 'skipped', outputs: {} }, b: success })).toEqual(['c: skipped']);
});

test('after a cancellation only always() and cancelled() hold', async () => {
  const file = await fileOf(
    `  a: {${steps}}\n  b: {needs: a, ${steps}}\n  c: {needs: a, if: always(), ${steps}}\n` +
      `  d: {needs: a, if: cancelled(), ${steps}}`,
  );
  expect(planned(file, { a: { result: 'cancelled', outputs: {} } }, true)).toEqual(['b: skipped', 'c', 'd']);
});

test('conditions see contexts, and outputs of what a job needs', async () => {
  const file = await fileOf(
    `  a: {${steps}}\n  b: {needs: a, if: needs.a.outputs.go == 'yes' && vars.LEVEL == 'high', ${steps}}\n` +
      `  c: {if: github.ref != 'refs/heads/main', ${steps}}`,
  );
  expect(planned(file, { a: { result: 'success', outputs: { go: 'yes' } }, c: success })).toEqual(['b']);
  expect(planned(file, { a: { result: 'success', outputs: { go: 'no' } } })).toEqual(['b: skipped', 'c: skipped']);
});

test('a matrix may come from the output of another job', async () => {
  const file = await fileOf(
    `  a: {${steps}}\n  b: {needs: a, strategy: {fail-fast: false, max-parallel: 2, matrix: {x: "\${{ ` +
      `fromJSON(needs.a.outputs.list) }}"}}, runs-on: "\${{ matrix.x }}", name: "Build \${{ matrix.x }}", ` +
      `continue-on-error: "\${{ matrix.x == 'p' }}", steps: [{run: exit}]}`,
  );
  const jobs = plan(file, progress({ a: { result: 'success', outputs: { list: '["p", "q"]' } } }));
  expect(jobs).toMatchObject([
    {
      id: 'b',
      name: 'Build p',
      combination: { x: 'p' },
      index: 0,
      total: 2,
      labels: ['p'],
      isOptional: true,
      maxParallel: 2,
      failsFast: false,
    },
    {
      id: 'b',
      name: 'Build q',
      combination: { x: 'q' },
      index: 1,
      total: 2,
      labels: ['q'],
      isOptional: false,
      maxParallel: 2,
      failsFast: false,
    },
  ]);
});

test("what can't be evaluated fails the job, with the line", async () => {
  const file = await fileOf(
    `  a:\n    runs-on: any\n    strategy:\n      matrix:\n        x: \${{ fromJSON('[') }}\n` +
      `    steps: [{run: exit}]\n  b: {strategy: {matrix: {x: "\${{ fromJSON('[]') }}"}}, ${steps}}`,
  );
  expect(plan(file, progress())).toMatchObject([
    { id: 'a', ended: { result: 'failure', line: 7 } },
    { id: 'b', ended: { result: 'failure', problem: 'x of the matrix must be a list of values', line: 9 } },
  ]);
});

test('runners are named by labels, lists of them, or groups', async () => {
  const file = await fileOf(
    '  a: {runs-on: one, steps: [{run: x}]}\n  b: {runs-on: [one, two], steps: [{run: x}]}\n' +
      '  c: {runs-on: {group: fast, labels: big}, steps: [{run: x}]}',
  );
  expect(plan(file, progress())).toMatchObject([
    { labels: ['one'], group: null },
    { labels: ['one', 'two'], group: null },
    { labels: ['big'], group: 'fast' },
  ]);
});

test('a matrix ends as its worst job, but for those that may fail; later outputs win where they say something', () => {
  const job = (result: JobResult['result'], outputs = {}, isOptional = false) => ({ result, outputs, isOptional });
  expect(resultOf([job('success', { a: '1', b: '1' }), job('success', { a: '2', b: '' })])).toEqual({
    result: 'success',
    outputs: { a: '2', b: '1' },
  });
  expect(resultOf([job('success'), job('failure')]).result).toBe('failure');
  expect(resultOf([job('success'), job('failure', {}, true)]).result).toBe('success');
  expect(resultOf([job('success'), job('cancelled')]).result).toBe('cancelled');
  expect(resultOf([job('skipped')]).result).toBe('skipped');
});
