import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { forkSetting, pullSetting } from './setting.ts';

const w = await world();
const disabled = { status: 410, body: { message: 'Pull requests have been disabled in this repository.' } };

test('without pull requests, a repository answers 410 for each of them, and lists issues alone, until they are on again', async () => {
  const at = await pullSetting(w);
  const { client, base } = at;
  await at.commit('topic', { 'b.txt': 'new\n' });
  const number = await at.open('topic');
  const { body: issue } = await client.post(`${base}/issues`, { title: 'It stalls' });
  const { body: comment } = await client.post(`${base}/issues/${number}/comments`, { body: 'Fine.' });
  await client.post(`${base}/issues/${issue.number}/comments`, { body: 'Here, too.' });
  await client.post(`${base}/issues/${number}/labels`, { labels: ['bug'] });
  await client.post(`${base}/issues/${issue.number}/labels`, { labels: ['bug'] });
  const { body: review } = await client.post(`${base}/pulls/${number}/comments`, {
    body: 'Why?',
    path: 'b.txt',
    line: 1,
    commit_id: await at.tip('topic'),
  });
  await w.settle();
  const numbersOf = async (path: string) =>
    (await client.get(path)).body.map((one: { number?: number; issue?: { number: number }; issue_url?: string }) =>
      Number(one.number ?? one.issue?.number ?? one.issue_url?.split('/').at(-1)),
    );
  const lists = [`${base}/issues`, `${base}/issues/events`, `${base}/issues/comments`, '/issues?filter=created'];
  const search = `/search/issues?q=${encodeURIComponent(`repo:${base.slice('/repos/'.length)}`)}`;
  for (const list of lists) expect((await numbersOf(list)).sort(), list).toEqual([number, issue.number]);
  expect((await client.get(search)).body.total_count).toBe(2);

  expect(await client.patch(base, { has_pull_requests: false })).toMatchObject({
    status: 200,
    body: { has_pull_requests: false },
  });
  for (const path of [
    `${base}/pulls`,
    `${base}/pulls/${number}`,
    `${base}/pulls/${number}/files`,
    `${base}/pulls/${number}/reviews`,
    `${base}/pulls/comments`,
    `${base}/pulls/comments/${review.id}`,
    `${base}/commits/${at.first}/pulls`,
    `${base}/issues/${number}`,
    `${base}/issues/${number}/comments`,
  ])
    expect(await client.get(path), path).toMatchObject(disabled);
  expect((await client.get(`${base}/issues/comments/${comment.id}`)).status).toBe(404);
  await w.unchanged(['issues', 'pull_requests', 'issue_comments', 'events'], async () => {
    expect(await client.post(`${base}/pulls`, { title: 'Another', head: 'topic', base: 'main' })).toMatchObject(disabled);
    expect(await client.put(`${base}/pulls/${number}/merge`)).toMatchObject(disabled);
    expect(await client.patch(`${base}/pulls/${number}`, { title: 'Changed' })).toMatchObject(disabled);
    expect(await client.post(`${base}/issues/${number}/comments`, { body: 'More' })).toMatchObject(disabled);
  });
  for (const list of lists) expect(await numbersOf(list), list).toEqual([issue.number]);
  expect((await client.get(search)).body.items.map((item: { number: number }) => item.number)).toEqual([issue.number]);

  await client.patch(base, { has_pull_requests: true });
  expect((await client.get(`${base}/pulls/${number}`)).status).toBe(200);
  expect((await numbersOf(`${base}/issues`)).sort()).toEqual([number, issue.number]);
});

test('a repository without issues keeps its pull requests in lists over many repositories', async () => {
  const at = await pullSetting(w);
  await at.commit('topic', { 'b.txt': 'new\n' });
  const number = await at.open('topic');
  await at.client.post(`${at.base}/issues`, { title: 'It stalls' });
  await at.client.patch(at.base, { has_issues: false });
  const { body } = await at.client.get('/issues?filter=created');
  expect(body.map((one: { number: number }) => one.number)).toEqual([number]);
});

test('where only collaborators may open pull requests, others are refused', async () => {
  const at = await pullSetting(w);
  const fork = await forkSetting(w, at, await w.user());
  await fork.commit('one');
  expect((await at.client.patch(at.base, { pull_request_creation_policy: 'collaborators_only' })).body).toMatchObject({
    pull_request_creation_policy: 'collaborators_only',
  });
  await w.unchanged(['issues', 'pull_requests', 'events'], async () => {
    expect(await fork.open('one')).toMatchObject({
      status: 403,
      body: { message: 'Only collaborators may open pull requests in this repository.' },
    });
  });
  await w.collaborator(at.repo, fork.user, 'read');
  expect((await fork.open('one')).status).toBe(201);
  const stranger = await forkSetting(w, at, await w.user());
  await stranger.commit('two');
  await at.client.patch(at.base, { pull_request_creation_policy: 'all' });
  expect((await stranger.open('two')).status).toBe(201);
});
