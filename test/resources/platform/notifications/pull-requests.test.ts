// Who is told of pull requests, why, and how their threads look.
import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { world } from '#test/support/world.ts';
import { inbox, reasonsIn } from './stage.ts';

const w = await world();

/** A pull request of bob's, in a repository that ada watches, by whom nothing is read yet. */
async function opened(more: object = {}) {
  const setting = await pullSetting(w);
  const { ada, repo, base, client } = setting;
  const [bob, eve] = [await w.user(), await w.user()];
  await w.collaborator(repo, bob, 'write');
  const asBob = await w.as(bob);
  await client.put(`${base}/subscription`, { subscribed: true });
  await setting.commit('seal', { 'seal.txt': 's\n' });
  const { body } = await asBob.post(`${base}/pulls`, { title: 'Seal the pump', head: 'seal', base: 'main', ...more });
  await w.settle();
  const url = `${base}/pulls/${body.number}`;
  return { ...setting, ada, bob, eve, asBob, asEve: await w.as(eve), number: body.number as number, url };
}

test('the subject is the pull request, with its latest comment; conversations are told as those of issues are', async () => {
  const { ada, client, asBob, asEve, base, url, number } = await opened();
  const subject = {
    title: 'Seal the pump',
    url: `${w.url}/api/v3${url}`,
    latest_comment_url: `${w.url}/api/v3${url}`,
    type: 'PullRequest',
  };
  const octokit = new Octokit({ auth: await w.token(ada), baseUrl: `${w.url}/api/v3`, throttle: { enabled: false } });
  const { data } = await octokit.rest.activity.listNotificationsForAuthenticatedUser();
  expect(data).toMatchObject([{ reason: 'subscribed', unread: true, subject }]);
  expect(await inbox(asBob)).toEqual([]);
  const { body: comment } = await asEve.post(`${base}/issues/${number}/comments`, { body: 'It still leaks.' });
  await w.settle();
  const { body: told } = await asBob.get('/notifications');
  const latest_comment_url = `${w.url}/api/v3${base}/issues/comments/${comment.id}`;
  expect(told).toMatchObject([{ reason: 'author', subject: { ...subject, latest_comment_url } }]);
  expect((await client.get(`/notifications/threads/${told[0].id}`)).status).toBe(404);
  expect(await reasonsIn(asEve)).toEqual([]);
});

test('state_change, assign, mention and comment', async () => {
  const { ada, eve, client, asBob, asEve, base, url, number } = await opened();
  await asEve.post(`${base}/issues/${number}/comments`, { body: 'It still leaks.' });
  await asBob.patch(url, { state: 'closed' });
  await w.settle();
  expect(await reasonsIn(asEve)).toEqual(['comment']);
  await client.patch(url, { state: 'open' });
  await w.settle();
  expect(await reasonsIn(asBob)).toEqual(['state_change']);
  await client.post(`${base}/issues/${number}/comments`, { body: `Look, @${eve.login}` });
  await w.settle();
  expect(await reasonsIn(asEve)).toEqual(['mention']);
  await asBob.post(`${base}/issues/${number}/assignees`, { assignees: [ada.login] });
  await w.settle();
  expect(await reasonsIn(client)).toEqual(['assign']);
});

test('a merge is a change of the state: its author is told, and who merged is told of what follows', async () => {
  const { client, asBob, asEve, base, url, number, tested } = await opened();
  await tested(number);
  expect((await client.put(`${url}/merge`, {})).status).toBe(200);
  await w.settle();
  expect(await reasonsIn(asBob)).toEqual(['author']);
  await client.put('/notifications', { read: true });
  await asEve.post(`${base}/issues/${number}/comments`, { body: 'Thank you.' });
  await w.settle();
  expect(await reasonsIn(client)).toEqual(['state_change']);
});

test('an edit tells who is newly mentioned alone, a draft that is ready everybody, and new commits nobody', async () => {
  const { eve, client, asBob, asEve, url, commit } = await opened({ draft: true });
  await client.put('/notifications', { read: true });
  await commit('seal', { 'seal.txt': 't\n' });
  await asBob.patch(url, { body: `For @${eve.login}` });
  await w.settle();
  expect(await inbox(client)).toEqual([]);
  expect(await reasonsIn(asEve)).toEqual(['mention']);
  await asBob.patch(url, { draft: false });
  await w.settle();
  expect(await reasonsIn(client)).toEqual(['subscribed']);
  expect(await reasonsIn(asBob)).toEqual([]);
});

test('a new title is shown at the next poll, and so is that an issue became a pull request', async () => {
  const { client, asBob, url, base, commit } = await opened();
  const first = await client.get('/notifications');
  const since = { headers: { 'if-modified-since': String(first.headers['last-modified']) } };
  expect((await client.get('/notifications', since)).status).toBe(304);
  await asBob.patch(url, { title: 'Seal all pumps' });
  await w.settle();
  expect((await client.get('/notifications', since)).body).toMatchObject([{ subject: { title: 'Seal all pumps' } }]);
  const { body: issue } = await asBob.post(`${base}/issues`, { title: 'Becoming' });
  await w.settle();
  await commit('become', { 'c.txt': 'c\n' });
  await asBob.post(`${base}/pulls`, { issue: issue.number, head: 'become', base: 'main' });
  await w.settle();
  const threads = (await client.get('/notifications')).body.filter(
    ({ subject }: { subject: { title: string } }) => subject.title === 'Becoming',
  );
  expect(threads).toMatchObject([{ subject: { type: 'PullRequest', url: `${w.url}/api/v3${base}/pulls/${issue.number}` } }]);
});
