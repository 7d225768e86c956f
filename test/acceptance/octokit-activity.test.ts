import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { world } from '#test/support/world.ts';

const w = await world({ vocabulary: 'github' });

const restOf = async (user: Account) =>
  new Octokit({
    auth: await w.token(user, ['repo', 'notifications']),
    baseUrl: `${w.url}/api/v3`,
    throttle: { enabled: false },
    retry: { enabled: false },
  }).rest;

test('an unmodified Octokit watches a repository, reads an inbox, and polls it', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const [asAda, asBob] = [await restOf(ada), await restOf(bob)];
  const { data: made } = await asAda.repos.createForAuthenticatedUser({ name: 'engine' });
  const at = { owner: ada.login, repo: made.name };
  await w.settle();

  const { data: watched } = await asBob.activity.setRepoSubscription({ ...at, subscribed: true });
  expect(watched).toMatchObject({ subscribed: true, ignored: false });
  expect((await asBob.activity.getRepoSubscription(at)).data).toEqual(watched);
  const { data: watchers } = await asBob.activity.listWatchersForRepo(at);
  expect(watchers.map(({ login }) => login)).toEqual([ada.login, bob.login]);
  expect((await asBob.activity.listWatchedReposForAuthenticatedUser()).data).toMatchObject([{ name: 'engine' }]);
  expect((await asAda.activity.listReposWatchedByUser({ username: bob.login })).data).toMatchObject([{ name: 'engine' }]);
  expect((await asAda.repos.get(at)).data.subscribers_count).toBe(2);

  const { data: issue } = await asAda.issues.create({ ...at, title: 'The pump leaks' });
  await w.settle();
  const { data: threads, headers } = await asBob.activity.listNotificationsForAuthenticatedUser({ participating: false });
  expect(threads).toMatchObject([{ reason: 'subscribed', subject: { title: 'The pump leaks', url: issue.url, type: 'Issue' } }]);
  expect(headers['x-poll-interval']).toBe('60');
  const since = { headers: { 'if-modified-since': headers['last-modified'] ?? '' } };
  await expect(asBob.activity.listNotificationsForAuthenticatedUser(since)).rejects.toMatchObject({ status: 304 });
  expect((await asBob.activity.listRepoNotificationsForAuthenticatedUser(at)).data).toEqual(threads);

  const thread = { thread_id: Number(threads[0]?.id) };
  expect((await asBob.activity.getThread(thread)).data).toEqual(threads[0]);
  expect((await asBob.activity.setThreadSubscription({ ...thread, ignored: true })).data).toMatchObject({ ignored: true });
  expect((await asBob.activity.getThreadSubscriptionForAuthenticatedUser(thread)).data).toMatchObject({ ignored: true });
  expect((await asBob.activity.deleteThreadSubscription(thread)).status).toBe(204);
  expect((await asBob.activity.markThreadAsRead(thread)).status).toBe(205);
  expect((await asBob.activity.listNotificationsForAuthenticatedUser()).data).toEqual([]);
  expect((await asBob.activity.markNotificationsAsRead()).status).toBe(205);
  expect((await asBob.activity.markRepoNotificationsAsRead(at)).status).toBe(205);
  expect((await asBob.activity.markThreadAsDone(thread)).status).toBe(204);
  expect((await asBob.activity.listNotificationsForAuthenticatedUser({ all: true })).data).toEqual([]);
  expect((await asBob.activity.deleteRepoSubscription(at)).status).toBe(204);
  await expect(asBob.activity.getRepoSubscription(at)).rejects.toMatchObject({ status: 404 });
});
