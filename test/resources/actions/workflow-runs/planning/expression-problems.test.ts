// Expressions that can't be evaluated, and jobs that hold too much, are problems of their run, job or step: whatever stands
// beside them goes on.
import { expect, test } from 'vitest';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';
import { pushWorkflow } from '../setting.ts';

const w = await world({ vocabulary: 'github' });

const hundred = (inner: string) => `format('${'{0}'.repeat(100)}', ${inner})`;

const wrong = {
  'an empty text as JSON': `fromJSON(github.head_ref)`,
  'a format of too few values': `format(github.ref_name == 'main' && '{9}', 'a')`,
  'a value that is too large, in an index': `github[${hundred(hundred('toJSON(github.event)'))}]`,
};

async function setting(files: { [path: string]: string }) {
  const ada = await w.user();
  const repo = await w.repo(ada);
  const client = await w.as(ada);
  const base = `/repos/${ada.login}/${repo.name}`;
  const commit = await pushWorkflow(w, repo, files);
  const runs = async () => (await client.get(`${base}/actions/runs`)).body.workflow_runs;
  const checks = async () => (await client.get(`${base}/commits/${commit}/check-runs`)).body.check_runs;
  return { repo, client, base, runs, checks };
}

const job = `jobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: [{run: x}]\n`;

test('a name of a run that can’t be evaluated fails the run, and the other files of the push run', async () => {
  const expressions = Object.values(wrong).map((expression, at) => [`.github/workflows/a${at}.yml`, expression] as const);
  const files = expressions.map(([path, expression]) => [path, `on: push\nrun-name: "\${{ ${expression} }}"\n${job}`] as const);
  const { runs, checks } = await setting({
    ...Object.fromEntries(files),
    '.github/workflows/z.yml': `name: Good\non: push\n${job}`,
  });
  const found: { name: string; conclusion: string | null }[] = await runs();
  expect(found).toHaveLength(4);
  expect(found.filter(({ conclusion }) => conclusion === 'startup_failure')).toHaveLength(3);
  expect(found.find(({ name }) => name === 'Good')).toMatchObject({ conclusion: null });
  const summaries = (await checks()).map(({ output }: { output: { summary: string | null } }) => output.summary);
  expect(summaries).toContainEqual(expect.stringContaining('fromJSON was given an empty text'));
  expect(summaries).toContainEqual(expect.stringContaining('too many steps'));
  expect(summaries).toContainEqual(expect.stringContaining('references more arguments than were supplied'));
});

test('a matrix that can’t be evaluated fails its job, and the job before it ends', async () => {
  const { repo, client, base, runs, checks } = await setting({
    '.github/workflows/ci.yml': `on: push
jobs:
  a:
    runs-on: ubuntu-latest
    outputs: {x: ''}
    steps: [{run: x}]
  b:
    needs: a
    strategy: {matrix: "\${{ fromJSON(needs.a.outputs.x) }}"}
    runs-on: ubuntu-latest
    steps: [{run: x}]
`,
  });
  const runner = await startRunner(w, repo);
  const task = await runner.fetch();
  if (!task) throw new Error('No job');
  await runner.end(task, 'success', { outputs: { x: '' } });
  await w.settle();
  expect((await client.get(`${base}/actions/jobs/${task.id}`)).body).toMatchObject({ conclusion: 'success' });
  expect((await runs())[0]).toMatchObject({ status: 'completed', conclusion: 'failure' });
  const check = (await checks()).find(({ name }: { name: string }) => name === 'b');
  expect(check).toMatchObject({ conclusion: 'failure', output: { annotations_count: 1 } });
  expect(check.output.summary).toContain('fromJSON was given an empty text');
});

test('a name of a step that can’t be evaluated stays as it is written, and the job goes to its runner', async () => {
  const names = Object.values(wrong).map((expression) => `Step \${{ ${expression} }}`);
  const steps = names.map((name) => `      - name: ${JSON.stringify(name)}\n        run: x\n`);
  const { repo, client, base } = await setting({
    '.github/workflows/ci.yml': `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${steps.join('')}`,
  });
  const task = await (await startRunner(w, repo)).fetch();
  const { body } = await client.get(`${base}/actions/jobs/${task?.id}`);
  const shown = body.steps.map(({ name }: { name: string }) => name);
  expect(shown.slice(1, -1)).toEqual(names);
});

test('a job whose inputs are too large for a runner fails, and the next one goes to its runner', async () => {
  const called = (mentions: number) => `on: {workflow_call: {inputs: {a: {type: string}}}}
jobs:
  b:
    runs-on: ubuntu-latest
    steps:
      - run: ${JSON.stringify(`\${{ inputs.a }}`.repeat(mentions))}
`;
  const call = (name: string) => `{uses: ./.github/workflows/${name}.yml, with: {a: ${'x'.repeat(60_000)}}}`;
  const { repo, checks } = await setting({
    '.github/workflows/large.yml': called(100),
    '.github/workflows/small.yml': called(2),
    '.github/workflows/ci.yml': `on: push\njobs:\n  first: ${call('large')}\n  second: ${call('small')}\n`,
  });
  const task = await (await startRunner(w, repo)).fetch();
  const found = await checks();
  expect(found.find(({ name }: { name: string }) => name === 'first / b')).toMatchObject({
    conclusion: 'failure',
    output: { summary: expect.stringContaining('more than 4 MiB') },
  });
  expect(found.find(({ name }: { name: string }) => name === 'second / b')).toMatchObject({ id: Number(task?.id) });
});

test('names of runs and jobs are cut, and a run whose jobs hold too much fails', async () => {
  const matrix = `strategy: {matrix: {x: [${Array.from({ length: 100 }, (_, at) => at).join(', ')}]}}`;
  const long = (length: number) => `\${{ format('${'{0}'.repeat(length / 40)}', github.sha) }}`;
  const { runs, checks, client, base } = await setting({
    '.github/workflows/large.yml':
      `on: push\njobs:\n  a:\n    ${matrix}\n` + `    runs-on: ${'l'.repeat(60_000)}\n    steps: [{run: x}]\n`,
    '.github/workflows/long.yml':
      `name: ${'n'.repeat(5_000)}\non: push\nrun-name: "${long(20_000)}"\njobs:\n  a:\n    name: ${'j'.repeat(5_000)}\n` +
      '    runs-on: x\n    steps: [{run: x}]\n',
  });
  const found: { id: number; path: string; name: string; display_title: string; conclusion: string | null }[] = await runs();
  const cut = found.find(({ path }) => path.endsWith('long.yml'));
  expect([cut?.name.length, cut?.display_title.length]).toEqual([1_024, 1_024]);
  expect(found.find(({ path }) => path.endsWith('large.yml'))).toMatchObject({ conclusion: 'startup_failure' });
  const { jobs } = (await client.get(`${base}/actions/runs/${cut?.id}/jobs`)).body;
  expect(jobs.map(({ name }: { name: string }) => name.length)).toEqual([1_024]);
  const summaries = (await checks()).map(({ output }: { output: { summary: string | null } }) => output.summary);
  expect(summaries).toContainEqual(expect.stringContaining('more than 4 MiB'));
});
