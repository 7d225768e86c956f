// Each row of document 2's table of states, and of what its text says of them.
import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import type { Client } from '#test/support/client.ts';
import { world } from '#test/support/world.ts';
import { inbox, makeStage, reasonsIn } from './stage.ts';

const w = await world({ resourceLimits: { notifications: { markedAtOnce: 3 } } });
const everything = '/notifications?all=true';
const later = (seconds: number) => {
  w.clock.now = new Date(w.clock.now.getTime() + seconds * 1_000);
};

type Reader = {
  ada: Account;
  bob: Account;
  asBob: Client;
  issue: string;
  path: string;
  stage: Awaited<ReturnType<typeof makeStage>>;
};

/** Somebody with one unread thread, of an issue that they opened. */
async function reader(): Promise<Reader> {
  const [ada, bob] = [await w.user(), await w.user()];
  const stage = await makeStage(w, ada);
  const issue = await stage.open(bob);
  await stage.comment(ada, issue);
  const asBob = await w.as(bob);
  const [thread] = await inbox(asBob);
  return { ada, bob, asBob, issue, path: `/notifications/threads/${thread?.id}`, stage };
}

test('unread, PATCH: read, and once more', async () => {
  const { asBob, path } = await reader();
  expect((await asBob.get(path)).body).toMatchObject({ unread: true, last_read_at: null });
  later(5);
  for (const _ of [1, 2]) {
    expect((await asBob.patch(path)).status).toBe(205);
    expect((await asBob.get(path)).body).toMatchObject({
      unread: false,
      last_read_at: w.clock.now.toISOString().replace('.000', ''),
    });
  }
  expect(await reasonsIn(asBob)).toEqual([]);
  expect(await inbox(asBob, everything)).toMatchObject([{ unread: false }]);
});

test('unread, PUT: read as of the time given, 205; what changed later stays unread', async () => {
  const { ada, bob, asBob, stage } = await reader();
  const between = new Date(w.clock.now.getTime() + 10_000).toISOString();
  later(20);
  await stage.comment(ada, await stage.open(bob, { title: 'The second' }));
  expect((await asBob.put('/notifications', { last_read_at: between })).status).toBe(205);
  expect(await inbox(asBob, everything)).toMatchObject([
    { title: 'The second', unread: true },
    { title: 'The pump leaks', unread: false },
  ]);
  expect((await asBob.put('/notifications', { read: false })).status).toBe(205);
  expect(await reasonsIn(asBob)).toHaveLength(1);
  expect((await asBob.put('/notifications')).status).toBe(205);
  expect(await reasonsIn(asBob)).toEqual([]);
});

test('unread, PUT with the time that the thread shows: read, though it changed within that second', async () => {
  const { ada, asBob, issue, stage } = await reader();
  w.clock.now = new Date(Math.ceil(w.clock.now.getTime() / 1_000) * 1_000 + 5_700);
  await stage.comment(ada, issue);
  const [thread] = (await asBob.get('/notifications')).body;
  const { updated_at } = thread;
  const before = new Date(new Date(updated_at).getTime() - 1_000).toISOString();
  await asBob.put('/notifications', { last_read_at: before });
  expect(await inbox(asBob)).toHaveLength(1);
  expect((await asBob.put('/notifications', { last_read_at: updated_at })).status).toBe(205);
  expect(await inbox(asBob)).toEqual([]);
});

test('unread, PUT for a repository: its threads alone', async () => {
  const { ada, bob, asBob, stage } = await reader();
  const other = await makeStage(w, ada);
  await other.comment(ada, await other.open(bob, { title: 'Elsewhere' }));
  expect((await asBob.put(`${stage.base}/notifications`)).status).toBe(205);
  expect(await inbox(asBob)).toMatchObject([{ title: 'Elsewhere' }]);
});

test('unread, PUT where the set is too large: 202 with a message, and read soon after', async () => {
  const { ada, bob, asBob, stage } = await reader();
  for (const title of ['two', 'three']) await stage.comment(ada, await stage.open(bob, { title }));
  expect((await asBob.put('/notifications', { last_read_at: '2020-01-01T00:00:00Z' })).status).toBe(205);
  expect((await asBob.put(`${stage.base}/notifications`)).status).toBe(205);
  for (const title of ['four', 'five', 'six', 'seven']) await stage.comment(ada, await stage.open(bob, { title }));
  const accepted = await asBob.put(`${stage.base}/notifications`);
  const url = `${w.url}/api/v3${stage.base}/notifications`;
  expect(accepted).toMatchObject({ status: 202, body: { message: expect.stringContaining('background'), url } });
  expect(await reasonsIn(asBob)).toHaveLength(4);
  const until = w.clock.now.toISOString();
  expect(await asBob.put('/notifications', { last_read_at: until })).toMatchObject({
    status: 202,
    body: { message: expect.stringContaining('background') },
  });
  later(60);
  const newer = await stage.open(bob, { title: 'eight' });
  await stage.comment(ada, newer);
  expect(await inbox(asBob)).toMatchObject([{ title: 'eight' }]);
});

test('any, DELETE: done, and back by something new', async () => {
  const { ada, asBob, path, issue, stage } = await reader();
  expect((await asBob.delete(path)).status).toBe(204);
  expect(await reasonsIn(asBob, everything)).toEqual([]);
  expect((await asBob.get(path)).body).toMatchObject({ unread: false });
  expect((await asBob.delete(path)).status).toBe(204);
  await stage.comment(ada, issue);
  expect(await inbox(asBob)).toMatchObject([{ unread: true, reason: 'author' }]);
  await asBob.patch(path);
  expect((await asBob.delete(path)).status).toBe(204);
  expect(await reasonsIn(asBob, everything)).toEqual([]);
});

test('subscribed, PUT with ignored true: nothing comes, mentions and own comments notwithstanding; with false it does again', async () => {
  const { ada, bob, asBob, path, issue, stage } = await reader();
  const subscription = `${path}/subscription`;
  const thread_url = `${w.url}/api/v3${path}`;
  expect((await asBob.get(subscription)).body).toMatchObject({ subscribed: true, ignored: false, reason: 'author', thread_url });
  await asBob.patch(path);
  const ignored = await asBob.put(subscription, { ignored: true });
  expect(ignored).toMatchObject({ status: 200, body: { subscribed: false, ignored: true, reason: null } });
  await stage.comment(bob, issue);
  await stage.comment(ada, issue, `@${bob.login}?`);
  expect(await reasonsIn(asBob)).toEqual([]);
  expect((await asBob.get(subscription)).body).toEqual(ignored.body);
  expect((await asBob.put(subscription, {})).body).toMatchObject({ subscribed: true, ignored: false, reason: 'manual' });
  await stage.comment(ada, issue);
  expect(await reasonsIn(asBob)).toEqual(['manual']);
});

test.each([
  ['a comment of one’s own', 'comment'],
  ['a mention', 'mention'],
])('any, DELETE subscription: muted until %s', async (_, how) => {
  const { ada, bob, asBob, path, issue, stage } = await reader();
  await asBob.patch(path);
  expect((await asBob.delete(`${path}/subscription`)).status).toBe(204);
  expect((await asBob.get(`${path}/subscription`)).body).toMatchObject({ subscribed: false, ignored: false, reason: null });
  await asBob.put(`${stage.base}/subscription`, {});
  await stage.comment(ada, issue);
  await (await w.as(ada)).patch(issue, { state: 'closed' });
  await w.settle();
  expect(await reasonsIn(asBob)).toEqual([]);
  if (how === 'comment') await stage.comment(bob, issue);
  await stage.comment(ada, issue, how === 'mention' ? `@${bob.login}?` : 'So it is.');
  expect(await reasonsIn(asBob)).toEqual([how]);
  expect((await asBob.get(`${path}/subscription`)).body).toMatchObject({ subscribed: true, reason: how });
});

test('muted or never subscribed, PUT with ignored false: subscribed', async () => {
  const { ada, asBob, path, issue, stage } = await reader();
  await asBob.delete(`${path}/subscription`);
  expect((await asBob.put(`${path}/subscription`, { ignored: false })).body).toMatchObject({
    subscribed: true,
    reason: 'manual',
  });
  const watcher = await w.as(await w.user());
  await watcher.put(`${stage.base}/subscription`);
  await stage.comment(ada, issue);
  const [first] = await inbox(watcher);
  const own = `/notifications/threads/${first?.id}/subscription`;
  expect((await watcher.get(own)).body).toMatchObject({ subscribed: false, ignored: false, reason: null, created_at: null });
  expect((await watcher.put(own)).body).toMatchObject({ subscribed: true, reason: 'manual' });
});

test('subscribing and unsubscribing by hand are events', async () => {
  const { asBob, path } = await reader();
  await asBob.put(`${path}/subscription`, { ignored: true });
  await asBob.put(`${path}/subscription`, { ignored: true });
  await asBob.put(`${path}/subscription`);
  await asBob.delete(`${path}/subscription`);
  const events = await w.db.selectFrom('events').select('kind').orderBy('id', 'desc').limit(4).execute();
  expect(events.map(({ kind }) => kind)).toEqual([
    'thread.unsubscribed',
    'thread.subscribed',
    'thread.unsubscribed',
    'issue_comment.created',
  ]);
});
