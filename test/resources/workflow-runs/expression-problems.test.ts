// Expressions that can't be evaluated are problems of their run, job or step: whatever stands beside them goes on.
import { expect, test } from 'vitest';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';
import { pushWorkflow } from './setting.ts';

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
