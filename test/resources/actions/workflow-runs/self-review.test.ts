// Who may not approve their own deployments can't have them asked for by the token of a job either.
import { expect, test } from 'vitest';
import { commitFiles } from '#test/support/commit.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';

const w = await world();

const asking = `on: push
permissions: {actions: write, contents: write}
jobs:
  a: {runs-on: ubuntu-latest, steps: [{run: x}]}
`;
const deploying = `on:
  workflow_dispatch:
  repository_dispatch:
jobs:
  a: {runs-on: ubuntu-latest, environment: live, steps: [{run: x}]}
`;

/** An environment that two people review, each not their own; one of them has pushed, and a job runs by it. */
async function setting() {
  const [owner, pusher, colleague] = [await w.user(), await w.user(), await w.user()];
  const org = await w.org(owner);
  const repo = await w.repo(org, { by: pusher });
  for (const person of [pusher, colleague]) await w.collaborator(repo, person, 'write');
  const base = `/repos/${org.login}/${repo.name}`;
  await commitFiles(w, repo, { '.github/workflows/ask.yml': asking, '.github/workflows/deploy.yml': deploying });
  await w.settle();
  const own = await w.as(owner);
  const reviewers = [pusher, colleague].map(({ id }) => ({ type: 'User', id }));
  const { body: environment } = await own.put(`${base}/environments/live`, { prevent_self_review: true, reviewers });
  const task = await (await startRunner(w, repo)).fetch();
  const job = await w.as(task?.secrets.GITHUB_TOKEN ?? '');
  const review = { environment_ids: [environment.id], state: 'approved', comment: '' };
  const latest = async (): Promise<number> => {
    await w.settle();
    return (await own.get(`${base}/actions/runs?status=waiting`)).body.workflow_runs[0].id;
  };
  const approve = async (by: typeof pusher, run: number): Promise<number> =>
    (await (await w.as(by)).post(`${base}/actions/runs/${run}/pending_deployments`, review)).status;
  return { pusher, colleague, base, job, latest, approve };
}

test.each([
  ['workflow_dispatch', 'actions/workflows/deploy.yml/dispatches', { ref: 'main' }],
  ['repository_dispatch', 'dispatches', { event_type: 'deploy' }],
])('of a %s by a job, whoever is behind the job approves nothing', async (_, path, body) => {
  const { pusher, colleague, base, job, latest, approve } = await setting();
  expect((await job.post(`${base}/${path}`, body)).status).toBe(204);
  const run = await latest();
  expect(await approve(pusher, run)).toBe(403);
  expect(await approve(colleague, run)).toBe(200);
});

test('a run that a job runs again is for whoever is behind the job, and later for who runs it again', async () => {
  const { pusher, colleague, base, job, latest, approve } = await setting();
  const asColleague = await w.as(colleague);
  expect((await asColleague.post(`${base}/actions/workflows/deploy.yml/dispatches`, { ref: 'main' })).status).toBe(204);
  const run = await latest();
  const again = async (client: typeof job) => {
    expect((await asColleague.post(`${base}/actions/runs/${run}/force-cancel`)).status).toBe(202);
    await w.settle();
    expect((await client.post(`${base}/actions/runs/${run}/rerun`)).status).toBe(201);
    expect(await latest()).toBe(run);
  };
  expect(await approve(colleague, run)).toBe(403);
  await again(job);
  expect(await approve(pusher, run)).toBe(403);
  await again(asColleague);
  expect(await approve(colleague, run)).toBe(403);
  expect(await approve(pusher, run)).toBe(200);
});
