// What jobs may do: those that look for updates, and those of workflows that the bot's pull requests start.
import { expect, test } from 'vitest';
import { explainJob } from '#resources/actions/workflow-runs/index.ts';
import { sealed } from '#test/resources/actions/private-registries/setting.ts';
import { lockOf } from '#test/resources/security/dependency-alerts/setting.ts';
import { sealedFor } from '#test/support/sealed.ts';
import { botSetting, botWorld, lockPath, updateOfLeft } from './setting.ts';

const w = await botWorld();

test('the token of a search reads what the organization lets the bot read, and changes nothing', async () => {
  const { put, runner, client, base, org, owner } = await botSetting(w);
  const [shared, hidden] = [
    await w.repo(org, { visibility: 'private', by: owner }),
    await w.repo(org, { visibility: 'private', by: owner }),
  ];
  const access = { repository_ids_to_add: [shared.id] };
  expect((await client.patch(`/orgs/${org.login}/dependabot/repository-access`, access)).status).toBe(204);
  await client.patch(base, { private: true });
  await put(lockPath, lockOf({ left: '1.1.0' }));
  const task = await runner.fetch();
  const job = await w.as(task?.secrets.GITHUB_TOKEN ?? '');
  expect((await job.get(base)).status).toBe(200);
  expect((await job.get(`/repos/${org.login}/${shared.name}`)).status).toBe(200);
  expect((await job.get(`/repos/${org.login}/${hidden.name}`)).status).toBe(404);
  for (const name of [base, `/repos/${org.login}/${shared.name}`])
    expect((await job.put(`${name}/contents/x`, { message: 'x', content: '' })).status).toBe(403);
  expect((await job.post(`${base}/issues`, { title: 'x' })).status).toBe(403);
});

test('with the default level internal, a search reads the internal repositories of the organization', async () => {
  const { put, runner, client, org, owner } = await botSetting(w);
  const internal = await w.repo(org, { visibility: 'internal', by: owner });
  const hidden = await w.repo(org, { visibility: 'private', by: owner });
  const level = { default_level: 'internal' };
  expect((await client.put(`/orgs/${org.login}/dependabot/repository-access/default-level`, level)).status).toBe(204);
  await put(lockPath, lockOf({ left: '1.1.0' }));
  const job = await w.as((await runner.fetch())?.secrets.GITHUB_TOKEN ?? '');
  expect((await job.get(`/repos/${org.login}/${internal.name}`)).status).toBe(200);
  expect((await job.get(`/repos/${org.login}/${hidden.name}`)).status).toBe(404);
});

test('a runner of the repository reads no other repositories', async () => {
  const { put, runner, client, org, owner } = await botSetting(w, { isOnRepositoryRunner: true });
  const shared = await w.repo(org, { visibility: 'private', by: owner });
  await client.patch(`/orgs/${org.login}/dependabot/repository-access`, { repository_ids_to_add: [shared.id] });
  await put(lockPath, lockOf({ left: '1.1.0' }));
  const job = await w.as((await runner.fetch())?.secrets.GITHUB_TOKEN ?? '');
  expect((await job.get(`/repos/${org.login}/${shared.name}`)).status).toBe(404);
});

test('workflows of its pull requests get the secrets of the bot, and a token that reads', async () => {
  const { put, answer, runner, client, base } = await botSetting(w);
  await client.put(`${base}/actions/permissions/workflow`, { default_workflow_permissions: 'write' });
  for (const [store, name] of [
    ['actions', 'DEPLOY_KEY'],
    ['dependabot', 'NPM_TOKEN'],
  ] as const) {
    const sealed = await sealedFor(client, `${base}/${store}/secrets/public-key`, `hidden ${store}`);
    expect((await client.put(`${base}/${store}/secrets/${name}`, sealed)).status).toBe(201);
  }
  const file = 'on: pull_request\njobs: {test: {runs-on: ubuntu-latest, steps: [{run: make}]}}';
  await put('.github/workflows/ci.yml', file);
  await put(lockPath, lockOf({ left: '1.1.0' }));
  const search = await answer([updateOfLeft({ left: '1.1.0' })]);
  expect(Object.keys(search.secrets)).toEqual(['GITHUB_TOKEN']);
  const task = await runner.fetch();
  expect(task?.context).toMatchObject({
    event_name: 'pull_request',
    actor: 'hearth-dependency-bot[bot]',
    secret_source: 'Dependabot',
  });
  expect(task?.secrets).toMatchObject({ NPM_TOKEN: 'hidden dependabot' });
  expect(Object.keys(task?.secrets ?? {}).sort()).toEqual(['GITHUB_TOKEN', 'NPM_TOKEN']);
  const job = await w.as(task?.secrets.GITHUB_TOKEN ?? '');
  expect((await job.put(`${base}/contents/x`, { message: 'x', content: '' })).status).toBe(403);
});

test('a search gets the registries of the configuration file, with secrets of the bot', async () => {
  const { put, runner, client, base } = await botSetting(w);
  const config = `version: 2
registries:
  ours: {type: npm-registry, url: https://npm.example/, token: '\${{secrets.NPM_TOKEN}}', replaces-base: true}
  other: {type: npm-registry, url: https://other.example/, token: '\${{secrets.OTHER}}'}
updates:
  - {package-ecosystem: npm, directory: /web, registries: [ours], schedule: {interval: weekly}, open-pull-requests-limit: 0}
`;
  await put('.github/dependabot.yml', config);
  await put(lockPath, lockOf({ left: '1.1.0' }));
  const { body } = await client.get(`${base}/actions/runs`);
  expect(await runner.fetch()).toBeUndefined();
  const [job] = (await client.get(`${base}/actions/runs/${body.workflow_runs[0].id}/jobs`)).body.jobs;
  const annotations = (await client.get(`${base}/check-runs/${job.id}/annotations`)).body;
  expect(annotations[0].message).toContain("ours can't be used: the dependency bot has no secret NPM_TOKEN");
  const sealed = await sealedFor(client, `${base}/dependabot/secrets/public-key`, 'moonlight');
  expect((await client.put(`${base}/dependabot/secrets/NPM_TOKEN`, sealed)).status).toBe(201);
  expect((await client.post(`${base}/actions/runs/${body.workflow_runs[0].id}/rerun`)).status).toBe(201);
  const task = await runner.fetch();
  expect(Object.entries(task?.secrets ?? {})).toContainEqual(['GITHUB_PRIVATE_REGISTRY_1', 'moonlight']);
  const [added] = JSON.parse(Buffer.from(task?.workflowPayload ?? []).toString()).jobs.update.steps;
  expect(added.env.REGISTRY_FILE_1).toContain('registry=https://npm.example/');
  expect(added.env.REGISTRY_FILE_1).not.toContain('other.example');
});

test('it is explained which registries a search gets, and on which runners it does not', async () => {
  const { put, runner, client, base, org, repo } = await botSetting(w);
  const path = `/orgs/${org.login}/private-registries`;
  const fields = { registry_type: 'npm_registry', url: 'https://npm.example/', visibility: 'all' };
  expect((await client.post(path, { ...fields, ...(await sealed(client, org, 'moonlight')) })).status).toBe(201);
  await put(lockPath, lockOf({ left: '1.1.0' }));
  const [run] = (await client.get(`${base}/actions/runs`)).body.workflow_runs;
  const [job] = (await client.get(`${base}/actions/runs/${run.id}/jobs`)).body.jobs;
  const { steps } = await explainJob(
    w.db,
    { owner: org.login, name: repo.name, job: job.id },
    { now: w.clock.now, runsHosted: false, secrets: w.hearth.services.secrets },
  );
  expect(steps.find(({ check }) => check === 'private registry')).toEqual({
    check: 'private registry',
    passed: true,
    because:
      'it gets NPM_REGISTRY_SECRET, unless a runner of the repository itself takes it: ' +
      "its owner doesn't allow workflows to use private registries",
  });
  expect((await runner.fetch())?.secrets).toMatchObject({ GITHUB_PRIVATE_REGISTRY_1: 'moonlight' });
});
