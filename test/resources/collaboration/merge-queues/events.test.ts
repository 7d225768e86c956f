// What webhooks and workflows get of merge queues.
import { expect, test } from 'vitest';
import { heard, listening, parts } from '#test/resources/platform/webhooks/listening.ts';
import { commitFiles } from '#test/support/commit.ts';

const { here, owner, org, client, target } = await listening();
const repo = await here.repo(org, { by: owner });
const base = `/repos/${org.login}/${repo.name}`;
const file = 'on: merge_group\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make test\n';
await commitFiles(here, repo, { 'a.txt': 'a', '.github/workflows/queue.yml': file });
const told = () => heard(here, target);

test('a group is told to hooks, as the public schemas describe it, and runs the workflows that name merge_group', async () => {
  const main = (await client.get(`${base}/git/ref/heads/main`)).body.object.sha;
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/topic', sha: main });
  await client.put(`${base}/contents/b.txt`, { message: 'Add b', content: 'Yg==', branch: 'topic' });
  await client.post(`${base}/pulls`, { title: 'Add b', head: 'topic', base: 'main' });
  const required = { required_status_checks: [{ context: 'test' }], strict_required_status_checks_policy: false };
  const ruleset = {
    name: 'Queue',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'] } },
    rules: [{ type: 'merge_queue' }, { type: 'required_status_checks', parameters: required }],
  };
  expect((await client.post(`${base}/rulesets`, ruleset)).status).toBe(201);
  const { body: topic } = await client.get(`${base}/git/ref/heads/topic`);
  await client.post(`${base}/statuses/${topic.object.sha}`, { state: 'success', context: 'test' });
  await told();
  expect((await client.put(`${base}/pulls/1/queue-entry`)).status).toBe(201);
  const entered = await told();
  const { merge_group: group } = (await client.get(`${base}/pulls/1/queue-entry`)).body;
  const { head_ref, head_sha } = group;
  const merge_group = { head_sha, head_ref, base_sha: main, base_ref: 'refs/heads/main', head_commit: { id: head_sha } };
  expect(entered).toMatchObject({
    'pull_request.enqueued': { number: 1, ...parts(org, owner) },
    'merge_group.checks_requested': { merge_group, ...parts(org, owner) },
  });
  const { body: runs } = await client.get(`${base}/actions/runs?event=merge_group`);
  expect(runs).toMatchObject({
    total_count: 1,
    workflow_runs: [{ head_sha, head_branch: head_ref.replace('refs/heads/', ''), event: 'merge_group' }],
  });
  await client.post(`${base}/statuses/${head_sha}`, { state: 'success', context: 'test' });
  const merged = await told();
  // The job of the workflow is named as the required check, and has not run.
  expect(merged['merge_group.destroyed']).toBeUndefined();
  await client.delete(`${base}/pulls/1/queue-entry`);
  expect(await told()).toMatchObject({
    'pull_request.dequeued': { number: 1, reason: 'MANUAL' },
    'merge_group.destroyed': { reason: 'dequeued', merge_group },
  });
});
