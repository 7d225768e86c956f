import { expect, test } from 'vitest';
import { changeIn } from '#endpoint/change-in.ts';
import { createRun, prepareDynamicRun } from '#resources/actions/workflow-runs/index.ts';
import { loadNamedRepositories } from '#resources/repositories/repositories/index.ts';
import { sealed, setting } from '#test/resources/actions/private-registries/setting.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { sealedFor } from '#test/support/sealed.ts';
import { world } from '#test/support/world.ts';
import { pushWorkflow } from '../setting.ts';

const w = await world();

const content = `name: Example
on: workflow_dispatch
permissions: {contents: read}
env: {PRIVATE_REGISTRIES: NPM_REGISTRY_SECRET}
jobs:
  update:
    runs-on: ubuntu-latest
    steps:
      - run: npm update
`;

/** A repository of an organization whose registry no workflow of a repository may use, and a run that the server creates. */
async function dynamicSetting({ isForBranch = false } = {}) {
  const { owner, org, path } = await setting(w);
  const client = await w.as(owner);
  const registry = { registry_type: 'npm_registry', url: 'https://npm.example/', visibility: 'all' };
  expect(await client.post(path, { ...registry, ...(await sealed(client, org, 'moonlight')) })).toMatchObject({ status: 201 });
  const row = await w.repo(org, { by: owner });
  const base = `/repos/${org.login}/${row.name}`;
  const key = await sealedFor(client, `${base}/actions/secrets/public-key`, 'hidden');
  expect(await client.put(`${base}/actions/secrets/DEPLOY_KEY`, key)).toMatchObject({ status: 201 });
  const sha = await pushWorkflow(w, row, { 'package.json': '{}' });
  const repository = (await loadNamedRepositories(w.db, [row.id])).get(row.id);
  if (!repository) throw new Error('The repository is missing');
  const create = async () => {
    const { scope } = w.jobContext();
    const run = await prepareDynamicRun(scope, {
      repository,
      workflow: 'example/updates',
      content,
      title: 'Update left-pad',
      sha,
      branch: 'main',
      isForBranch,
      actor: owner.id,
    });
    if (!run) throw new Error('The commit is missing');
    return changeIn(scope, (scope) => createRun(scope, run));
  };
  return { client, base, row, sha, create };
}

test('a workflow of the server runs with registries, but without secrets of the repository', async () => {
  const { client, base, row, sha, create } = await dynamicSetting();
  await create();
  const { body } = await client.get(`${base}/actions/runs`);
  expect(body.workflow_runs).toMatchObject([
    { event: 'dynamic', path: 'dynamic/example/updates', name: 'Example', display_title: 'Update left-pad', head_sha: sha },
  ]);
  const runner = await startRunner(w, row);
  const task = await runner.fetch();
  if (!task) throw new Error('No job waits');
  expect(Object.keys(task.secrets).sort()).toEqual(['GITHUB_PRIVATE_REGISTRY_1', 'GITHUB_TOKEN']);
  expect(task.context).toMatchObject({ event_name: 'dynamic', ref: '', sha });
  await runner.end(task, 'success');
  await w.settle();
  expect((await client.get(`${base}/actions/runs`)).body.workflow_runs).toMatchObject([{ conclusion: 'success' }]);
});

test('its runs are one workflow, which settings enable', async () => {
  const { client, base, create } = await dynamicSetting({ isForBranch: true });
  await create();
  await create();
  const { body } = await client.get(`${base}/actions/workflows`);
  expect(body.workflows).toMatchObject([{ name: 'Example', path: 'dynamic/example/updates', state: 'active' }]);
  const [{ id, html_url }] = body.workflows;
  expect(html_url).toMatch(/\/actions\/workflows\/dynamic\/example\/updates$/);
  expect((await client.get(`${base}/actions/workflows/${id}/runs`)).body.workflow_runs).toMatchObject([
    { run_number: 2 },
    { run_number: 1 },
  ]);
  const message = 'Settings of the repository decide whether this workflow runs';
  expect(await client.put(`${base}/actions/workflows/${id}/disable`)).toMatchObject({ status: 422, body: { message } });
  const dispatched = await client.post(`${base}/actions/workflows/${id}/dispatches`, { ref: 'main' });
  expect(dispatched).toMatchObject({ status: 422 });
});

test('a push leaves the workflow of the server as it is', async () => {
  const { client, base, row, create } = await dynamicSetting();
  await create();
  await pushWorkflow(w, row);
  const { body } = await client.get(`${base}/actions/workflows`);
  expect(body.workflows).toMatchObject([{ path: 'dynamic/example/updates', state: 'active' }, { state: 'active' }]);
});
