import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import type { RepositoryRow } from '#access/viewer.ts';
import { startRunner, type TestRunner } from '#test/support/runner-client.ts';
import { sealedFor } from '#test/support/sealed.ts';
import { world } from '#test/support/world.ts';
import { pushWorkflow } from '../setting.ts';

const w = await world({ resourceLimits: { workflows: { poll: 100 } } });
const folder = '.github/workflows';

const callee = `on:
  workflow_call:
    inputs:
      size: {type: number, default: 2}
    secrets:
      key: {required: true}
    outputs:
      made: {value: "\${{ jobs.build.outputs.made }}"}
permissions: {contents: read, id-token: write, issues: write}
env: {SIZE: "\${{ inputs.size }}"}
jobs:
  build:
    runs-on: ubuntu-latest
    outputs:
      made: it
    steps:
      - run: make \${{ inputs.size }}
        if: inputs.size > 1
  test:
    needs: build
    environment: staging
    runs-on: ubuntu-latest
    steps:
      - run: test
`;

type Task = NonNullable<Awaited<ReturnType<TestRunner['fetch']>>>;

async function setting(files: { [name: string]: string }, { visibility }: { visibility?: RepositoryRow['visibility'] } = {}) {
  const ada = await w.user();
  const org = await w.org(ada);
  const repo = await w.repo(org, { by: ada, ...(visibility && { visibility }) });
  const client = await w.as(ada);
  const base = `/repos/${org.login}/${repo.name}`;
  const push = (to: RepositoryRow, of: { [name: string]: string }) =>
    pushWorkflow(w, to, Object.fromEntries(Object.entries(of).map(([name, content]) => [`${folder}/${name}`, content])));
  const secret = async (path: string, name: string, value: string) =>
    client.put(`${path}/${name}`, await sealedFor(client, `${path}/public-key`, value));
  const other = async (more: { visibility?: RepositoryRow['visibility'] } = {}) => w.repo(org, { by: ada, ...more });
  const run = async () => (await client.get(`${base}/actions/runs`)).body.workflow_runs[0];
  const jobs = async () =>
    (await client.get(`${base}/actions/runs/${(await run()).id}/jobs`)).body.jobs.map(
      ({ name, status, conclusion }: { name: string; status: string; conclusion: string | null }) =>
        `${name}: ${conclusion ?? status}`,
    );
  const commit = Object.keys(files).length > 0 ? await push(repo, files) : '';
  return { ada, org, repo, client, base, push, secret, other, run, jobs, commit };
}

const next = async (runner: TestRunner): Promise<Task> => {
  const task = await runner.fetch();
  if (!task) throw new Error('No job');
  return task;
};
const payloadOf = ({ workflowPayload }: Task) => JSON.parse(Buffer.from(workflowPayload ?? []).toString());

test('a workflow is called in the same commit: with inputs, secrets, outputs, an identity of its own, and run again', async () => {
  const { repo, org, base, client, secret, run, jobs, push } = await setting({});
  await secret(`${base}/actions/secrets`, 'KEY', 'the key');
  await secret(`${base}/actions/secrets`, 'HIDDEN', 'from it');
  await client.put(`${base}/environments/staging`, {});
  await secret(`${base}/environments/staging/secrets`, 'STAGE', 'of staging');
  const commit = await push(repo, {
    'called.yml': callee,
    'ci.yml': `name: CI
on: push
permissions: {contents: read, id-token: write}
jobs:
  call:
    uses: ./.github/workflows/called.yml
    with: {size: 3}
    secrets: {key: "\${{ secrets.KEY }}-\${{ secrets.GITHUB_TOKEN != '' }}"}
  after:
    needs: call
    runs-on: ubuntu-latest
    steps:
      - run: echo \${{ needs.call.outputs.made }}
`,
  });
  expect(await jobs()).toEqual(['call / build: queued']);
  const path = `${org.login}/${repo.name}/${folder}/called.yml`;
  expect((await run()).referenced_workflows).toEqual([{ path: `${path}@${commit}`, sha: commit, ref: 'refs/heads/main' }]);

  const runner = await startRunner(w, repo);
  const build = await next(runner);
  expect(payloadOf(build)).toMatchObject({
    name: 'CI',
    env: { SIZE: `\${{ 3 }}` },
    jobs: { build: { name: 'call / build', steps: [{ if: '3 > 1' }] } },
  });
  const { GITHUB_TOKEN, ...secrets } = build.secrets;
  expect(secrets).toEqual({ key: 'the key-true' });
  expect(build.context).toMatchObject({ job: 'build', event_name: 'push', workflow: 'CI' });
  const { url, token } = {
    url: String(build.context?.actions_id_token_request_url),
    token: String(build.context?.actions_id_token_request_token),
  };
  const reply = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  expect(decodeJwt(((await reply.json()) as { value: string }).value)).toMatchObject({
    workflow_ref: `${org.login}/${repo.name}/${folder}/ci.yml@refs/heads/main`,
    job_workflow_ref: `${path}@refs/heads/main`,
    job_workflow_sha: commit,
  });
  // The caller allows no more than reading.
  const asJob = await w.as(GITHUB_TOKEN ?? '');
  expect((await asJob.post(`${base}/issues`, { title: 'x' })).status).toBe(403);
  await runner.end(build, 'success', { outputs: { made: 'it' } });

  const tested = await next(runner);
  expect(tested.needs).toMatchObject({ build: { outputs: { made: 'it' } } });
  expect(tested.secrets).toMatchObject({ key: 'the key-true', STAGE: 'of staging' });
  expect(Object.keys(tested.secrets)).not.toContain('HIDDEN');
  await runner.end(tested, 'failure');
  expect(await jobs()).toEqual(['call / build: success', 'call / test: failure', 'after: skipped']);
  expect(await run()).toMatchObject({ status: 'completed', conclusion: 'failure' });

  await client.post(`${base}/actions/runs/${(await run()).id}/rerun-failed-jobs`);
  await runner.end(await next(runner), 'success');
  const after = await next(runner);
  expect(after.needs).toMatchObject({ call: { outputs: { made: 'it' } } });
  await runner.end(after, 'success');
  expect(await run()).toMatchObject({ conclusion: 'success', run_attempt: 2 });
});

test('a workflow of another repository is called where that shares it, and keeps its commit', async () => {
  const { client, repo, org, push, other, run, jobs } = await setting({}, { visibility: 'private' });
  const tools = await other({ visibility: 'private' });
  const named = `${org.login}/${tools.name}/${folder}/called.yml@main`;
  const caller = `on: push\njobs:\n  call:\n    strategy: {matrix: {x: [1, 2]}}\n    uses: ${named}\n    secrets: inherit\n`;
  const commit = await push(tools, {
    'called.yml': callee
      .replace('needs: build\n', 'needs: [build, more]\n')
      .concat('  more: {uses: ./.github/workflows/more.yml}\n'),
    'more.yml': 'on: workflow_call\njobs:\n  one: {runs-on: ubuntu-latest, steps: [{run: x}]}\n',
  });
  await push(repo, { 'ci.yml': caller });
  expect(await run()).toMatchObject({ conclusion: 'startup_failure', referenced_workflows: [] });
  await client.put(`/repos/${org.login}/${tools.name}/actions/permissions/access`, { access_level: 'organization' });
  await push(repo, { 'ci.yml': `${caller}# again\n` });
  expect(await jobs()).toEqual([1, 2].flatMap((x) => [`call (${x}) / build: queued`, `call (${x}) / more / one: queued`]));
  const file = (name: string) => ({
    path: `${org.login}/${tools.name}/${folder}/${name}@main`,
    sha: commit,
    ref: 'refs/heads/main',
  });
  expect((await run()).referenced_workflows).toEqual([file('called.yml'), file('more.yml')]);
  // One that fails stops the other call of the matrix.
  const runner = await startRunner(w, repo);
  await runner.end(await next(runner), 'failure');
  expect(await jobs()).toEqual(
    expect.arrayContaining(['call (1) / build: failure', 'call (2) / build: cancelled', 'call (2) / more / one: cancelled']),
  );
});

test('what can’t be called fails the run, and says why', async () => {
  const { repo, org, push, other, base, client, run } = await setting({});
  const hidden = await other({ visibility: 'private' });
  await push(hidden, { 'x.yml': 'on: workflow_call\njobs:\n  a: {runs-on: any, steps: [{run: x}]}\n' });
  const problems = async (files: { [name: string]: string }) => {
    await push(repo, files);
    expect(await run()).toMatchObject({ conclusion: 'startup_failure' });
    const { check_suite_id } = await run();
    const { check_runs } = (await client.get(`${base}/check-suites/${check_suite_id}/check-runs`)).body;
    return check_runs[0].output.summary.split('\n');
  };
  const call = (uses: string, more = '') => `on: [push, workflow_call]\njobs:\n  call:\n    uses: ${uses}${more}\n`;
  const notFound = 'The workflow was not found, or its repository does not share it';
  const of = `${org.login}/${hidden.name}/${folder}/x.yml@main`;
  expect(await problems({ 'ci.yml': call('./.github/workflows/none.yml') })).toEqual([
    `Line 4: ./.github/workflows/none.yml: ${notFound}`,
  ]);
  expect(await problems({ 'ci.yml': call(of) })).toEqual([`Line 4: ${of}: ${notFound}`]);
  expect(await problems({ 'ci.yml': call('./.github/workflows/ci.yml') })).toEqual([
    'Line 4: ./.github/workflows/ci.yml: Workflows must not call one another in a circle',
  ]);
  expect(await problems({ 'ci.yml': call('./other/x.yml') })).toEqual([
    expect.stringMatching('A called workflow must be a file of the folder for workflows'),
  ]);
  const chain = Object.fromEntries(
    Array.from({ length: 10 }, (_, at) => [`c${at}.yml`, call(`./.github/workflows/c${at + 1}.yml`).replace('push, ', '')]),
  );
  const last = 'on: workflow_call\njobs:\n  a: {runs-on: any, steps: [{run: x}]}\n';
  const long = { ...chain, 'c10.yml': last, 'ci.yml': call('./.github/workflows/c0.yml') };
  expect(await problems(long)).toEqual([
    expect.stringMatching('c9.yml: Workflows must not call one another over more than 10 levels'),
  ]);
  await push(repo, { ...long, 'ci.yml': call('./.github/workflows/c2.yml') });
  expect(await run()).toMatchObject({ status: 'queued' });

  await client.put(`${base}/actions/permissions`, { enabled: true, allowed_actions: 'local_only' });
  expect(
    await problems({
      'ci.yml': call('./.github/workflows/y.yml'),
      'y.yml': last.replace('run: x', 'uses: elsewhere/tool@v1'),
    }),
  ).toEqual([expect.stringMatching(/^Line 4: .*y\.yml@[0-9a-f]+: elsewhere\/tool@v1: .* isn't allowed/)]);
});

test('a job begins if its actions are public, shared with it or its own, by former names as well', async () => {
  const { org, repo, client, other, push, jobs } = await setting({}, { visibility: 'private' });
  const [open, shared] = [await other(), await other({ visibility: 'private' })];
  const access = (access_level: string) =>
    client.put(`/repos/${org.login}/${shared.name}/actions/permissions/access`, { access_level });
  await access('organization');
  await client.patch(`/repos/${org.login}/${open.name}`, { name: `${open.name}-now` });
  const uses = [open, shared, repo, shared].map(({ name }) => `      - uses: ${org.login}/${name}@main\n`).join('');
  const file = { 'ci.yml': `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${uses}` };
  const runner = await startRunner(w, repo);
  await push(repo, file);
  const task = await runner.fetch();
  if (task) await runner.end(task, 'success');
  expect(await jobs()).toEqual(['a: success']);
  await access('none');
  await push(repo, file);
  expect(await runner.fetch()).toBeUndefined();
  expect(await jobs()).toEqual(['a: failure']);
});

test('an action that is nowhere fails its job, and says so at its line', async () => {
  const { repo, client, base, run, jobs } = await setting({
    'ci.yml': 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: x\n      - uses: none/at-all@v1\n',
  });
  expect(await (await startRunner(w, repo)).fetch()).toBeUndefined();
  expect(await jobs()).toEqual(['a: failure']);
  const { check_runs } = (await client.get(`${base}/check-suites/${(await run()).check_suite_id}/check-runs`)).body;
  expect(check_runs[0].output.summary).toMatch(/^none\/at-all@v1 was not found: this server has no such repository/);
  const { body: annotations } = await client.get(`${base}/check-runs/${check_runs[0].id}/annotations`);
  expect(annotations).toMatchObject([{ path: `${folder}/ci.yml`, start_line: 7, annotation_level: 'failure' }]);
});
