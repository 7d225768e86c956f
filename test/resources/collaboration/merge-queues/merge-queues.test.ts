import { expect, test } from 'vitest';
import { findRefOids } from '#git/refs/refs.ts';
import { mustUpdateRefs } from '#git/refs/update-refs.ts';
import { advance } from '#resources/collaboration/merge-queues/advance.ts';
import { advanceWaiting } from '#resources/collaboration/merge-queues/jobs.ts';
import { diskOf } from '#test/resources/code/commits/setting.ts';
import { world } from '#test/support/world.ts';
import { defaults, queueSetting } from './setting.ts';

// The rule stands in the repository's own rulesets, as PUT /repos/{owner}/{repo}/rulesets/{ruleset_id} has it.
const w = await world();

/** Lets minutes pass. */
async function pass(minutes: number): Promise<void> {
  w.clock.now = new Date(w.clock.now.getTime() + minutes * 60_000);
  await advanceWaiting.run({}, w.jobContext());
  await w.settle();
}

type Entry = { pull_request: { number: number }; state: string; position: number };

test('a branch with a merge queue is changed by the queue alone, one tested group after the other', async () => {
  const { client, base, ready, enqueue, entry, queue, check, tip, commit } = await queueSetting(w);
  const one = await ready('one');
  const two = await ready('two');
  const first = await tip('main');
  expect(await client.put(`${base}/pulls/${one.number}/merge`)).toMatchObject({
    status: 405,
    body: { message: expect.stringContaining('Changes must be made through the merge queue.') },
  });
  await expect(commit('main', { 'x.txt': 'x' })).rejects.toThrow('through the merge queue');
  expect(await enqueue(one.number)).toMatchObject({ status: 201, body: { state: 'queued', position: 1, merge_group: null } });
  expect((await enqueue(two.number)).body).toMatchObject({ state: 'queued', position: 2 });
  await w.settle();
  expect(await queue()).toMatchObject({ branch: 'main', configuration: defaults, total_count: 2 });
  const { entries } = (await queue()) as { entries: Entry[] };
  expect(entries).toMatchObject([
    { pull_request: { number: one.number }, state: 'awaiting_checks', position: 1 },
    { pull_request: { number: two.number }, state: 'awaiting_checks', position: 2 },
  ]);
  const { merge_group: group } = await entry(one.number);
  expect(group).toMatchObject({
    base_sha: first,
    head_ref: `refs/heads/queue/main/pr-${one.number}-${first}`,
  });
  expect((await entry(two.number)).merge_group.base_sha).toBe(group.head_sha);
  await check(two.number, 'success');
  expect(await tip('main')).toBe(first);
  expect(await entry(two.number)).toMatchObject({ state: 'mergeable' });
  await check(one.number, 'success');
  const merged = await entry(two.number);
  expect(merged).toMatchObject({ state: 'merged', position: null, removal_reason: 'MERGE' });
  expect(await tip('main')).toBe(merged.merge_group.head_sha);
  for (const { number } of [one, two])
    expect((await client.get(`${base}/pulls/${number}`)).body).toMatchObject({ merged: true, state: 'closed' });
  expect((await client.get(`${base}/git/matching-refs/heads/queue`)).body).toEqual([]);
  expect((await queue()).total_count).toBe(0);
});

test('a pull request whose group fails leaves the queue, and those behind it are tested without it', async () => {
  const { client, base, ready, enqueue, entry, check, tip } = await queueSetting(w);
  const [one, two, three] = [await ready('one'), await ready('two'), await ready('three')];
  for (const { number } of [one, two, three]) await enqueue(number);
  await w.settle();
  // Whether the second one is at fault isn't known before the first has passed.
  await check(two.number, 'failure');
  expect(await entry(two.number)).toMatchObject({ state: 'unmergeable' });
  await check(one.number, 'success');
  expect(await entry(one.number)).toMatchObject({ state: 'merged' });
  expect(await entry(two.number)).toMatchObject({
    state: 'removed',
    removal_reason: 'CI_FAILURE',
    removal_message: 'Required status check "test" is failing.',
  });
  expect(await entry(three.number)).toMatchObject({ state: 'awaiting_checks', merge_group: { base_sha: await tip('main') } });
  const { body: events } = await client.get(`${base}/issues/${two.number}/events`);
  expect(events).toMatchObject([{ event: 'added_to_merge_queue' }, { event: 'removed_from_merge_queue' }]);
  await check(three.number, 'success');
  expect(await entry(three.number)).toMatchObject({ state: 'merged' });
  expect((await client.get(`${base}/pulls/${two.number}`)).body).toMatchObject({ merged: false, state: 'open' });
  expect((await client.get(`${base}/contents/two.txt`)).status).toBe(404);
});

test('conflicts, other commits, other bases and closing end an entry', async () => {
  const { client, base, ready, enqueue, entry, commit } = await queueSetting(w);
  const one = await ready('one', { 'same.txt': '1\n' });
  const conflicting = await ready('conflicting', { 'same.txt': '2\n' });
  const pushed = await ready('pushed');
  const closed = await ready('closed');
  const draft = await ready('draft');
  for (const { number } of [one, conflicting, pushed, closed, draft]) await enqueue(number);
  await w.settle();
  expect(await entry(conflicting.number)).toMatchObject({ state: 'removed', removal_reason: 'MERGE_CONFLICT' });
  await commit('pushed', { 'more.txt': 'more\n' });
  await client.patch(`${base}/pulls/${closed.number}`, { state: 'closed' });
  await client.patch(`${base}/pulls/${draft.number}`, { draft: true });
  await w.settle();
  expect(await entry(pushed.number)).toMatchObject({ state: 'removed', removal_reason: 'INVALID_MERGE_COMMIT' });
  expect(await entry(closed.number)).toMatchObject({ removal_reason: 'MANUAL', removal_message: 'The pull request was closed.' });
  expect(await entry(draft.number)).toMatchObject({ removal_reason: 'MANUAL' });
  expect(await entry(one.number)).toMatchObject({ state: 'awaiting_checks', position: 1 });
});

test('checks that do not report in time remove an entry', async () => {
  const { ready, enqueue, entry } = await queueSetting(w, { rules: [{ parameters: { check_response_timeout_minutes: 3 } }] });
  const { number } = await ready('one');
  await enqueue(number);
  await w.settle();
  await pass(2);
  expect(await entry(number)).toMatchObject({ state: 'awaiting_checks' });
  await pass(1);
  expect(await entry(number)).toMatchObject({
    removal_reason: 'CI_TIMEOUT',
    removal_message: 'Checks did not report within 3 minutes: Required status check "test" is expected.',
  });
});

test('an entry waits for more, so many minutes', async () => {
  const parameters = { min_entries_to_merge: 2, min_entries_to_merge_wait_minutes: 5 };
  const { ready, enqueue, entry, check } = await queueSetting(w, { rules: [{ parameters }] });
  const one = await ready('one');
  await enqueue(one.number);
  await w.settle();
  await check(one.number, 'success');
  expect(await entry(one.number)).toMatchObject({ state: 'mergeable' });
  await pass(5);
  expect(await entry(one.number)).toMatchObject({ state: 'merged' });
});

test('as many are tested and merged at once as the rule says, by its method', async () => {
  const parameters = { max_entries_to_build: 2, max_entries_to_merge: 1, merge_method: 'SQUASH' };
  const { client, base, ready, enqueue, entry, check, tip } = await queueSetting(w, { rules: [{ parameters }] });
  const [one, two, three] = [await ready('one'), await ready('two'), await ready('three')];
  for (const { number } of [one, two, three]) await enqueue(number);
  await w.settle();
  expect([await entry(one.number), await entry(two.number), await entry(three.number)]).toMatchObject([
    { state: 'awaiting_checks' },
    { state: 'awaiting_checks' },
    { state: 'queued', merge_group: null },
  ]);
  await check(one.number, 'success');
  expect(await entry(one.number)).toMatchObject({ state: 'merged' });
  expect(await entry(three.number)).toMatchObject({ state: 'awaiting_checks' });
  const { body: commit } = await client.get(`${base}/commits/${await tip('main')}`);
  expect(commit).toMatchObject({ commit: { message: expect.stringContaining(`Change one (#${one.number})`) }, parents: [{}] });
});

test('with HEADGREEN, a group that passes brings those before it', async () => {
  const { ready, enqueue, entry, check, tip } = await queueSetting(w, {
    rules: [{ parameters: { grouping_strategy: 'HEADGREEN' } }],
  });
  const [one, two] = [await ready('one'), await ready('two')];
  for (const { number } of [one, two]) await enqueue(number);
  await w.settle();
  await check(one.number, 'failure');
  expect(await entry(one.number)).toMatchObject({ state: 'unmergeable' });
  await check(two.number, 'success');
  expect(await entry(one.number)).toMatchObject({ state: 'merged' });
  expect(await tip('main')).toBe((await entry(two.number)).merge_group.head_sha);
});

test('an administrator jumps the queue, and a writer removes an entry', async () => {
  const { client, repo, base, ready, enqueue, entry, queue } = await queueSetting(w);
  const writer = await w.user();
  await w.collaborator(repo, writer, 'write');
  const theirs = await w.as(writer);
  const [one, two] = [await ready('one'), await ready('two')];
  await enqueue(one.number);
  await w.settle();
  expect(await theirs.put(`${base}/pulls/${two.number}/queue-entry`, { jump: true })).toMatchObject({ status: 403 });
  expect((await enqueue(two.number, { jump: true })).status).toBe(201);
  await w.settle();
  const { entries } = (await queue()) as { entries: Entry[] };
  expect(entries.map(({ pull_request }) => pull_request.number)).toEqual([two.number, one.number]);
  const group = (await entry(two.number)).merge_group;
  expect((await entry(one.number)).merge_group.base_sha).toBe(group.head_sha);
  expect((await theirs.delete(`${base}/pulls/${two.number}/queue-entry`)).status).toBe(204);
  expect(await entry(two.number)).toMatchObject({ state: 'removed', position: null });
  await w.settle();
  expect(await entry(two.number)).toMatchObject({ state: 'removed', removal_reason: 'MANUAL' });
  expect((await queue()).total_count).toBe(1);
  const stranger = await w.as(await w.user());
  expect((await stranger.put(`${base}/pulls/${two.number}/queue-entry`)).status).toBe(403);
  expect((await client.get(`${base}/git/ref/${group.head_ref.replace('refs/', '')}`)).status).toBe(404);
});

test('what may not be merged may not enter, and nobody else writes the branches of a queue', async () => {
  const { client, base, first, commit, open, ready, enqueue, pushCommit } = await queueSetting(w);
  await commit('unchecked', { 'u.txt': 'u\n' });
  const number = await open('unchecked');
  expect(await enqueue(number)).toMatchObject({
    status: 405,
    body: { message: expect.stringContaining('Required status check "test" is expected.') },
  });
  expect((await client.get(`${base}/pulls/${number}/queue-entry`)).status).toBe(404);
  const one = await ready('one');
  expect((await enqueue(one.number, { expected_head_sha: first })).status).toBe(409);
  expect((await enqueue(one.number)).status).toBe(201);
  expect(await enqueue(one.number)).toMatchObject({ status: 422, body: { errors: [{ code: 'already_exists' }] } });
  await expect(pushCommit(`queue/main/pr-1-${first}`, first)).rejects.toThrow('Only the merge queue writes its branches.');
  await expect(pushCommit('gh-readonly-queue/main/x', first)).rejects.toThrow('Only the merge queue writes its branches.');
  await pushCommit('queue/mine', first);
  expect((await client.get(`${base}/merge-queues/queue/mine`)).status).toBe(404);
});

test('a group whose branch was lost is made anew', async () => {
  const { repo, ready, enqueue, entry, check } = await queueSetting(w);
  const one = await ready('one');
  await enqueue(one.number);
  await w.settle();
  const { merge_group: group } = await entry(one.number);
  await mustUpdateRefs(diskOf(w, repo), [{ ref: group.head_ref, to: null }]);
  await pass(1);
  expect(await entry(one.number)).toMatchObject({ state: 'awaiting_checks' });
  expect(await findRefOids(diskOf(w, repo), [group.head_ref])).toEqual(new Map([[group.head_ref, expect.any(String)]]));
  await check(one.number, 'success');
  expect(await entry(one.number)).toMatchObject({ state: 'merged' });
});

test('an entry whose group can have no branch leaves the queue', async () => {
  const { client, base, ready, enqueue, entry, tip } = await queueSetting(w);
  const one = await ready('one');
  expect((await client.post(`${base}/git/refs`, { ref: 'refs/heads/queue/main', sha: await tip('main') })).status).toBe(201);
  expect((await enqueue(one.number)).status).toBe(201);
  await w.settle();
  expect(await entry(one.number)).toMatchObject({
    state: 'removed',
    removal_reason: 'GIT_TREE_INVALID',
    removal_message: expect.stringContaining('the name of another branch is the beginning of queue/main/pr-'),
  });
});

test('an entry of a base with a name so long that a group has none leaves the queue', async () => {
  const { client, base, ruleset, ready, enqueue, entry, tip } = await queueSetting(w);
  const one = await ready('one');
  // Names have 1,024 bytes at most, each part 250.
  const name = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(245)).join('/');
  expect((await client.post(`${base}/git/refs`, { ref: `refs/heads/${name}`, sha: await tip('main') })).status).toBe(201);
  const conditions = { ref_name: { include: ['~ALL'], exclude: [] } };
  expect((await client.put(`${base}/rulesets/${ruleset.id}`, { conditions })).status).toBe(200);
  expect((await client.patch(`${base}/pulls/${one.number}`, { base: name })).status).toBe(200);
  expect((await enqueue(one.number)).status).toBe(201);
  await w.settle();
  expect(await entry(one.number)).toMatchObject({
    state: 'removed',
    removal_reason: 'GIT_TREE_INVALID',
    removal_message: expect.stringContaining('its name is too long'),
  });
});

test.each(['removed', 'suspended'] as const)('what somebody added who was %s then is not merged', async (what) => {
  const { client, base, repo, ready, check, entry, tip } = await queueSetting(w);
  const bob = await w.user();
  await w.collaborator(repo, bob, 'write');
  const one = await ready('one');
  expect((await (await w.as(bob)).put(`${base}/pulls/${one.number}/queue-entry`)).status).toBe(201);
  await w.settle();
  const before = await tip('main');
  if (what === 'removed') expect((await client.delete(`${base}/collaborators/${bob.login}`)).status).toBe(204);
  else {
    const admin = await w.as(await w.user(undefined, { site_admin: true }));
    expect((await admin.put(`/users/${bob.login}/suspended`)).status).toBe(204);
  }
  await check(one.number, 'success');
  expect(await entry(one.number)).toMatchObject({
    state: 'removed',
    removal_message: 'Who added it may not merge it any more.',
  });
  expect(await tip('main')).toBe(before);
});

test('a queue whose time is over goes on later, after other jobs', async () => {
  const { repo, ready, enqueue, queue } = await queueSetting(w);
  const [one, two] = [await ready('one'), await ready('two')];
  for (const { number } of [one, two]) await enqueue(number);
  const tested = async () => (await queue()).entries.filter((entry: Entry) => entry.state === 'awaiting_checks').length;
  await advance(w.jobContext(), { repository: repo.id, branch: 'main' }, 0);
  expect(await tested()).toBe(1);
  await w.settle();
  expect(await tested()).toBe(2);
});

test('as long as a repository takes no changes, its queues rest', async () => {
  const { client, base, repo, ready, enqueue, check, entry, tip } = await queueSetting(w, {
    rules: [{ parameters: { min_entries_to_merge: 2, min_entries_to_merge_wait_minutes: 1 } }],
  });
  const one = await ready('one');
  await enqueue(one.number);
  await w.settle();
  await check(one.number, 'success');
  const before = await tip('main');
  expect((await client.patch(base, { archived: true })).status).toBe(200);
  await pass(2);
  expect(await tip('main')).toBe(before);
  expect((await client.patch(base, { archived: false })).status).toBe(200);
  const migration = { repositories: [`${repo.owner.login}/${repo.name}`], lock_repositories: true };
  const { body } = await client.post('/user/migrations', migration);
  await pass(2);
  expect(await tip('main')).toBe(before);
  expect((await client.delete(`/user/migrations/${body.id}/repos/${repo.name}/lock`)).status).toBe(204);
  await pass(2);
  expect(await entry(one.number)).toMatchObject({ state: 'merged' });
  expect(await tip('main')).not.toBe(before);
});

test('the queue ends with its rule', async () => {
  const { client, base, ruleset, ready, enqueue, entry } = await queueSetting(w);
  const one = await ready('one');
  await enqueue(one.number);
  await w.settle();
  await client.put(`${base}/rulesets/${ruleset.id}`, { enforcement: 'disabled' });
  await w.settle();
  expect(await entry(one.number)).toMatchObject({ state: 'removed', removal_reason: 'QUEUE_CLEARED' });
  expect((await client.get(`${base}/git/matching-refs/heads/queue`)).body).toEqual([]);
  expect((await client.put(`${base}/pulls/${one.number}/merge`)).status).toBe(200);
});
