// Threads of check suites: who is told when one fails.
import { expect, test } from 'vitest';
import { checker } from '#test/resources/code/checks/setting.ts';
import { addFile } from '#test/resources/code/commits/setting.ts';
import { forkSetting, pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { world } from '#test/support/world.ts';
import { inbox, reasonsIn, threadStatuses } from './stage.ts';

const w = await world();

/** A repository that an app checks, and bob, who may write to it. */
async function place() {
  const setting = await pullSetting(w);
  const bob = await w.user();
  await w.collaborator(setting.repo, bob, 'write');
  const app = await checker(w, setting.owner);
  const run = async (head_sha: string, wanted: object) => {
    w.clock.now = new Date(w.clock.now.getTime() + 2_000);
    const { status, body } = await app.client.post(`${setting.base}/check-runs`, { name: 'tests', head_sha, ...wanted });
    expect(status).toBe(201);
    await w.settle();
    return body;
  };
  const asBob = await w.as(bob);
  const pushed = async () => {
    const { commit } = await addFile(asBob, setting.base);
    await w.settle();
    return commit;
  };
  return { ...setting, bob, asBob, app, run, pushed };
}

test('who pushed a commit is told that its suite failed, and nobody else', async () => {
  const { client, base, bob, asBob, run, pushed } = await place();
  const eve = await w.as(await w.user());
  await eve.put(`${base}/subscription`, { subscribed: true });
  const made = await run(await pushed(), { conclusion: 'failure' });
  const { body } = await asBob.get('/notifications');
  const title = `${made.app.name} workflow run failed for main branch`;
  const subject = { type: 'CheckSuite', title, url: null, latest_comment_url: null };
  expect(body).toMatchObject([{ reason: 'ci_activity', unread: true, subject }]);
  expect([await inbox(client), await inbox(eve)]).toEqual([[], []]);
  expect((await asBob.get(`${base}/notifications`)).body).toHaveLength(1);
  expect((await asBob.get('/notifications?participating=true')).body).toHaveLength(1);
  expect(await threadStatuses(asBob, `/notifications/threads/${body[0].id}`)).toEqual([200, 205, 204, 200, 200, 204]);
  expect((await w.db.selectFrom('check_suites').select('pushed_by').where('id', '=', made.check_suite.id).execute())[0]).toEqual({
    pushed_by: bob.id,
  });
});

test('a suite has one thread, which is unread again when it fails again, and none where it ends well', async () => {
  const { asBob, base, app, run, pushed } = await place();
  const commit = await pushed();
  for (const conclusion of ['success', 'neutral', 'skipped', 'cancelled']) await run(commit, { conclusion });
  expect(await inbox(asBob)).toEqual([]);
  const { id } = await run(commit, { conclusion: 'timed_out' });
  const [thread] = await inbox(asBob);
  expect(thread?.title).toContain('timed out for main branch');
  await asBob.put('/notifications', {});
  const { headers } = await asBob.get('/notifications?all=true');
  const change = async (conclusion: string) => {
    w.clock.now = new Date(w.clock.now.getTime() + 2_000);
    await app.client.patch(`${base}/check-runs/${id}`, { conclusion });
    await w.settle();
  };
  await change('success');
  expect(await inbox(asBob)).toEqual([]);
  const since = { headers: { 'if-modified-since': headers['last-modified'] ?? '' } };
  expect((await asBob.get('/notifications?all=true', since)).status).toBe(304);
  await change('failure');
  expect(await inbox(asBob)).toMatchObject([{ id: thread?.id, title: expect.stringContaining('failed for main branch') }]);
});

test('a suite that its first run made before the push was known belongs to who pushed', async () => {
  const { asBob, base, app, run } = await place();
  const { commit } = await addFile(asBob, base);
  const { body } = await app.client.post(`${base}/check-runs`, { name: 'lint', head_sha: commit });
  await w.settle();
  await app.client.patch(`${base}/check-runs/${body.id}`, { conclusion: 'success' });
  await run(commit, { conclusion: 'failure' });
  expect(await reasonsIn(asBob)).toEqual(['ci_activity']);
});

test('of a commit from a fork, those are told whose open pull requests have it as head', async () => {
  const here = await place();
  const carol = await w.user();
  const fork = await forkSetting(w, here, carol);
  const head = await fork.commit('fix');
  const { body } = await fork.open('fix');
  await w.settle();
  const made = await here.run(head, { conclusion: 'failure' });
  expect(await inbox(fork.client)).toMatchObject([
    { reason: 'ci_activity', title: `${made.app.name} workflow run failed for fix branch` },
  ]);
  expect(await reasonsIn(here.client)).not.toContain('ci_activity');
  await here.client.patch(`${here.base}/pulls/${body.number}`, { state: 'closed' });
  await w.settle();
  await fork.client.put('/notifications', {});
  await here.run(head, { conclusion: 'timed_out' });
  expect(await inbox(fork.client)).toEqual([]);
});

test('who ignores the repository or may not read it any more is not told', async () => {
  const here = await place();
  const first = await here.pushed();
  await here.asBob.put(`${here.base}/subscription`, { ignored: true });
  await here.run(first, { conclusion: 'failure' });
  expect(await inbox(here.asBob)).toEqual([]);
  await here.asBob.delete(`${here.base}/subscription`);
  const second = await here.pushed();
  await here.client.patch(here.base, { visibility: 'private' });
  await here.client.delete(`${here.base}/collaborators/${here.bob.login}`);
  await here.run(second, { conclusion: 'failure' });
  const threads = w.db.selectFrom('notification_threads').select('id').where('account_id', '=', here.bob.id);
  expect(await threads.where('reason', '=', 'ci_activity').execute()).toEqual([]);
});
