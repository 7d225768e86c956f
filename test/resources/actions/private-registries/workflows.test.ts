// Private registries in jobs of workflows: who gets them, what the runner gets, and what the API and the log show of it.
import { expect, test } from 'vitest';
import { selectRegistries } from '#resources/actions/private-registries/index.ts';
import { explainJob } from '#resources/actions/workflow-runs/index.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';
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
  const log = await client.get(`${base}/actions/jobs/${job.id}/logs`);
  expect(JSON.stringify(log.body ?? log)).not.toContain('moonlight');
});

test.each([
  ['without the permission of its organization', { isAllowed: false }, 'npm_registry_secret', /doesn't allow workflows/],
  ['that its repository may not use', { visibility: 'private' }, 'npm_registry_secret', /no private registry/],
  ['that does not exist', {}, 'npm_registry_secret, PYTHON_INDEX_SECRET', /PYTHON_INDEX_SECRET/],
  ['by an expression', {}, `\${{ github.ref_name }}`, /without expressions/],
])('a job that names a registry %s fails and says why', async (_, options, names, reason) => {
  const { org, repo, jobs, client, base } = await registrySetting(options);
  await pushWorkflow(w, repo, { '.github/workflows/ci.yml': workflow(names) });
  const [waiting] = await jobs();
  if (!names.includes('{'))
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
  expect(await selectRegistries(w.db, w.hearth.services.secrets, repo, ['X'])).toMatchObject({
    granted: [],
    refused: [{ name: 'X' }],
  });
});
