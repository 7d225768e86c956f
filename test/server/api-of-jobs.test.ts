// Gitea's runners tell jobs that the API is below /api/v1. Tokens of jobs find it there.
import { expect, test } from 'vitest';
import { pushWorkflow } from '#test/resources/actions/workflow-runs/setting.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';

const w = await world({ vocabulary: 'github' });

test('only the token of a job is answered below /api/v1', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada, { visibility: 'public' });
  const file =
    'on: push\npermissions: {contents: read, issues: write}\njobs:\n  a: {runs-on: ubuntu-latest, steps: [{run: x}]}\n';
  await pushWorkflow(w, repo, { '.github/workflows/ci.yml': file });
  const task = await (await startRunner(w, repo)).fetch();
  const token = task?.secrets.GITHUB_TOKEN ?? '';
  const name = `${ada.login}/${repo.name}`;
  const ask = (path: string, authorization?: string, init: RequestInit = {}) =>
    fetch(`${w.url}/api/v1${path}`, { ...init, headers: authorization === undefined ? {} : { authorization } });

  const found = await ask(`/repos/${name}`, `Bearer ${token}`);
  expect([found.status, await found.json()]).toMatchObject([200, { full_name: name }]);
  const made = await ask(`/repos/${name}/issues`, `token ${token}`, { method: 'POST', body: '{"title": "By a job"}' });
  expect([made.status, await made.json()]).toMatchObject([
    201,
    { title: 'By a job', url: `${w.url}/api/v3/repos/${name}/issues/1` },
  ]);
  expect((await ask(`/repos/${name}/contents/.github?ref=main`, `Bearer ${token}`)).status).toBe(200);
  expect((await ask(`/repos/${name}/hooks`, `Bearer ${token}`)).status).toBe(403);
  expect((await ask('/none', `Bearer ${token}`)).status).toBe(404);

  const own = await w.as(ada);
  const { body } = await own.get(`/repos/${name}`);
  expect(body.full_name).toBe(name);
  expect((await ask(`/repos/${name}`)).status).toBe(404);
  expect((await ask(`/repos/${name}`, `Bearer ${await w.token(ada)}`)).status).toBe(404);
  expect((await ask('/version')).status).toBe(404);
});
