// Whether the tokens of jobs may open and approve pull requests.
import { expect, test } from 'vitest';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';
import { pushWorkflow } from '../setting.ts';

const w = await world();

const workflow = `on: push
permissions: write-all
jobs:
  a: {runs-on: ubuntu-latest, steps: [{run: x}]}
`;

/** A repository with a job, whose token is used, and with a branch and an issue. */
async function setting() {
  const ada = await w.user();
  const org = await w.org(ada);
  const repo = await w.repo(org, { by: ada });
  const base = `/repos/${org.login}/${repo.name}`;
  await pushWorkflow(w, repo, { '.github/workflows/ci.yml': workflow });
  const client = await w.as(ada);
  const task = await (await startRunner(w, repo)).fetch();
  const job = await w.as(task?.secrets.GITHUB_TOKEN ?? '');
  const { body: main } = await client.get(`${base}/branches/main`);
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/topic', sha: main.commit.sha });
  await client.put(`${base}/contents/a`, { message: 'Add a', content: btoa('a'), branch: 'topic' });
  const { body: issue } = await client.post(`${base}/issues`, { title: 'Improve it' });
  const allow = async (isAllowed: boolean) => {
    const settings = { default_workflow_permissions: 'write', can_approve_pull_request_reviews: isAllowed };
    for (const path of [`/orgs/${org.login}`, base])
      expect((await client.put(`${path}/actions/permissions/workflow`, settings)).status).toBe(204);
  };
  return { base, client, job, issue: issue.number as number, allow };
}

const refused = {
  status: 403,
  body: { message: 'Workflow jobs are not permitted to create or approve pull requests in this repository.' },
};

test('the token of a job opens no pull request unless the settings let it', async () => {
  const { base, job, issue, allow } = await setting();
  await w.unchanged(['issues', 'pull_requests', 'events'], async () => {
    expect(await job.post(`${base}/pulls`, { title: 'Take it', head: 'topic', base: 'main' })).toMatchObject(refused);
    expect(await job.post(`${base}/pulls`, { issue, head: 'topic', base: 'main' })).toMatchObject(refused);
  });
  await allow(true);
  expect((await job.post(`${base}/pulls`, { title: 'Take it', head: 'topic', base: 'main' })).status).toBe(201);
});

test('the token of a job approves no pull request unless the settings let it, but comments', async () => {
  const { base, client, job, allow } = await setting();
  const { body: pull } = await client.post(`${base}/pulls`, { title: 'Take it', head: 'topic', base: 'main' });
  const reviews = `${base}/pulls/${pull.number}/reviews`;
  await w.unchanged(['reviews', 'events'], async () =>
    expect(await job.post(reviews, { event: 'APPROVE' })).toMatchObject(refused),
  );
  expect((await job.post(reviews, { event: 'COMMENT', body: 'Hm' })).status).toBe(200);
  expect((await job.post(reviews, { event: 'REQUEST_CHANGES', body: 'No' })).status).toBe(200);
  const { body: pending } = await job.post(reviews, { body: 'Later' });
  const submit = `${reviews}/${pending.id}/events`;
  expect(await job.post(submit, { event: 'APPROVE' })).toMatchObject(refused);
  await allow(true);
  expect(await job.post(submit, { event: 'APPROVE' })).toMatchObject({ status: 200, body: { state: 'APPROVED' } });
  await allow(false);
  expect(await job.post(reviews, { event: 'APPROVE' })).toMatchObject(refused);
  expect((await client.post(reviews, { event: 'COMMENT', body: 'Mine' })).status).toBe(200);
});
