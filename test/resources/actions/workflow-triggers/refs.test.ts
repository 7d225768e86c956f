// The ref and the commit of a run belong together: environments, caches and relying parties trust the ref.

import { restoreCache, saveCache } from '@actions/cache';
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { commitFiles } from '#test/support/commit.ts';
import { inJob } from '#test/support/in-job.ts';
import { startRunner, startRunnerOf } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';

const w = await world({ vocabulary: 'github' });
const path = '.github/workflows/ci.yml';

const workflowOf = (on: string, more = '') =>
  `name: CI\non: ${on}\njobs:\n  a:\n    runs-on: ubuntu-latest\n${more}    steps:\n      - run: make\n`;

/** A public repository with a workflow, and a pull request from a stranger's fork. */
async function setting(on: string, more?: string) {
  const [ada, bob] = [await w.user(), await w.user()];
  const org = await w.org(ada);
  const repo = await w.repo(org, { visibility: 'public', by: ada });
  await commitFiles(w, repo, { [path]: workflowOf(on, more) });
  await w.settle();
  const base = `/repos/${org.login}/${repo.name}`;
  const [client, other] = [await w.as(ada), await w.as(bob)];
  const main = (await client.get(`${base}/branches/main`)).body.commit.sha as string;
  const stranger = async () => {
    expect((await other.post(`${base}/forks`)).status).toBe(202);
    await w.settle();
    const fork = `/repos/${bob.login}/${repo.name}`;
    await other.put(`${fork}/contents/evil.txt`, { message: 'Add', content: btoa('evil') });
    const { body } = await other.post(`${base}/pulls`, { title: 'Take it', head: `${bob.login}:main`, base: 'main' });
    await w.settle();
    return body as { number: number; head: { sha: string; repo: { id: number } } };
  };
  const runs = () =>
    w.db
      .selectFrom('workflow_runs')
      .select(['event', 'ref', 'sha', 'head_sha', 'head_branch', 'head_repository_id', 'workflow_ref', 'workflow_sha'])
      .where('repository_id', '=', repo.id)
      .orderBy('id')
      .execute();
  const deploy = async (ref: string, environment = 'live') => {
    const wanted = { ref, environment, auto_merge: false, required_contexts: [] };
    expect((await client.post(`${base}/deployments`, wanted)).status).toBe(201);
    await w.settle();
  };
  const jobs = async () =>
    (
      await w.db
        .selectFrom('workflow_jobs')
        .select(['status', 'problem'])
        .where('repository_id', '=', repo.id)
        .orderBy('id')
        .execute()
    ).map(({ status, problem }) => problem ?? status);
  return { repo, org, base, client, main, stranger, runs, deploy, jobs };
}

test("a status of a stranger's commit runs the default branch at its own head", async () => {
  const { base, client, main, stranger, runs } = await setting('status');
  const pull = await stranger();
  expect((await client.post(`${base}/statuses/${pull.head.sha}`, { state: 'success' })).status).toBe(201);
  await w.settle();
  expect(await runs()).toMatchObject([
    { event: 'status', ref: 'refs/heads/main', sha: main, head_sha: main, head_branch: 'main', workflow_sha: main },
  ]);
});

test('a deployment runs at the ref that was deployed, and a bare commit has none', async () => {
  const { base, client, main, stranger, runs, deploy } = await setting('deployment');
  const pull = await stranger();
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/topic', sha: main });
  await client.post(`${base}/git/refs`, { ref: 'refs/tags/v1', sha: main });
  for (const ref of ['topic', 'v1', pull.head.sha, `refs/pull/${pull.number}/head`, 'main', 'HEAD', 'main~0']) await deploy(ref);
  const source = { workflow_ref: 'refs/heads/main', workflow_sha: main };
  expect(await runs()).toMatchObject([
    { ref: 'refs/heads/topic', sha: main, head_branch: 'topic', ...source },
    { ref: 'refs/tags/v1', sha: main, head_branch: 'v1', ...source },
    { ref: null, sha: pull.head.sha, head_branch: null, ...source },
    { ref: `refs/pull/${pull.number}/head`, sha: pull.head.sha, ...source },
    { ref: 'refs/heads/main', sha: main, head_branch: 'main', ...source },
    { ref: null, sha: main, head_branch: null, ...source },
    { ref: null, sha: main, head_branch: null, ...source },
  ]);
});

test('a status of a deployment runs at its ref, even after a branch moved', async () => {
  const { base, client, main, runs, deploy } = await setting('deployment_status');
  await deploy('main');
  const [deployment] = (await client.get(`${base}/deployments`)).body;
  await client.put(`${base}/contents/b.txt`, { message: 'Add', content: btoa('b') });
  await client.post(`${base}/deployments/${deployment.id}/statuses`, { state: 'success' });
  await w.settle();
  expect(await runs()).toMatchObject([{ event: 'deployment_status', ref: 'refs/heads/main', sha: main }]);
});

test("an environment that admits main alone doesn't take a deployed commit without a ref", async () => {
  const { base, client, main, stranger, deploy, jobs } = await setting('deployment', '    environment: production\n');
  const pull = await stranger();
  const policy = { protected_branches: false, custom_branch_policies: true };
  await client.put(`${base}/environments/production`, { deployment_branch_policy: policy });
  await client.post(`${base}/environments/production/deployment-branch-policies`, { name: 'main' });
  await deploy(pull.head.sha);
  await deploy(main);
  await deploy(`pull/${pull.number}/head`);
  await deploy('main');
  expect(await jobs()).toEqual([
    'The environment production does not take a commit without a branch or tag',
    'The environment production does not take a commit without a branch or tag',
    `The environment production does not take refs/pull/${pull.number}/head`,
    'queued',
  ]);
});

test("a run without a ref has no caches, and its identity names no ref but the workflow's", async () => {
  const { repo, org, base, main, deploy, client } = await setting('deployment', '    permissions: {id-token: write}\n');
  await client.put(`${base}/actions/oidc/customization/sub`, { use_default: true });
  await deploy(main);
  const runner = await startRunner(w, repo);
  const task = await runner.fetch();
  if (!task) throw new Error('No job');
  expect(task.context).toMatchObject({
    ref: '',
    ref_name: '',
    ref_type: '',
    sha: main,
    workflow_ref: `${org.login}/${repo.name}/${path}@refs/heads/main`,
    workflow_sha: main,
  });
  await inJob(w, task, async (folder) => {
    expect(await saveCache([folder], 'modules')).toBe(-1);
    expect(await restoreCache([folder], 'modules')).toBeUndefined();
  });
  const { actions_id_token_request_url: url, actions_id_token_request_token: token } = task.context as { [name: string]: string };
  const reply = await fetch(`${url}&audience=x`, { headers: { authorization: `Bearer ${token}` } });
  const claims = decodeJwt(((await reply.json()) as { value: string }).value);
  expect(claims).toMatchObject({
    sub: `repo:${org.login}/${repo.name}:ref:`,
    sha: main,
    ref_protected: 'false',
    job_workflow_ref: `${org.login}/${repo.name}/${path}@refs/heads/main`,
  });
  expect(claims).not.toHaveProperty('ref');
  expect(claims).not.toHaveProperty('ref_type');
});

test('a release runs at its tag, and names the default branch as the source of its workflow', async () => {
  const { base, client, main, runs } = await setting('release');
  await client.post(`${base}/git/refs`, { ref: 'refs/tags/v1', sha: main });
  await client.put(`${base}/contents/b.txt`, { message: 'Add', content: btoa('b') });
  const now = (await client.get(`${base}/branches/main`)).body.commit.sha;
  await client.post(`${base}/releases`, { tag_name: 'v1' });
  await w.settle();
  const [run] = (await runs()).slice(-1);
  expect(run).toMatchObject({ ref: 'refs/tags/v1', sha: main, workflow_ref: 'refs/heads/main', workflow_sha: now });
});

test('the deployment of a job starts no run of others', async () => {
  const on = '{pull_request_target: null, deployment: null, deployment_status: null}';
  const { stranger, runs } = await setting(on, '    environment: live\n');
  await stranger();
  expect((await runs()).map(({ event }) => event)).toEqual(['pull_request_target']);
});

test("a run of pull_request_target is shown for the pull request's commit, branch and repository, and runs the base", async () => {
  const { main, stranger, runs } = await setting('pull_request_target');
  const pull = await stranger();
  expect(await runs()).toMatchObject([
    { ref: 'refs/heads/main', sha: main, head_branch: 'main', head_sha: pull.head.sha, head_repository_id: pull.head.repo.id },
  ]);
});

test('a group of runners for a workflow of a branch goes by where the file comes from', async () => {
  const { org, repo, base, client, main, deploy } = await setting('deployment');
  const runner = await startRunnerOf(w, { organization: org.id }, {});
  const group = async (workflow: string) => {
    const settings = { restricted_to_workflows: true, selected_workflows: [`${org.login}/${repo.name}/${path}@${workflow}`] };
    const { body } = await client.post(`/orgs/${org.login}/actions/runner-groups`, {
      name: workflow,
      allows_public_repositories: true,
      runners: [runner.id],
      ...settings,
    });
    return body.id as number;
  };
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/topic', sha: main });
  await deploy('topic');
  await group('refs/heads/topic');
  expect(await runner.fetch()).toBeUndefined();
  await group('refs/heads/main');
  expect(await runner.fetch()).toBeDefined();
});
