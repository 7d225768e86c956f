// A runner that is no part of the project tests the groups of a merge queue.
import { expect, test } from 'vitest';
import { createRunnerToken } from '#resources/actions/runners/index.ts';
import { hasActRunner, startActRunner, withoutActRunner } from '#test/support/act-runner.ts';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';

const here = await world();

const workflow = `on:
  merge_group:
  pull_request:
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - if: github.event_name == 'merge_group'
        run: test "\${{ github.event.merge_group.head_sha }}" = "\${{ github.sha }}"
      - run: "true"
`;

test.skipIf(!hasActRunner)('a runner runs the workflow of a merge group, which is merged then', async (context) => {
  if (!hasActRunner) context.skip(withoutActRunner);
  const { change, clock, settle, url } = here;
  const ada = await here.user();
  const repo = await here.repo(ada, { name: 'engine' });
  const client = await here.as(ada);
  const base = `/repos/${ada.login}/${repo.name}`;
  await commitFiles(here, repo, { 'a.txt': 'a', '.github/workflows/test.yml': workflow });
  const required = { required_status_checks: [{ context: 'test' }], strict_required_status_checks_policy: false };
  await client.post(`${base}/rulesets`, {
    name: 'Queue',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'] } },
    rules: [{ type: 'merge_queue' }, { type: 'required_status_checks', parameters: required }],
  });
  const { token } = await change((scope) =>
    createRunnerToken(scope, { repository: repo.id }, { purpose: 'registration', now: clock.now }),
  );
  await startActRunner(url, { token });

  const main = (await client.get(`${base}/git/ref/heads/main`)).body.object.sha;
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/topic', sha: main });
  await client.put(`${base}/contents/b.txt`, { message: 'Add b', content: 'Yg==', branch: 'topic' });
  await client.post(`${base}/pulls`, { title: 'Add b', head: 'topic', base: 'main' });
  const runsOf = async (event: string) => {
    await settle();
    const { body } = await client.get(`${base}/actions/runs?event=${event}`);
    return body.workflow_runs.map(({ conclusion }: { conclusion: string }) => conclusion);
  };
  await expect.poll(() => runsOf('pull_request')).toEqual(['success']);

  expect((await client.put(`${base}/pulls/1/queue-entry`)).status).toBe(201);
  await expect.poll(() => runsOf('merge_group')).toEqual(['success']);
  await settle();
  const { body: entry } = await client.get(`${base}/pulls/1/queue-entry`);
  expect(entry).toMatchObject({ state: 'merged', removal_reason: 'MERGE' });
  expect((await client.get(`${base}/pulls/1`)).body).toMatchObject({ merged: true, merged_by: { login: ada.login } });
  expect((await client.get(`${base}/git/ref/heads/main`)).body.object.sha).toBe(entry.merge_group.head_sha);
});
