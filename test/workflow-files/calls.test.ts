import { expect, test } from 'vitest';
import { system } from '#lib/caller.ts';
import { inputsOfCall, keysBehind, problemsOfCall, secretsOfCall, type Workflow } from '#workflow-files/calls.ts';
import type { LeaseState } from '#workflow-files/concurrency.ts';
import { budget, type Json, newBudget } from '#workflow-files/expressions.ts';
import type { WorkflowFile } from '#workflow-files/file.ts';
import { inputWriter } from '#workflow-files/given-inputs.ts';
import { parseWorkflowFile } from '#workflow-files/parse.ts';
import { permissionsOfCalled } from '#workflow-files/permissions.ts';
import { type JobResult, planJobs } from '#workflow-files/plan.ts';
import { nameOfCalled } from '#workflow-files/uses.ts';

async function fileOf(content: string): Promise<WorkflowFile> {
  const parsed = await parseWorkflowFile('.github/workflows/ci.yml', content, system);
  if (!('file' in parsed)) throw new Error(JSON.stringify(parsed.problems));
  return parsed.file;
}

const steps = 'runs-on: any, steps: [{run: exit}]';
const callable = (more: string, jobs: string) => fileOf(`on:\n  workflow_call:\n${more}\njobs:\n${jobs}`);
const caller = (job: string, more = '') => fileOf(`on: push\njobs:\n  call:\n    uses: ./.github/workflows/x.yml\n${job}${more}`);
const leaf = (file: WorkflowFile, name = './x'): Workflow => ({ name, file, called: new Map() });
const calling = (file: WorkflowFile, called: Workflow, id = 'call'): Workflow => ({
  name: undefined,
  file,
  called: new Map([[id, called]]),
});

const run = { github: { ref: 'refs/heads/main' }, inputs: {}, vars: { LEVEL: 'high' }, [budget]: newBudget() };
const success: JobResult = { result: 'success', outputs: {} };
const failure: JobResult = { result: 'failure', outputs: {} };

function plan(
  workflow: Workflow,
  results: Record<string, JobResult> = {},
  more: { open?: string[]; isCancelled?: boolean; leases?: Record<string, LeaseState> } = {},
) {
  const made = new Set([...Object.keys(results), ...(more.open ?? [])]);
  const planned = planJobs(workflow, run, {
    made,
    results: new Map(Object.entries(results)),
    isCancelled: more.isCancelled ?? false,
    ...(more.leases && { leases: new Map(Object.entries(more.leases)) }),
  });
  const jobs = planned.jobs.map(({ id, ended }) => (ended ? `${id}: ${ended.result}` : id));
  return { ...planned, jobs, planned: planned.jobs };
}

test('the jobs of a called workflow come in the place of the job that calls it, with its inputs and outputs', async () => {
  const called = await callable(
    '    inputs: {size: {type: number, default: 2}, who: {type: string, required: true}}\n' +
      `    outputs: {made: {value: "\${{ jobs.b.outputs.made }}-\${{ inputs.size }}"}}`,
    `  a: {name: "For \${{ inputs.who }}", ${steps}}\n  b: {needs: a, if: inputs.size == 2, ${steps}}`,
  );
  const file = await caller(
    `    needs: first\n    with: {who: "\${{ needs.first.outputs.who }}"}\n  first: {${steps}}\n` +
      `  after: {needs: call, if: needs.call.outputs.made == 'it-2', ${steps}}`,
  );
  const workflow = calling(file, leaf(called));
  expect(plan(workflow).jobs).toEqual(['first']);
  const first = { result: 'success', outputs: { who: 'ada' } } as const;
  const begun = plan(workflow, { first });
  expect(begun.jobs).toEqual(['call/a']);
  expect(begun.planned[0]).toMatchObject({ name: 'call / For ada', calls: [{ key: 'call', inputs: { size: 2, who: 'ada' } }] });
  expect(plan(workflow, { first, 'call/a': success }).jobs).toEqual(['call/b']);
  const made = { result: 'success', outputs: { made: 'it' } } as const;
  const over = plan(workflow, { first, 'call/a': success, 'call/b': made });
  expect(over.jobs).toEqual(['after']);
  expect(over.results.get('call')).toEqual({ result: 'success', outputs: { made: 'it-2' } });
  expect(plan(workflow, { first, 'call/a': success, 'call/b': made, after: success }).isOver).toBe(true);
  // What fails inside has failed outside.
  const failed = plan(workflow, { first, 'call/a': failure });
  expect(failed.jobs).toEqual(['call/b: skipped', 'after: skipped']);
  expect(failed.results.get('call')?.result).toBe('failure');
});

test('a call that is skipped is one skipped job', async () => {
  const called = leaf(await callable('    inputs: {}', `  a: {${steps}}`));
  const workflow = calling(await caller(`    if: false\n  after: {needs: call, ${steps}}`), called);
  expect(plan(workflow).jobs).toEqual(['call: skipped', 'after: skipped']);
  const always = calling(await caller(`    if: always()\n    needs: first\n  first: {${steps}}`), called);
  expect(plan(always, { first: failure }, { isCancelled: true }).jobs).toEqual(['call/a: skipped']);
});

test('a matrix calls once for each combination, so many at once, until one fails', async () => {
  const called = leaf(await callable('    inputs: {on: {type: string}}', `  a: {${steps}}\n  b: {needs: a, ${steps}}`));
  const matrix = (more: string) =>
    caller(`    strategy: {matrix: {os: [x, y, z]}, max-parallel: 2${more}}\n    with: {on: "\${{ matrix.os }}"}`);
  const workflow = calling(await matrix(''), called);
  const { planned } = plan(workflow);
  expect(planned.map(({ id, name, calls }) => [id, name, calls[0]?.inputs])).toEqual([
    ['call:0/a', 'call (x) / a', { on: 'x' }],
    ['call:1/a', 'call (y) / a', { on: 'y' }],
  ]);
  const open = ['call:1/a'];
  expect(plan(workflow, { 'call:0/a': success }, { open }).jobs).toEqual(['call:0/b']);
  expect(plan(workflow, { 'call:0/a': success, 'call:0/b': success }, { open }).jobs).toEqual(['call:2/a']);
  const oneFailed = { 'call:0/a': failure, 'call:0/b': { result: 'skipped', outputs: {} } } as const;
  expect(plan(workflow, oneFailed, { open }).jobs).toEqual([]);
  const after = plan(workflow, { ...oneFailed, 'call:1/a': success, 'call:1/b': success });
  expect([after.isOver, after.results.get('call')?.result]).toEqual([true, 'failure']);
  expect(plan(calling(await matrix(', fail-fast: false'), called), oneFailed, { open }).jobs).toEqual(['call:2/a']);
});

test('calls nest', async () => {
  const inner = leaf(await callable(`    outputs: {o: {value: "\${{ jobs.c.outputs.o }}"}}`, `  c: {${steps}}`), './inner');
  const middle = await callable(
    `    outputs: {o: {value: "\${{ jobs.m.outputs.o }}!"}}`,
    '  m: {uses: ./.github/workflows/inner.yml}',
  );
  const workflow = calling(await caller(''), { name: './middle', file: middle, called: new Map([['m', inner]]) });
  expect(plan(workflow).planned).toMatchObject([
    { id: 'call/m/c', name: 'call / m / c', calls: [{ key: 'call' }, { key: 'call/m' }] },
  ]);
  const over = plan(workflow, { 'call/m/c': { result: 'success', outputs: { o: '1' } } });
  expect(over.results.get('call')).toEqual({ result: 'success', outputs: { o: '1!' } });
});

test('inputs are of their types', async () => {
  const called = await callable(
    `    inputs: {flag: {type: boolean}, count: {type: number, default: 3}, text: {type: string, default: "\${{ vars.LEVEL }}"}}`,
    `  a: {${steps}}`,
  );
  const inputs = async (given: string) => {
    const job = (await caller(given && `    with: ${given}`)).jobs.get('call');
    return job && inputsOfCall(job, called, run);
  };
  expect(await inputs('')).toEqual({ flag: false, count: 3, text: 'high' });
  expect(await inputs('{flag: true, Count: 5, text: 7}')).toEqual({ flag: true, count: 5, text: '7' });
  expect(await inputs(`{flag: "\${{ vars.LEVEL == 'high' }}"}`)).toMatchObject({ flag: true });
  await expect(inputs('{flag: perhaps}')).rejects.toThrow('The value of the input flag is no boolean');
  await expect(inputs('{count: many}')).rejects.toThrow('The value of the input count is no number');
  await expect(inputs(`{text: "\${{ fromJSON('[]') }}"}`)).rejects.toThrow('The value of the input text is no string');
});

test('what doesn’t fit together is told with its line', async () => {
  const called = await callable(
    '    inputs: {who: {type: string, required: true}}\n    secrets: {key: {required: true}}',
    `  a: {${steps}}`,
  );
  const problems = async (given: string, to = called) => {
    const job = (await caller(given)).jobs.get('call');
    return job && problemsOfCall(job, to).map(({ message, line }) => `${line} ${message.replace(/^.*yml: /, '')}`);
  };
  expect(await problems('    with: {who: ada}\n    secrets: inherit')).toEqual([]);
  expect(await problems('    with: {WHO: ada}\n    secrets: {KEY: x}')).toEqual([]);
  expect(await problems('    with: {whom: ada}\n    secrets: {lock: x}')).toEqual([
    '4 Input whom is not defined in the workflow',
    '4 Input who is required, but not provided',
    '4 Secret lock is not defined in the workflow',
    '4 Secret key is required, but not provided',
  ]);
  expect(await problems('', await fileOf(`on: push\njobs:\n  a: {${steps}}`))).toEqual([
    '4 The workflow has no workflow_call trigger',
  ]);
});

test('a call waits for its turn in the group of its job, then in that of the called file, and holds both until it is over', async () => {
  const called = await callable(
    '    inputs: {to: {type: string}}',
    `  a: {${steps}}\n  b: {needs: a, ${steps}}\n  last: {needs: b, if: always(), ${steps}}\n` +
      `concurrency: {group: "to-\${{ inputs.to }}", cancel-in-progress: true}`,
  );
  const matrix = `    strategy: {fail-fast: false, matrix: {to: [x, y]}}\n    with: {to: "\${{ matrix.to }}"}\n`;
  const workflow = calling(
    await caller(`${matrix}    concurrency: "call-\${{ matrix.to }}"`, `\n  after: {needs: call, ${steps}}`),
    leaf(called),
  );
  const [waits, holds] = [
    { isHeld: false, isCancelled: false },
    { isHeld: true, isCancelled: false },
  ];
  const ofJobs = [
    { key: 'call:0', name: 'call (x)', group: 'call-x', cancelsInProgress: false },
    { key: 'call:1', name: 'call (y)', group: 'call-y', cancelsInProgress: false },
  ];
  const [ofX] = ofJobs;
  const xOfFile = { key: 'call:0/', name: 'call (x)', group: 'to-x', cancelsInProgress: true };
  expect(plan(workflow, {}, { leases: {} })).toMatchObject({
    jobs: [],
    leases: ofJobs,
    held: ['call:0/', 'call:1/'],
    isOver: false,
  });
  const second = { 'call:0': holds, 'call:1': waits };
  expect(plan(workflow, {}, { leases: second })).toMatchObject({ jobs: [], leases: [ofX, xOfFile, ofJobs[1]] });
  const begun = { ...second, 'call:0/': holds };
  const made = plan(workflow, {}, { leases: begun });
  expect(made).toMatchObject({ jobs: ['call:0/a'], leases: [ofX, xOfFile, ofJobs[1]], held: ['call:1/'] });
  expect(made.planned[0]?.calls).toMatchObject([{ waitsForTurn: true }]);
  expect(plan(workflow, { 'call:0/a': success }, { leases: begun }).jobs).toEqual(['call:0/b']);
  const over = { 'call:0/a': success, 'call:0/b': success, 'call:0/last': success };
  expect(plan(workflow, over, { leases: begun })).toMatchObject({ jobs: [], leases: [ofJobs[1]] });

  // One that another cancels keeps its groups until its jobs have ended; one that had not begun has a job that says so.
  const cancelled = { ...begun, 'call:0/': { isHeld: true, isCancelled: true } };
  const ending = plan(workflow, { 'call:0/a': success }, { leases: cancelled });
  expect(ending).toMatchObject({ jobs: ['call:0/b: cancelled', 'call:0/last'], leases: [ofX, xOfFile, ofJobs[1]] });
  const unbegun = { ...second, 'call:1': { isHeld: false, isCancelled: true } };
  const skipped = plan(workflow, over, { leases: unbegun });
  expect(skipped).toMatchObject({ jobs: ['call:1: cancelled', 'after: skipped'], leases: [], isOver: true });
  expect(skipped.planned[0]?.name).toBe('call (y)');
  expect(skipped.results.get('call')?.result).toBe('cancelled');
  const cancelledOne: JobResult = { result: 'cancelled', outputs: {} };
  expect(plan(workflow, { ...over, 'call:1': cancelledOne, after: cancelledOne }, { leases: {} })).toMatchObject({
    jobs: [],
    isOver: true,
  });
  // A run that is cancelled lets none wait on.
  expect(plan(workflow, {}, { leases: { 'call:0': waits, 'call:1': waits }, isCancelled: true }).jobs).toEqual([
    'call:0: cancelled',
    'call:1: cancelled',
    'after: skipped',
  ]);
});

test('a group that what leads to a job is in already fails the job, which would wait for itself', async () => {
  const called = await callable('', `  a: {concurrency: "Deploy", ${steps}}\n  b: {${steps}}`);
  const workflow = calling(await caller('    concurrency: deploy'), leaf(called));
  const held = { leases: { call: { isHeld: true, isCancelled: false } } };
  expect(plan(workflow, {}, held).jobs).toEqual(['call/a: failure', 'call/b']);
  const whole = calling(
    await fileOf(`on: push\nconcurrency: DEPLOY\njobs:\n  call: {uses: ./.github/workflows/x.yml}`),
    leaf(called),
  );
  expect(plan(whole, {}, held).jobs).toEqual(['call/a: failure', 'call/b']);
  const file = await callable('', `  a: {${steps}}\nconcurrency: deploy`);
  expect(plan(calling(await caller('    concurrency: deploy'), leaf(file)), {}, held).jobs).toEqual(['call: failure']);
});

test('secrets are handed on by name, or all of them', async () => {
  const secrets = async (given: string) => {
    const job = (await caller(given)).jobs.get('call');
    return job && secretsOfCall(job, { ...run, needs: {}, secrets: { KEY: 'k', OTHER: 'o' } });
  };
  expect(await secrets('')).toEqual({});
  expect(await secrets('    secrets: inherit')).toEqual({ KEY: 'k', OTHER: 'o' });
  expect(
    await secrets(
      `    secrets: {key: "\${{ secrets.KEY }}", none: "\${{ secrets.NONE }}", made: "\${{ secrets.OTHER }}-\${{ vars.LEVEL }}"}`,
    ),
  ).toEqual({ key: 'k', made: 'o-high' });
});

test('a called workflow may do no more than the job that calls it', async () => {
  const called = (permissions: string) =>
    callable('    inputs: {}', `  a: {${permissions === '' ? '' : `permissions: ${permissions}, `}${steps}}`);
  const permissions = async (outer: string, inner: string) => {
    const workflow = calling(await caller(outer), leaf(await called(inner)));
    const bounds = { byDefault: 'read', mayWrite: true } as const;
    const { token, identity } = permissionsOfCalled(workflow, [{ key: 'call' }], 'a', bounds);
    return [identity, ...Object.entries(token).map(([name, level]) => `${name}:${level}`)].join(' ');
  };
  expect(await permissions('', '')).toBe('none contents:read packages:read metadata:read');
  expect(await permissions('    permissions: {contents: read, id-token: write}', 'write-all')).toBe(
    'write contents:read metadata:read',
  );
  expect(await permissions('    permissions: write-all', '{issues: write}')).toBe('none issues:write metadata:read');
  expect(await permissions('    permissions: {issues: write, id-token: write}', '')).toBe('write issues:write metadata:read');
  expect(await permissions('    permissions: {}', 'write-all')).toBe('none metadata:read');
});

test('what is run again takes with it what needs it, at all levels', async () => {
  const called = leaf(await callable('    inputs: {}', `  a: {${steps}}\n  b: {needs: a, ${steps}}\n  c: {${steps}}`));
  const file = await caller(`    strategy: {matrix: {x: [1, 2]}}\n  after: {needs: call, ${steps}}\n  beside: {${steps}}`);
  const isBehind = keysBehind(calling(file, called), new Set(['call:0/a']));
  const keys = ['call:0/a', 'call:0/b', 'call:0/c', 'call:1/a', 'call:1/b', 'after', 'beside'];
  expect(keys.filter(isBehind)).toEqual(['call:0/b', 'after']);
});

test('one file is one name, whoever calls it', () => {
  expect(nameOfCalled(undefined, './.github/workflows/x.yml')).toBe('./.github/workflows/x.yml');
  expect(nameOfCalled('./a.yml', './b.yml')).toBe('./b.yml');
  expect(nameOfCalled(undefined, 'Acme/Tools/x.yml@V1')).toBe('acme/tools/x.yml@V1');
  expect(nameOfCalled('acme/tools/x.yml@V1', './y.yml')).toBe('acme/tools/y.yml@V1');
  expect(nameOfCalled(undefined, 'acme/tools')).toBeUndefined();
});

test.each<[Json, Json]>([
  ['plain inputs.who', 'plain inputs.who'],
  [`\${{ inputs.who }} and \${{inputs.count}}`, `\${{ 'it''s' }} and \${{3}}`],
  [`\${{ inputs.none }}`, `\${{ null }}`],
  [`\${{ format('}} inputs.who', Inputs.WHO) }}`, `\${{ format('}} inputs.who', 'it''s') }}`],
  [
    `\${{ github.event.inputs.who && inputs['who'] }}`,
    `\${{ github.event.inputs.who && fromJSON('{"who":"it''s","count":3}')['who'] }}`,
  ],
  [`\${{ 'a\nb' == inputs . who\n && inputs.count > 2 }}`, `\${{ 'a\nb' == 'it''s'\n && 3 > 2 }}`],
  [
    { if: 'inputs.count == 3', run: 'inputs.count' },
    { if: '3 == 3', run: 'inputs.count' },
  ],
  [
    [{ with: { 'a-${{ inputs.count }}': true, if: `\${{ inputs.count }}` } }],
    [{ with: { 'a-${{ 3 }}': true, if: `\${{ 3 }}` } }],
  ],
  [`\${{ inputs.who`, `\${{ inputs.who`],
])('inputs are written out for the runner: %j', (part, written) => {
  expect(inputWriter({ who: "it's", count: 3 })(part)).toEqual(written);
});
