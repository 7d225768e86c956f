import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { gatekeeper } from '#test/resources/actions/environments/setting.ts';
import { ci, ciPath, pushWorkflow } from '#test/resources/actions/workflow-runs/setting.ts';
import { startRunner, type TestRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';

const w = await world({ vocabulary: 'github' });
const owner = await w.user();
const org = await w.org(owner);

const clientOf = (auth: string) =>
  new Octokit({ auth, baseUrl: `${w.url}/api/v3`, throttle: { enabled: false }, retry: { enabled: false } });
const as = async (user: Account) => clientOf(await w.token(user));
const octokit = await as(owner);
const { actions } = octokit.rest;

async function take(runner: TestRunner) {
  const task = await runner.fetch();
  if (!task) throw new Error('No job');
  return task;
}

test('an unmodified Octokit follows a run, stops it and runs it again', async () => {
  const repo = await w.repo(org, { by: owner });
  const at = { owner: org.login, repo: repo.name };
  await pushWorkflow(w, repo, { [ciPath]: ci });
  const [run] = (await actions.listWorkflowRunsForRepo(at)).data.workflow_runs;
  const run_id = run?.id ?? 0;
  const { data: workflows } = await actions.listRepoWorkflows(at);
  expect(workflows.workflows).toMatchObject([{ name: 'CI', path: ciPath, state: 'active' }]);
  expect((await actions.getWorkflow({ ...at, workflow_id: 'ci.yml' })).data).toEqual(workflows.workflows[0]);
  const { token } = (await actions.createRegistrationTokenForRepo(at)).data;
  const runner = await startRunner(w, repo, { token });
  const build = await take(runner);
  await runner.log(build, ['made']);
  await runner.end(build, 'failure');
  const of = { ...at, run_id };
  const job_id = Number(build.id);
  const { data: listed } = await actions.listJobsForWorkflowRun(of);
  expect(listed.jobs.map(({ name, conclusion }) => [name, conclusion])).toEqual([
    ['build', 'failure'],
    ['check', 'skipped'],
  ]);
  expect((await actions.getJobForWorkflowRun({ ...at, job_id })).data.conclusion).toBe('failure');
  expect((await actions.downloadJobLogsForWorkflowRun({ ...at, job_id })).data).toMatch(/made\n$/);
  expect((await actions.downloadWorkflowRunLogs(of)).data).toBeInstanceOf(ArrayBuffer);
  expect((await actions.getWorkflowRun(of)).data.conclusion).toBe('failure');
  expect((await actions.getWorkflowRunUsage(of)).data.billable.UBUNTU?.jobs).toBe(1);
  expect((await actions.getWorkflowUsage({ ...at, workflow_id: 'ci.yml' })).data.billable.UBUNTU?.total_ms).toBe(0);
  await actions.reRunWorkflowFailedJobs(of);
  const attempt = { ...of, attempt_number: 1 };
  expect((await actions.getWorkflowRunAttempt(attempt)).data.conclusion).toBe('failure');
  expect((await actions.listJobsForWorkflowRunAttempt(attempt)).data.total_count).toBe(2);
  expect((await actions.downloadWorkflowRunAttemptLogs(attempt)).data).toBeInstanceOf(ArrayBuffer);
  await actions.cancelWorkflowRun(of);
  expect((await actions.getWorkflowRun(of)).data.conclusion).toBe('cancelled');
  await actions.reRunWorkflow(of);
  await actions.forceCancelWorkflowRun(of);
  const [again] = (await actions.listJobsForWorkflowRun(of)).data.jobs;
  await actions.reRunJobForWorkflowRun({ ...at, job_id: again?.id ?? 0 });
  expect((await actions.getWorkflowRun(of)).data).toMatchObject({ run_attempt: 4, status: 'queued' });
  await actions.forceCancelWorkflowRun(of);
  const workflow = { ...at, workflow_id: 'ci.yml' };
  await actions.disableWorkflow(workflow);
  expect((await actions.getWorkflow(workflow)).data.state).toBe('disabled_manually');
  await actions.enableWorkflow(workflow);
  await actions.createWorkflowDispatch({ ...workflow, ref: 'main', inputs: { level: 'low' } });
  const runs = await octokit.paginate(actions.listWorkflowRuns, { ...workflow, per_page: 1 });
  expect(runs.map(({ event }) => event)).toEqual(['workflow_dispatch', 'push']);
  await actions.deleteWorkflowRunLogs(of);
  await expect(actions.downloadJobLogsForWorkflowRun({ ...at, job_id })).rejects.toMatchObject({ status: 404 });
  await actions.deleteWorkflowRun(of);
  await expect(actions.getWorkflowRun(of)).rejects.toMatchObject({ status: 404 });
});

test('a fork’s pull request waits for approval, and gets no secrets then', async () => {
  const repo = await w.repo(org, { by: owner });
  const at = { owner: org.login, repo: repo.name };
  const file = 'on: pull_request\njobs:\n  a: {runs-on: ubuntu-latest, steps: [{run: make}]}\n';
  await pushWorkflow(w, repo, { [ciPath]: file });
  const outsider = await w.user();
  const { rest: other } = await as(outsider);
  await other.repos.createFork(at);
  await w.settle();
  const content = Buffer.from('a').toString('base64');
  await other.repos.createOrUpdateFileContents({ owner: outsider.login, repo: repo.name, path: 'a', message: 'Add a', content });
  await other.pulls.create({ ...at, title: 'Take a', head: `${outsider.login}:main`, base: 'main' });
  await w.settle();
  const [run] = (await actions.listWorkflowRunsForRepo({ ...at, event: 'pull_request' })).data.workflow_runs;
  if (!run) throw new Error('No run');
  expect(run).toMatchObject({ status: 'completed', conclusion: 'action_required', actor: { login: outsider.login } });
  const runner = await startRunner(w, repo);
  expect(await runner.fetch()).toBeUndefined();
  const of = { ...at, run_id: run.id };
  await expect(other.actions.approveWorkflowRun(of)).rejects.toMatchObject({ status: 403 });
  await actions.approveWorkflowRun(of);
  const task = await take(runner);
  expect(Object.keys(task.secrets)).toEqual(['GITHUB_TOKEN']);
  await runner.end(task, 'success');
  expect((await actions.getWorkflowRun(of)).data.conclusion).toBe('success');
});

test('it reviews deployments for people and apps, and reads concurrency groups', async () => {
  const { app, token } = await gatekeeper(w, org);
  const file = 'on: push\nconcurrency: deploy\njobs:\n  a: {runs-on: x, environment: production, steps: [{run: deploy}]}\n';
  const repo = await w.repo(org, { by: owner });
  const at = { owner: org.login, repo: repo.name };
  const { data: environment } = await octokit.rest.repos.createOrUpdateEnvironment({
    ...at,
    environment_name: 'production',
    reviewers: [{ type: 'User', id: owner.id }],
  });
  const production = { ...at, environment_name: 'production' };
  await octokit.rest.repos.createDeploymentProtectionRule({ ...production, integration_id: app });
  await pushWorkflow(w, repo, { [ciPath]: file });
  const [run] = (await actions.listWorkflowRunsForRepo({ ...at, status: 'waiting' })).data.workflow_runs;
  const of = { ...at, run_id: run?.id ?? 0 };
  const { data: groups } = await octokit.request('GET /repos/{owner}/{repo}/actions/runs/{run_id}/concurrency_groups', of);
  expect(groups).toMatchObject({ total_count: 1, concurrency_groups: [{ group_name: 'deploy' }] });
  const [pending] = (await actions.getPendingDeploymentsForRun(of)).data;
  expect(pending).toMatchObject({ environment: { id: environment.id }, current_user_can_approve: true });
  const review = { ...of, environment_ids: [environment.id], state: 'approved' as const, comment: 'Go' };
  const { data: deployments } = await actions.reviewPendingDeploymentsForRun(review);
  expect(deployments).toMatchObject([{ environment: 'production', performed_via_github_app: { slug: 'hearth-actions' } }]);
  expect((await actions.getWorkflowRun(of)).data.status).toBe('waiting'); // for the app
  const { rest } = clientOf(token);
  await rest.actions.reviewCustomGatesForRun({ ...of, environment_name: 'production', state: 'approved' });
  expect((await actions.getWorkflowRun(of)).data.status).toBe('queued');
  expect((await actions.getReviewsForRun(of)).data).toMatchObject([{ state: 'approved', comment: 'Go' }]);
});

test('it has the methods for runners of a repository and of an organization', async () => {
  const repo = await w.repo(org, { by: owner });
  const at = { owner: org.login, repo: repo.name };
  const of = { org: org.login };
  expect((await actions.createRemoveTokenForRepo(at)).data.token).not.toBe('');
  expect((await actions.createRegistrationTokenForOrg(of)).data.token).not.toBe('');
  expect((await actions.createRemoveTokenForOrg(of)).data.token).not.toBe('');
  expect((await actions.listRunnerApplicationsForRepo(at)).status).toBe(200);
  expect((await actions.listRunnerApplicationsForOrg(of)).status).toBe(200);
  const wanted = { name: 'r', runner_group_id: 1, labels: ['x'] };
  const ofRepo = (await actions.generateRunnerJitconfigForRepo({ ...at, ...wanted })).data;
  const one = { ...at, runner_id: ofRepo.runner.id };
  expect((await actions.listSelfHostedRunnersForRepo(at)).data.runners).toMatchObject([{ name: 'r', status: 'offline' }]);
  expect((await actions.getSelfHostedRunnerForRepo(one)).data.name).toBe('r');
  const names = (data: { labels: { name: string }[] }): string[] => data.labels.map(({ name }) => name);
  expect(names((await actions.addCustomLabelsToSelfHostedRunnerForRepo({ ...one, labels: ['gpu'] })).data)).toContain('gpu');
  expect(names((await actions.setCustomLabelsForSelfHostedRunnerForRepo({ ...one, labels: ['a', 'b'] })).data)).not.toContain(
    'gpu',
  );
  expect(names((await actions.listLabelsForSelfHostedRunnerForRepo(one)).data)).toContain('b');
  const left = (await actions.removeCustomLabelFromSelfHostedRunnerForRepo({ ...one, name: 'a' })).data;
  expect(names(left)).not.toContain('a');
  expect(names((await actions.removeAllCustomLabelsFromSelfHostedRunnerForRepo(one)).data)).not.toContain('b');
  await actions.deleteSelfHostedRunnerFromRepo(one);
  expect((await actions.listSelfHostedRunnersForRepo(at)).data.total_count).toBe(0);
  const group = await w.db
    .selectFrom('runner_groups')
    .select('id')
    .where('organization_id', '=', org.id)
    .executeTakeFirstOrThrow();
  const ofOrg = (await actions.generateRunnerJitconfigForOrg({ ...of, ...wanted, runner_group_id: group.id })).data;
  const two = { ...of, runner_id: ofOrg.runner.id };
  expect((await actions.listSelfHostedRunnersForOrg(of)).data.total_count).toBe(1);
  expect((await actions.getSelfHostedRunnerForOrg(two)).data.name).toBe('r');
  await actions.addCustomLabelsToSelfHostedRunnerForOrg({ ...two, labels: ['gpu'] });
  await actions.setCustomLabelsForSelfHostedRunnerForOrg({ ...two, labels: ['a', 'b'] });
  await actions.removeCustomLabelFromSelfHostedRunnerForOrg({ ...two, name: 'a' });
  expect(names((await actions.listLabelsForSelfHostedRunnerForOrg(two)).data)).toContain('b');
  await actions.removeAllCustomLabelsFromSelfHostedRunnerForOrg(two);
  await actions.deleteSelfHostedRunnerFromOrg(two);
  expect((await actions.listSelfHostedRunnersForOrg(of)).data.total_count).toBe(0);
});
