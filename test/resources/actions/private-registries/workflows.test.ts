// Private registries in jobs of workflows: who gets them, what the runner gets, and what the API and the log show of it.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { selectRegistries } from '#resources/actions/private-registries/index.ts';
import { explainJob } from '#resources/actions/workflow-runs/index.ts';
import type { Client } from '#test/support/client.ts';
import { commitFiles } from '#test/support/commit.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { fresh, world } from '#test/support/world.ts';
import { namedRegistries } from '#workflow-files/private-registries.ts';
import { pushWorkflow } from '../workflow-runs/setting.ts';
import { sealed, setting } from './setting.ts';

const w = await world({ vocabulary: 'github' });

const workflow = (names: string) => `on: push
env: {PRIVATE_REGISTRIES: '${names}'}
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: npm ci
      - run: npm test
`;

/** An organization with an npm registry, and a repository of it. */
async function registrySetting({ isAllowed = true, visibility = 'all' } = {}) {
  const { owner, org, path } = await setting(w);
  const client = await w.as(owner);
  await client.post(path, {
    registry_type: 'npm_registry',
    url: 'https://npm.example/',
    visibility,
    ...(await sealed(client, org, 'moonlight')),
  });
  if (isAllowed) expect((await client.put(`${path}/workflow-access`, { enabled: true })).status).toBe(204);
  const repo = await w.repo(org, { by: owner });
  const base = `/repos/${org.login}/${repo.name}`;
  const jobs = async () => {
    const [run] = (await client.get(`${base}/actions/runs`)).body.workflow_runs;
    return (await client.get(`${base}/actions/runs/${run.id}/jobs`)).body.jobs;
  };
  return { owner, org, client, path, repo, base, jobs };
}

/** The log of a job, from the address to which the API leads. */
const logOf = async (client: Client, job: string): Promise<string> =>
  (await fetch((await client.get(`${job}/logs`)).headers.location ?? '')).text();

test('a job gets the registries that it names, and its steps keep their numbers', async () => {
  const { client, path, repo, base, jobs } = await registrySetting({ isAllowed: false });
  await client.put(`${path}/workflow-access`, { enabled: true });
  await pushWorkflow(w, repo, { '.github/workflows/ci.yml': workflow('npm_registry_secret') });
  const runner = await startRunner(w, repo);
  const task = await runner.fetch();
  if (!task) throw new Error('No job waits');
  const file = JSON.parse(Buffer.from(task.workflowPayload ?? []).toString());
  const { steps } = file.jobs.a;
  expect(steps.map(({ name, run }: { name?: string; run: string }) => name ?? run)).toEqual([
    'Set up private registries',
    'npm ci',
    'npm test',
    'Remove private registries',
  ]);
  expect(steps[0].env).toEqual({
    REGISTRY_FILE_1: `//npm.example/:_authToken=\${{ secrets.GITHUB_PRIVATE_REGISTRY_1 }}\n`,
  });
  expect(steps[3].if).toBe('always()');
  expect(task.secrets.GITHUB_PRIVATE_REGISTRY_1).toBe('moonlight');
  expect(JSON.stringify(file)).not.toContain('moonlight');

  await runner.log(task, ['set up', 'registries', 'installed by moonlight', 'tested', 'removed']);
  const rows = [1, 2, 3, 4].map((first) => ({ first, rows: 1 }));
  await runner.end(task, 'success', { steps: rows });
  await w.settle();
  const [job] = await jobs();
  expect(job.steps.map(({ name, conclusion }: { name: string; conclusion: string }) => [name, conclusion])).toEqual([
    ['Set up job', 'success'],
    ['Run npm ci', 'success'],
    ['Run npm test', 'success'],
    ['Complete job', 'success'],
  ]);
  const log = await logOf(client, `${base}/actions/jobs/${job.id}`);
  expect(log).toContain('installed by');
  expect(log).not.toContain('moonlight');
});

test.each([
  ['without the permission of its organization', { isAllowed: false }, 'npm_registry_secret', /doesn't allow workflows/],
  ['that its repository may not use', { visibility: 'private' }, 'npm_registry_secret', /no private registry/],
  ['that does not exist', {}, 'npm_registry_secret, PYTHON_INDEX_SECRET', /PYTHON_INDEX_SECRET/],
  ['by an expression', {}, `\${{ github.ref_name }}`, /without expressions/],
  ['beside 50 others', {}, Array.from({ length: 51 }, (_, at) => `R${at}`).join(), /lists more than 50 registries/],
])('a job that names a registry %s fails and says why', async (_, options, names, reason) => {
  const { org, repo, jobs, client, base } = await registrySetting(options);
  await pushWorkflow(w, repo, { '.github/workflows/ci.yml': workflow(names) });
  const [waiting] = await jobs();
  expect(
    await explainJob(
      w.db,
      { owner: org.login, name: repo.name, job: waiting.id },
      { now: w.clock.now, runsHosted: false, secrets: w.hearth.services.secrets },
    ),
  ).toMatchObject({ waits: true, message: expect.stringMatching(reason) });
  expect(await (await startRunner(w, repo)).fetch()).toBeUndefined();
  await w.settle();
  const [job] = await jobs();
  expect(job.conclusion).toBe('failure');
  const { body } = await client.get(`${base}/check-runs/${job.id}/annotations`);
  expect(JSON.stringify(body)).toMatch(reason);
});

test('a job that names no registry gets none', async () => {
  const { repo } = await registrySetting();
  await pushWorkflow(w, repo, { '.github/workflows/ci.yml': workflow('') });
  const task = await (await startRunner(w, repo)).fetch();
  expect(Object.keys(task?.secrets ?? {}).sort()).toEqual(['GITHUB_TOKEN']);
  expect(JSON.parse(Buffer.from(task?.workflowPayload ?? []).toString()).jobs.a.steps).toHaveLength(2);
});

test('organizations allow nothing by default, and only owners change that', async () => {
  const { member, owner, org, path } = await setting(w);
  const [asOwner, asMember] = [await w.as(owner), await w.as(member)];
  expect((await asOwner.get(`${path}/workflow-access`)).body).toEqual({ enabled: false });
  expect((await asMember.put(`${path}/workflow-access`, { enabled: true })).status).toBe(403);
  expect((await asOwner.put(`${path}/workflow-access`, {})).status).toBe(422);
  expect((await asOwner.put(`${path}/workflow-access`, { enabled: true })).status).toBe(204);
  expect((await asOwner.put(`${path}/workflow-access`, { enabled: false })).status).toBe(204);
  const repo = await w.repo(org, { by: owner });
  expect(await selectRegistries(w.db, w.hearth.services.secrets, repo, ['X'], { isForServer: false })).toMatchObject({
    granted: [],
    refused: [{ name: 'X' }],
  });
});

test('an address runs nothing in the added step', async () => {
  const { org, client, path, repo } = await registrySetting();
  const url = "https://go.example/';touch$IFS$MARK;'";
  const fields = { registry_type: 'goproxy_server', url, visibility: 'all', replaces_base: true };
  expect(await client.post(path, { ...fields, ...(await sealed(client, org, 'moonlight')) })).toMatchObject({ status: 201 });
  await pushWorkflow(w, repo, { '.github/workflows/ci.yml': workflow('GOPROXY_SERVER_SECRET') });
  const task = await (await startRunner(w, repo)).fetch();
  const [added] = JSON.parse(Buffer.from(task?.workflowPayload ?? []).toString()).jobs.a.steps;
  const folder = mkdtempSync(join(tmpdir(), 'hearth-registries-'));
  const variables = join(folder, 'variables');
  const mark = join(folder, 'mark');
  const env = { PATH: process.env.PATH, RUNNER_TEMP: folder, GITHUB_WORKSPACE: join(folder, 'work'), MARK: mark };
  execFileSync('sh', ['-c', added.run], { env: { ...env, GITHUB_ENV: variables, ...added.env } });
  expect(existsSync(mark)).toBe(false);
  expect(readFileSync(variables, 'utf8').split('\n')).toContain(`GOPROXY=${url}`);
});

test.each([
  ['', undefined],
  ['secrets: {TOKEN: x}', undefined],
  ['secrets: inherit', 'moonlight'],
])("a called workflow of somebody else gets registries only with all secrets: '%s'", async (passed, secret) => {
  const { repo, jobs } = await registrySetting();
  const other = await w.user(fresh('other'));
  const theirs = await w.repo(other, { name: fresh('theirs'), by: other, visibility: 'public' });
  const called = workflow('NPM_REGISTRY_SECRET').replace(
    'on: push',
    'on: {workflow_call: {secrets: {TOKEN: {required: false}}}}',
  );
  await commitFiles(w, theirs, { '.github/workflows/x.yml': called });
  const uses = `${other.login}/${theirs.name}/.github/workflows/x.yml@main`;
  const file = ['on: push', 'jobs:', '  call:', `    uses: ${uses}`, ...(passed ? [`    ${passed}`] : []), ''].join('\n');
  await pushWorkflow(w, repo, { '.github/workflows/ci.yml': file });
  const task = await (await startRunner(w, repo)).fetch();
  expect(task?.secrets.GITHUB_PRIVATE_REGISTRY_1).toBe(secret);
  await w.settle();
  const [job] = await jobs();
  expect(job.conclusion).toBe(secret ? null : 'failure');
});

test('the log of a job hides the secrets of registries that its organization has refused since', async () => {
  const { client, path, repo, base, jobs } = await registrySetting();
  await pushWorkflow(w, repo, { '.github/workflows/ci.yml': workflow('npm_registry_secret') });
  const runner = await startRunner(w, repo);
  const task = await runner.fetch();
  if (!task) throw new Error('No job waits');
  await client.put(`${path}/workflow-access`, { enabled: false });
  await runner.log(task, ['set up', 'installed by moonlight']);
  await runner.end(task, 'success');
  await w.settle();
  const [job] = await jobs();
  const log = await logOf(client, `${base}/actions/jobs/${job.id}`);
  expect(log).toContain('installed by');
  expect(log).not.toContain('moonlight');
});

test('a job names only so many registries', () => {
  const named = (count: number) =>
    namedRegistries({ env: { PRIVATE_REGISTRIES: Array.from({ length: count }, (_, at) => `R${at}`).join(',') } }, {});
  expect(named(50)).toHaveLength(50);
  expect(() => named(51)).toThrow('PRIVATE_REGISTRIES lists more than 50 registries');
});
