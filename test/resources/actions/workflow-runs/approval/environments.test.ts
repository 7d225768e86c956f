import { createPrivateKey } from 'node:crypto';
import { importPKCS8, SignJWT } from 'jose';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { createApp, installApp, makeAppKeys } from '#resources/repositories/apps/index.ts';
import { gatekeeper } from '#test/resources/actions/environments/setting.ts';
import { heard, listening } from '#test/resources/platform/webhooks/listening.ts';
import { receiver } from '#test/support/receiver.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { sealedFor } from '#test/support/sealed.ts';
import { ciPath, pushWorkflow } from '../setting.ts';

const { here: w, owner, org, client, target } = await listening();

const deploying = `name: CI
on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: make
  deploy:
    needs: build
    runs-on: ubuntu-latest
    environment:
      name: production
      url: \${{ steps.up.outputs.url }}
    steps:
      - run: deploy
        id: up
  after:
    needs: deploy
    runs-on: ubuntu-latest
    steps:
      - run: test
`;

const only = `name: CI
on: push
jobs:
  deploy:
    runs-on: ubuntu-latest
    environment: production
    steps:
      - run: deploy
`;

async function setting(settings: object, { file = only, reviewer }: { file?: string; reviewer?: Account } = {}) {
  const repo = await w.repo(org, { by: owner });
  const base = `/repos/${org.login}/${repo.name}`;
  if (reviewer) await w.collaborator(repo, reviewer, 'read');
  const { status, body: environment } = await client.put(`${base}/environments/production`, settings);
  expect(status).toBe(200);
  await pushWorkflow(w, repo, { [ciPath]: file });
  const [run] = (await client.get(`${base}/actions/runs`)).body.workflow_runs;
  const url = `${base}/actions/runs/${run.id}`;
  const stateOf = async () => {
    const { body } = await client.get(url);
    return [body.status, body.conclusion];
  };
  const jobs = async () =>
    (await client.get(`${url}/jobs`)).body.jobs.map((job: { name: string; status: string; conclusion: string }) => [
      job.name,
      job.conclusion ?? job.status,
    ]);
  const statuses = async (): Promise<string[]> => {
    const { body } = await client.get(`${base}/deployments`);
    const [deployment] = body;
    if (!deployment) return [];
    const found = (await client.get(`${base}/deployments/${deployment.id}/statuses`)).body;
    return found.map(({ state }: { state: string }) => state).reverse();
  };
  const review = (state: string, as = client, ids = [environment.id]) =>
    as.post(`${url}/pending_deployments`, { environment_ids: ids, state, comment: 'Said' });
  return { repo, base, run, url, environment, stateOf, jobs, statuses, review };
}

const reviewedBy = ({ id }: Account) => ({ reviewers: [{ type: 'User', id }], can_admins_bypass: false });

/** Runs the job that waits, to its end. */
async function runNext(repo: RepositoryRow, outputs: { [name: string]: string } = {}) {
  const runner = await startRunner(w, repo, { name: `r${Math.random()}` });
  const task = await runner.fetch();
  if (!task) throw new Error('No job');
  await runner.end(task, 'success', { outputs });
  return task;
}

test('a job waits for a review, is told of, and leaves a deployment', async () => {
  const reviewer = await w.user();
  const { repo, base, url, environment, stateOf, jobs, statuses, review } = await setting(reviewedBy(reviewer), {
    file: deploying,
    reviewer,
  });
  const secrets = `${base}/environments/production/secrets`;
  const sealed = await sealedFor(client, `${secrets}/public-key`, 'of production');
  expect((await client.put(`${secrets}/KEY`, sealed)).status).toBe(201);
  await heard(w, target);
  await runNext(repo);
  expect(await stateOf()).toEqual(['waiting', null]);
  expect(await jobs()).toEqual([
    ['build', 'success'],
    ['deploy', 'waiting'],
  ]);
  expect(await statuses()).toEqual(['pending']);
  const asked = await heard(w, target);
  expect(asked['workflow_job.waiting']).toMatchObject({ workflow_job: { name: 'deploy', status: 'waiting' } });
  expect(asked['workflow_job.queued']).toBeUndefined();
  expect(asked['deployment_review.requested']).toMatchObject({
    environment: 'production',
    requestor: { login: owner.login },
    reviewers: [{ type: 'User', reviewer: { login: reviewer.login } }],
    workflow_job_run: { status: 'waiting', environment: 'production' },
    workflow_run: { status: 'waiting' },
  });
  expect(asked['deployment.created']).toMatchObject({ deployment: { environment: 'production', ref: 'main', task: 'deploy' } });
  expect(asked['deployment_status.created']).toMatchObject({ deployment_status: { state: 'pending' } });
  const byReviewer = await w.as(reviewer);
  const pending = async (as = client) => (await as.get(`${url}/pending_deployments`)).body;
  expect(await pending()).toMatchObject([
    {
      environment: { id: environment.id, name: 'production', url: environment.url },
      wait_timer: 0,
      wait_timer_started_at: '2026-01-01T00:00:00Z',
      current_user_can_approve: false,
      reviewers: [{ type: 'User', reviewer: { id: reviewer.id } }],
    },
  ]);
  expect(await pending(byReviewer)).toMatchObject([{ current_user_can_approve: true }]);
  await w.unchanged(['workflow_runs', 'workflow_jobs', 'workflow_run_reviews', 'deployment_statuses'], async () => {
    expect((await review('approved')).status).toBe(403); // the owner is no reviewer
    expect((await review('approved', byReviewer, [environment.id, 999_999])).status).toBe(422);
    expect((await review('later', byReviewer)).status).toBe(422);
    expect((await review('approved', byReviewer, [])).status).toBe(422);
  });
  const { status, body } = await review('approved', byReviewer);
  expect(status).toBe(200);
  expect(body).toMatchObject([{ environment: 'production', creator: { login: owner.login } }]);
  expect(await stateOf()).toEqual(['in_progress', null]);
  expect(await jobs()).toContainEqual(['deploy', 'queued']);
  expect(await pending()).toEqual([]);
  expect((await client.get(`${url}/approvals`)).body).toMatchObject([
    { state: 'approved', comment: 'Said', user: { login: reviewer.login }, environments: [{ id: environment.id }] },
  ]);
  expect((await heard(w, target))['deployment_review.approved']).toMatchObject({
    approver: { login: reviewer.login },
    comment: 'Said',
    workflow_job_runs: [{ environment: 'production' }],
  });
  const task = await runNext(repo, { 'environment.url': 'https://production.example', other: 'x' });
  expect(task.secrets.KEY).toBe('of production');
  expect(JSON.parse(Buffer.from(task.workflowPayload ?? []).toString()).jobs.deploy.outputs).toEqual({
    'environment.url': `\${{ steps.up.outputs.url }}`,
  });
  expect(await statuses()).toEqual(['pending', 'queued', 'in_progress', 'success']);
  const [deployment] = (await client.get(`${base}/deployments?environment=production`)).body;
  const [latest] = (await client.get(`${base}/deployments/${deployment.id}/statuses`)).body;
  expect(latest).toMatchObject({
    state: 'success',
    environment_url: 'https://production.example',
    log_url: expect.stringMatching(/^http.*\/actions\/runs\/\d+\/job\/\d+$/),
  });
  const last = await runNext(repo);
  expect(last.needs.deploy?.outputs).toEqual({ other: 'x' });
  expect(await stateOf()).toEqual(['completed', 'success']);
});

test('what is rejected fails, and runs again with a new question', async () => {
  const reviewer = await w.user();
  const { url, stateOf, jobs, statuses, review } = await setting(reviewedBy(reviewer), { reviewer });
  const byReviewer = await w.as(reviewer);
  expect((await review('rejected', byReviewer)).status).toBe(200);
  expect(await stateOf()).toEqual(['completed', 'failure']);
  expect(await statuses()).toEqual(['pending', 'failure']);
  expect((await heard(w, target))['deployment_review.rejected']).toMatchObject({ approver: { login: reviewer.login } });
  expect((await review('approved', byReviewer)).status).toBe(422); // nothing waits any more
  expect((await client.post(`${url}/rerun-failed-jobs`)).status).toBe(201);
  expect(await stateOf()).toEqual(['waiting', null]);
  expect((await client.post(`${url}/cancel`)).status).toBe(202);
  expect(await stateOf()).toEqual(['completed', 'cancelled']);
  expect(await jobs()).toEqual([['deploy', 'cancelled']]);
  expect(await statuses()).toEqual(['pending', 'inactive']);
});

test('who asked doesn’t approve where that is prevented, and teams review', async () => {
  const member = await w.user();
  await w.member(org, member);
  const { body: team } = await client.post(`/orgs/${org.login}/teams`, { name: `Reviewers ${member.id}`, privacy: 'closed' });
  await client.put(`/orgs/${org.login}/teams/${team.slug}/memberships/${owner.login}`);
  await client.put(`/orgs/${org.login}/teams/${team.slug}/memberships/${member.login}`);
  const repo = await w.repo(org, { by: owner });
  const base = `/repos/${org.login}/${repo.name}`;
  await client.put(`/orgs/${org.login}/teams/${team.slug}/repos/${org.login}/${repo.name}`, { permission: 'push' });
  const { body: environment } = await client.put(`${base}/environments/production`, {
    reviewers: [{ type: 'Team', id: team.id }],
    prevent_self_review: true,
    can_admins_bypass: false,
  });
  await pushWorkflow(w, repo, { [ciPath]: only });
  const [run] = (await client.get(`${base}/actions/runs`)).body.workflow_runs;
  const review = (as = client) =>
    as.post(`${base}/actions/runs/${run.id}/pending_deployments`, {
      environment_ids: [environment.id],
      state: 'approved',
      comment: '',
    });
  expect((await review()).status).toBe(403); // the owner pushed it
  expect((await review(await w.as(member))).status).toBe(200);
  expect((await client.get(`${base}/actions/runs/${run.id}`)).body.status).toBe('queued');
});

test('administrators pass an environment where it lets them, with all that they were given', async () => {
  const { url, stateOf, review } = await setting({
    wait_timer: 10,
    reviewers: [{ type: 'User', id: owner.id }],
    prevent_self_review: true,
  });
  expect((await client.get(`${url}/pending_deployments`)).body).toMatchObject([
    { wait_timer: 10, current_user_can_approve: true },
  ]);
  const narrow = await w.as(await w.fineGrained(owner, org, { actions: 'read', deployments: 'write' }));
  expect((await review('approved', narrow)).status).toBe(403);
  expect((await review('approved')).status).toBe(200);
  expect(await stateOf()).toEqual(['queued', null]);
});

test('the time of an environment ends once, whichever process looks', async () => {
  const { run, stateOf, review } = await setting({ wait_timer: 30, can_admins_bypass: false });
  expect(await stateOf()).toEqual(['waiting', null]);
  expect((await review('approved')).status).toBe(403);
  const due = () => sql`update jobs._private_jobs set run_at = now() where key like 'workflow-runs.end-wait %'`.execute(w.db);
  await due();
  await w.settle(); // too early by the clock of the server
  expect(await stateOf()).toEqual(['waiting', null]);
  w.clock.now = new Date(w.clock.now.getTime() + 30 * 60_000);
  await due();
  await Promise.all([w.settle(), w.settle()]);
  expect(await stateOf()).toEqual(['queued', null]);
  const told = await w.db
    .selectFrom('events')
    .select('kind')
    .where('kind', '=', 'workflow_job.queued')
    .where(sql<boolean>`(data->>'run')::bigint = ${run.id}`)
    .execute();
  expect(told).toHaveLength(1);
});

test('an app that an environment asks lets jobs in, or doesn’t', async () => {
  const { app, token } = await gatekeeper(w, org);
  const stranger = await gatekeeper(w, org);
  const repo = await w.repo(org, { by: owner });
  const base = `/repos/${org.login}/${repo.name}`;
  await client.put(`${base}/environments/production`, { can_admins_bypass: false });
  const { status } = await client.post(`${base}/environments/production/deployment_protection_rules`, { integration_id: app });
  expect(status).toBe(201);
  const asApp = await w.as(token);
  const answer = (url: string, body: object, as = asApp) => as.post(`${url}/deployment_protection_rule`, body);
  const begin = async () => {
    await pushWorkflow(w, repo, { [ciPath]: only, 'a.txt': String(Math.random()) });
    const [run] = (await client.get(`${base}/actions/runs`)).body.workflow_runs;
    expect(run.status).toBe('waiting');
    return `${base}/actions/runs/${run.id}`;
  };
  const first = await begin();
  await w.unchanged(['workflow_runs', 'workflow_jobs', 'workflow_run_reviews'], async () => {
    expect((await answer(first, { environment_name: 'staging', state: 'approved' })).status).toBe(422);
    expect((await answer(first, { environment_name: 'production', state: 'perhaps' })).status).toBe(422);
    const foreign = await w.as(stranger.token);
    expect((await answer(first, { environment_name: 'production', state: 'approved' }, foreign)).status).toBe(422);
    expect((await answer(first, { environment_name: 'production', state: 'approved' }, client)).status).toBe(403);
  });
  expect((await answer(first, { environment_name: 'production', comment: 'Half way' })).status).toBe(204);
  expect((await client.get(first)).body.status).toBe('waiting');
  expect((await answer(first, { environment_name: 'Production', state: 'approved', comment: 'Good' })).status).toBe(204);
  expect((await client.get(first)).body.status).toBe('queued');
  const second = await begin();
  expect((await answer(second, { environment_name: 'production', state: 'rejected' })).status).toBe(204);
  expect((await client.get(second)).body).toMatchObject({ status: 'completed', conclusion: 'failure' });
  expect((await client.get(`${second}/approvals`)).body).toEqual([]);
});

test('the app that is asked hears of it, and no other', async () => {
  const { publicKey, privateKey } = await makeAppKeys();
  const permissions = { deployments: 'write' };
  const events = ['deployment_protection_rule'];
  const wish = {
    owner,
    kind: 'app' as const,
    externalUrl: 'https://app.example',
    publicKey,
    permissions,
    events,
    now: w.clock.now,
  };
  const key = await importPKCS8(createPrivateKey(privateKey).export({ type: 'pkcs8', format: 'pem' }).toString(), 'RS256');
  const at = Math.floor(w.clock.now.getTime() / 1000);
  const made = await Promise.all(
    ['asked', 'other'].map(async (name) => {
      const { app } = await w.change((scope) => createApp(scope, { ...wish, name: `${name} ${org.id}` }));
      await w.change((scope) => installApp(scope, { app, account: org, repositories: 'all', by: owner, now: w.clock.now }));
      const claims = new SignJWT({})
        .setIssuer(app.client_id)
        .setIssuedAt(at)
        .setExpirationTime(at + 500);
      const asApp = await w.as(await claims.setProtectedHeader({ alg: 'RS256' }).sign(key));
      const hook = await receiver();
      expect((await asApp.patch('/app/hook/config', { url: hook.url, content_type: 'json' })).status).toBe(200);
      return { app, hook };
    }),
  );
  const [asked, other] = made;
  const repo = await w.repo(org, { by: owner });
  const base = `/repos/${org.login}/${repo.name}`;
  await client.put(`${base}/environments/production`, {});
  await client.post(`${base}/environments/production/deployment_protection_rules`, { integration_id: asked?.app.id });
  await pushWorkflow(w, repo, { [ciPath]: only });
  const [run] = (await client.get(`${base}/actions/runs`)).body.workflow_runs;
  if (!asked || !other) throw new Error('No apps');
  expect((await heard(w, asked.hook))['deployment_protection_rule.requested']).toMatchObject({
    environment: 'production',
    event: 'push',
    deployment_callback_url: `${run.url}/deployment_protection_rule`,
    deployment: { environment: 'production', sha: run.head_sha },
  });
  expect(await heard(w, other.hook)).not.toHaveProperty(['deployment_protection_rule.requested']);
});

test('a change of an environment is noticed, and so is its end', async () => {
  const first = await setting({ wait_timer: 1_000 });
  await client.put(`${first.base}/environments/production`, {});
  await w.settle();
  expect(await first.stateOf()).toEqual(['queued', null]);
  const second = await setting({ wait_timer: 1_000 });
  expect((await client.delete(`${second.base}/environments/production`)).status).toBe(204);
  await w.settle();
  expect(await second.stateOf()).toEqual(['completed', 'failure']);
});

test('a ref that an environment doesn’t take fails, and what needs the job is skipped', async () => {
  const policy = { protected_branches: false, custom_branch_policies: true };
  const after = `${only}  after:
    needs: deploy
    runs-on: ubuntu-latest
    steps:
      - run: test
`;
  const { stateOf, jobs, statuses } = await setting({ deployment_branch_policy: policy }, { file: after });
  expect(await stateOf()).toEqual(['completed', 'failure']);
  expect(await jobs()).toEqual([
    ['deploy', 'failure'],
    ['after', 'skipped'],
  ]);
  expect(await statuses()).toEqual([]);
});

test('a later success makes the earlier deployment inactive, and an unknown environment is added', async () => {
  const repo = await w.repo(org, { by: owner });
  const base = `/repos/${org.login}/${repo.name}`;
  const staging = only.replace('production', 'staging');
  for (const text of ['a', 'b']) {
    await pushWorkflow(w, repo, { [ciPath]: staging, 'a.txt': text });
    await runNext(repo);
  }
  expect((await client.get(`${base}/environments/staging`)).body).toMatchObject({ name: 'staging', protection_rules: [] });
  const deployments = (await client.get(`${base}/deployments`)).body;
  const latest = await Promise.all(
    deployments.map(async ({ id }: { id: number }) => (await client.get(`${base}/deployments/${id}/statuses`)).body[0].state),
  );
  expect(latest).toEqual(['success', 'inactive']);
});

test('lists of what waits cost the same for one environment and for many', async () => {
  const one = await setting(reviewedBy(owner));
  const many = only
    .replace('environment: production', `environment: \${{ matrix.to }}`)
    .replace('    runs-on', '    strategy:\n      matrix:\n        to: [production, b, c, d]\n    runs-on');
  const repo = await w.repo(org, { by: owner });
  const base = `/repos/${org.login}/${repo.name}`;
  for (const name of ['production', 'b', 'c', 'd']) await client.put(`${base}/environments/${name}`, reviewedBy(owner));
  await pushWorkflow(w, repo, { [ciPath]: many });
  const [run] = (await client.get(`${base}/actions/runs`)).body.workflow_runs;
  const url = `${base}/actions/runs/${run.id}/pending_deployments`;
  expect((await client.get(url)).body).toHaveLength(4);
  expect(await w.statements(owner, url)).toBe(await w.statements(owner, `${one.url}/pending_deployments`));
});
