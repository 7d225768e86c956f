import { expect, test } from 'vitest';
import { analysers as checkAnalysers } from '#cli/doctor/analysers.ts';
import { explainSetup } from '#resources/actions/default-setups/index.ts';
import { loadNamedRepositories } from '#resources/repositories/repositories/index.ts';
import { sealed } from '#test/resources/actions/private-registries/setting.ts';
import type { Client } from '#test/support/client.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';
import { analysers, analysersFile, makeAnalysers, setupSetting } from './setting.ts';

const w = await world({ analysers: await analysersFile() });

async function setting(options: Parameters<typeof setupSetting>[1] = {}) {
  const here = await setupSetting(w, options);
  const explain = async (product: 'code_scanning' | 'code_quality' = 'code_scanning') => {
    await w.settle();
    const repository = (await loadNamedRepositories(w.db, [here.repo.id])).get(here.repo.id);
    if (!repository) throw new Error('The repository is missing');
    const { secrets } = w.hearth.services;
    const { steps, message } = await explainSetup(w.jobContext().scope, repository, product, { runsHosted: false, secrets });
    return { message, failed: steps.filter(({ passed }) => !passed).map(({ check }) => check), steps };
  };
  return { ...here, explain };
}

let operator: Client;
const scan = analysers.code_scanning.python;

test('the doctor names analysers that are missing, or can not be called', async () => {
  const check = () => checkAnalysers(w, w.clock.now);
  const lint = analysers.code_scanning['javascript-typescript'];
  expect(await check()).toMatchObject({
    check: 'analysers',
    ok: false,
    detail: expect.stringContaining(`5 analysers; code_scanning.python (${scan}): there is no such repository; code_scanning.go`),
  });
  operator = await makeAnalysers(w, { '.github/workflows/lint.yml': 'on: push\njobs: {a: {runs-on: x, steps: [{run: x}]}}' });
  const none = 'The workflow was not found, or its repository does not share it';
  const notCalled = `${lint}: The workflow has no workflow_call trigger`;
  expect(await check()).toMatchObject({
    ok: false,
    detail:
      `5 analysers; code_scanning.javascript-typescript (${lint}): ${notCalled}; ` +
      `code_scanning.ruby (${analysers.code_scanning.ruby}): ${analysers.code_scanning.ruby}: ${none}; ` +
      `code_quality.javascript-typescript (${lint}): ${notCalled}`,
  });
});

test('it is told what a setup analyses, or why nothing runs', async () => {
  const { client, base, repo, configure, explain } = await setting();
  expect(await explain()).toMatchObject({ message: 'it is not configured', failed: ['setup'] });
  expect((await configure({ runner_type: 'labeled', runner_label: 'scans' })).status).toBe(202);
  const waiting = await explain();
  expect(waiting.steps.slice(0, 4)).toEqual([
    { check: 'setup', passed: true, because: 'it is configured since 2026-01-01T00:00:00Z' },
    { check: 'languages', passed: true, because: 'it analyses python' },
    { check: 'workflows', passed: true, because: 'workflows are enabled for the repository' },
    { check: 'analyser', passed: true, because: `python is analysed by ${scan}` },
  ]);
  expect(waiting.message).toBe('neither the repository nor its organization has a runner');
  await startRunner(w, repo);
  expect((await explain()).message).toBe('0 of 1 runners have the labels scans');
  const runner = await startRunner(w, repo, { name: 'scanner', labels: ['scans'] });
  const task = await runner.fetch();
  if (!task) throw new Error('No job waits');
  await runner.end(task, 'failure');
  const [run] = (await client.get(`${base}/actions/runs`)).body.workflow_runs;
  expect((await explain()).message).toBe(`run ${run.id} of 2026-01-01T00:00:00Z: failure`);
  await client.put(`${base}/actions/permissions`, { enabled: true, allowed_actions: 'local_only' });
  expect(await explain()).toMatchObject({ failed: ['analyser', 'latest run'], message: expect.stringContaining(`${scan}: `) });
  await client.put(`${base}/actions/permissions`, { enabled: false });
  expect(await explain()).toMatchObject({ message: 'workflows are disabled for the repository' });
});

test('languages without an analyser are named, as is an empty default branch', async () => {
  const { org, owner, client, explain } = await setting({ files: { 'Main.java': 'a' } });
  const empty = await setting({ files: {}, org, owner });
  const at = `/orgs/${org.login}/code-security/configurations`;
  const wanted = { name: 'All', description: 'x', code_scanning_default_setup: 'enabled' };
  const { body } = await client.post(at, wanted);
  expect((await client.post(`${at}/${body.id}/attach`, { scope: 'all' })).status).toBe(202);
  expect(await explain()).toMatchObject({
    failed: ['languages'],
    message:
      'none of its languages has an analyser (it has java-kotlin; analysers: python, go, javascript-typescript, ruby). ' +
      'The operator of the server names analysers by HEARTH_ANALYSERS.',
  });
  expect(await empty.explain()).toMatchObject({ message: 'its default branch has no commits' });
  expect(await explain('code_quality')).toMatchObject({ message: 'it is not configured' });
});

test('registries that the jobs of a setup do not get are named, and nothing stops', async () => {
  const { client, org, configure, explain } = await setting();
  const fields = { registry_type: 'pub_repository', url: 'https://pub.example/', visibility: 'all' };
  const secret = await sealed(client, org, 'moonlight');
  expect((await client.post(`/orgs/${org.login}/private-registries`, { ...fields, ...secret })).status).toBe(201);
  expect((await configure()).status).toBe(202);
  const { steps, message } = await explain();
  expect(steps.find(({ check }) => check === 'private registry')).toMatchObject({
    passed: undefined,
    because: expect.stringMatching(/^its jobs get no PUB_REPOSITORY_SECRET: .* are stored, and no job can use them/),
  });
  expect(message).toBe('neither the repository nor its organization has a runner');
});

test('an analyser that is gone makes failed runs, which say why', async () => {
  const { client, base, configure, explain } = await setting();
  expect((await configure()).status).toBe(202);
  await w.settle();
  const file = '/repos/scans/analysers/contents/.github/workflows/scan.yml';
  const { sha } = (await operator.get(file)).body;
  expect((await operator.delete(file, { message: 'Remove', sha })).status).toBe(200);
  await client.put(`${base}/contents/b.py`, { message: 'More', content: 'eA==' });
  await w.settle();
  const [run] = (await client.get(`${base}/actions/runs`)).body.workflow_runs;
  expect(run).toMatchObject({ conclusion: 'startup_failure', display_title: 'Code scanning: push to main' });
  const none = 'The workflow was not found, or its repository does not share it';
  expect((await explain()).message).toBe(`${scan}: ${none}`);
});
