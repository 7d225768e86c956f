// An issue that becomes a pull request, which has no relations.
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { forkSetting, pullSetting } from './setting.ts';

const w = await world();

test('an issue that becomes a pull request loses its relations, of which the others tell', async () => {
  const { client, base, commit } = await pullSetting(w);
  const issues: { id: number; number: number }[] = [];
  for (const title of ['Above', 'Becomes one', 'Below', 'Blocks', 'Blocked'])
    issues.push((await client.post(`${base}/issues`, { title })).body);
  const ids = issues.map(({ id }) => id);
  await client.post(`${base}/issues/1/sub_issues`, { sub_issue_id: ids[1] });
  await client.post(`${base}/issues/2/sub_issues`, { sub_issue_id: ids[2] });
  await client.post(`${base}/issues/2/dependencies/blocked_by`, { issue_id: ids[3] });
  await client.post(`${base}/issues/5/dependencies/blocked_by`, { issue_id: ids[1] });
  await w.settle();
  await commit('topic', { 'b.txt': 'b' });

  const { status, body } = await client.post(`${base}/pulls`, { issue: 2, head: 'topic', base: 'main' });
  expect([status, body.number]).toEqual([201, 2]);

  expect((await client.get(`${base}/issues/1/sub_issues`)).body).toEqual([]);
  expect((await client.get(`${base}/issues/3/parent`)).status).toBe(404);
  expect((await client.get(`${base}/issues/4/dependencies/blocking`)).body).toEqual([]);
  expect((await client.get(`${base}/issues/5/dependencies/blocked_by`)).body).toEqual([]);
  const last = async (number: number) => (await client.get(`${base}/issues/${number}/events`)).body.at(-1).event;
  expect(await Promise.all([1, 3, 4, 5].map(last))).toEqual([
    'sub_issue_removed',
    'parent_issue_removed',
    'blocking_removed',
    'blocked_by_removed',
  ]);
  const removed = (await client.get(`${base}/issues/2/events`)).body.map(({ event }: { event: string }) => event);
  expect(removed).toEqual(
    expect.arrayContaining(['parent_issue_removed', 'sub_issue_removed', 'blocked_by_removed', 'blocking_removed']),
  );
  expect((await client.get(`${base}/issues/1`)).body).toMatchObject({ sub_issues_summary: { total: 0 } });
  expect((await client.get(`${base}/pulls/2`)).status).toBe(200);
});

test('where the pull request is refused, the relations stay', async () => {
  const { client, base, commit, open } = await pullSetting(w);
  const { body: issue } = await client.post(`${base}/issues`, { title: 'Part' });
  await client.post(`${base}/issues`, { title: 'Whole' });
  await client.post(`${base}/issues/2/sub_issues`, { sub_issue_id: issue.id });
  await commit('topic', { 'b.txt': 'b' });
  await open('topic');
  await w.unchanged(['sub_issues', 'issues', 'issue_events', 'events'], async () => {
    expect((await client.post(`${base}/pulls`, { issue: 1, head: 'topic', base: 'main' })).status).toBe(422);
  });
  expect((await client.get(`${base}/issues/2/sub_issues`)).body).toHaveLength(1);
});

test('only an open issue becomes a pull request, by its author and by who may triage', async () => {
  const setting = await pullSetting(w);
  const { client, base, repo, commit, open } = setting;
  const [grace, triager] = [await w.user(), await w.user()];
  await w.collaborator(repo, triager, 'triage');
  const [fork, sorting] = [await forkSetting(w, setting, grace), await forkSetting(w, setting, triager)];
  await commit('topic', { 'b.txt': 'b' });
  for (const each of [fork, sorting]) await each.commit('mine');
  const pull = await open('topic');
  const numberOf = async (by: typeof client, title: string) => (await by.post(`${base}/issues`, { title })).body.number;
  const [adas, closed] = [await numberOf(client, 'Of Ada'), await numberOf(fork.client, 'Over')];
  await client.patch(`${base}/issues/${closed}`, { state: 'closed' });
  const convert = (by: typeof client, head: string, issue: number) => by.post(`${base}/pulls`, { issue, head, base: 'main' });
  const head = `${grace.login}:mine`;
  await w.unchanged(['issues', 'pull_requests', 'events'], async () => {
    for (const issue of [adas, closed, pull, 999])
      expect(await convert(fork.client, head, issue), String(issue)).toMatchObject({
        status: 422,
        body: { errors: [{ resource: 'PullRequest', field: 'issue', code: 'invalid' }] },
      });
  });
  expect((await convert(sorting.client, `${triager.login}:mine`, adas)).status).toBe(201);
  const own = await numberOf(fork.client, 'Of Grace');
  expect(await convert(fork.client, head, own)).toMatchObject({ status: 201, body: { number: own } });
});
