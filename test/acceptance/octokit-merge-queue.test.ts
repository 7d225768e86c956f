import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const w = await world({ vocabulary: 'github' });

test('an unmodified Octokit demands a merge queue, and takes two pull requests through it', async () => {
  const ada = await w.user();
  const client = new Octokit({
    auth: await w.token(ada),
    baseUrl: `${w.url}/api/v3`,
    throttle: { enabled: false },
    retry: { enabled: false },
  });
  const { repos, git, pulls, issues } = client.rest;
  await repos.createForAuthenticatedUser({ name: 'engine', auto_init: true });
  const at = { owner: ada.login, repo: 'engine' };
  const parameters = {
    check_response_timeout_minutes: 60,
    grouping_strategy: 'ALLGREEN' as const,
    max_entries_to_build: 5,
    max_entries_to_merge: 5,
    merge_method: 'SQUASH' as const,
    min_entries_to_merge: 1,
    min_entries_to_merge_wait_minutes: 5,
  };
  const { data: ruleset } = await repos.createRepoRuleset({
    ...at,
    name: 'Queue',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
    rules: [
      { type: 'merge_queue', parameters },
      {
        type: 'required_status_checks',
        parameters: { strict_required_status_checks_policy: false, required_status_checks: [{ context: 'test' }] },
      },
    ],
  });
  expect(ruleset.rules).toMatchObject([{ type: 'merge_queue', parameters }, { type: 'required_status_checks' }]);
  const { data: rules } = await repos.getBranchRules({ ...at, branch: 'main' });
  expect(rules).toMatchObject([{ type: 'merge_queue', parameters, ruleset_id: ruleset.id }, { type: 'required_status_checks' }]);

  const { data: main } = await git.getRef({ ...at, ref: 'heads/main' });
  const report = (sha: string) => repos.createCommitStatus({ ...at, sha, state: 'success', context: 'test' });
  for (const name of ['one', 'two']) {
    await git.createRef({ ...at, ref: `refs/heads/${name}`, sha: main.object.sha });
    const content = Buffer.from(name).toString('base64');
    const { data } = await repos.createOrUpdateFileContents({ ...at, path: name, branch: name, message: name, content });
    await pulls.create({ ...at, title: `Add ${name}`, head: name, base: 'main' });
    await report(data.commit.sha ?? '');
  }
  await w.settle();
  await expect(pulls.merge({ ...at, pull_number: 1 })).rejects.toMatchObject({
    status: 405,
    message: expect.stringContaining('Changes must be made through the merge queue.'),
  });

  const entryOf = { ...at, path: '/repos/{owner}/{repo}/pulls/{pull_number}/queue-entry' };
  const entry = async (pull_number: number) => (await client.request(`GET ${entryOf.path}`, { ...at, pull_number })).data;
  for (const pull_number of [1, 2]) {
    const { status, data } = await client.request(`PUT ${entryOf.path}`, { ...at, pull_number });
    expect([status, data.state, data.position]).toEqual([201, 'queued', pull_number]);
  }
  await w.settle();
  const [first, second] = [(await entry(1)).merge_group, (await entry(2)).merge_group];
  expect(first.head_ref).toBe(`refs/heads/gh-readonly-queue/main/pr-1-${main.object.sha}`);
  expect(second.base_sha).toBe(first.head_sha);
  const { data: branches } = await git.listMatchingRefs({ ...at, ref: 'heads/gh-readonly-queue' });
  expect(branches.map(({ object }) => object.sha)).toEqual([first.head_sha, second.head_sha]);
  const { data: queue } = await client.request('GET /repos/{owner}/{repo}/merge-queues/{branch}', { ...at, branch: 'main' });
  expect(queue).toMatchObject({ configuration: parameters, total_count: 2 });

  await report(first.head_sha);
  await report(second.head_sha);
  await w.settle();
  for (const pull_number of [1, 2]) {
    const { data } = await pulls.get({ ...at, pull_number });
    expect([data.merged, data.merged_by?.login]).toEqual([true, ada.login]);
  }
  const { data: tip } = await git.getRef({ ...at, ref: 'heads/main' });
  expect(tip.object.sha).toBe(second.head_sha);
  const { data: timeline } = await issues.listEventsForTimeline({ ...at, issue_number: 1 });
  const events = timeline.map(({ event }) => event);
  expect(events).toContain('added_to_merge_queue');
  expect(events).toContain('merged');
});
