import { sql } from 'kysely';
import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { world } from '#test/support/world.ts';
import { eventsIn, repositoryOf, setting, titlesIn } from './setting.ts';

const w = await world();
const { as, user, collaborator } = w;

test('an issue says what blocks it and what it blocks, until that is closed or taken away', async () => {
  const { client, open, path } = await setting();
  const [blocked, first, second] = [await open('Blocked'), await open('First'), await open('Second')];
  for (const { id } of [first, second]) {
    const added = await client.post(`${blocked.at}/dependencies/blocked_by`, { issue_id: id });
    expect(added).toMatchObject({ status: 201, body: { title: 'Blocked' } });
  }
  expect(titlesIn(await client.get(`${blocked.at}/dependencies/blocked_by`))).toEqual(['First', 'Second']);
  expect(titlesIn(await client.get(`${blocked.at}/dependencies/blocked_by?per_page=1&page=2`))).toEqual(['Second']);
  expect(titlesIn(await client.get(`${first.at}/dependencies/blocking`))).toEqual(['Blocked']);
  expect((await client.get(`${blocked.at}/dependencies/blocking`)).body).toEqual([]);
  await client.patch(first.at, { state: 'closed' });
  const summaries = (await client.get(`${path}/issues?state=all&sort=created&direction=asc`)).body.map(
    ({ issue_dependencies_summary: summary }: { issue_dependencies_summary: object }) => summary,
  );
  expect(summaries).toEqual([
    { blocked_by: 1, total_blocked_by: 2, blocking: 0, total_blocking: 0 },
    { blocked_by: 0, total_blocked_by: 0, blocking: 1, total_blocking: 1 },
    { blocked_by: 0, total_blocked_by: 0, blocking: 1, total_blocking: 1 },
  ]);
  const removed = await client.delete(`${blocked.at}/dependencies/blocked_by/${second.id}`);
  expect(removed).toMatchObject({
    status: 200,
    body: { title: 'Blocked', issue_dependencies_summary: { blocked_by: 0, total_blocked_by: 1 } },
  });
  expect((await client.delete(`${blocked.at}/dependencies/blocked_by/${second.id}`)).status).toBe(404);
  const told = (await client.get(`${second.at}/events`)).body;
  expect(told).toMatchObject([
    { event: 'blocking_added', blocking: { number: blocked.number, title: 'Blocked' } },
    { event: 'blocking_removed', blocking: { number: blocked.number } },
  ]);
  expect((await client.get(`${blocked.at}/timeline`)).body).toMatchObject([
    { event: 'blocked_by_added', blocked_by: { title: 'First', state: 'closed' } },
    { event: 'blocked_by_added', blocked_by: { title: 'Second' } },
    { event: 'blocked_by_removed', blocked_by: { title: 'Second' } },
  ]);
});

test('what cannot block an issue is refused, and nothing changes', async () => {
  const { client, open, owner, engine } = await setting();
  const [issue, other] = [await open(), await open()];
  const stranger = await (await repositoryOf(owner, owner, client)).open();
  await client.post(`${issue.at}/dependencies/blocked_by`, { issue_id: other.id });
  const reader = await as(await user());
  await w.unchanged(['issue_dependencies', 'issues', 'issue_events', 'events'], async () => {
    const add = async (issue_id: unknown) => {
      const { status, body } = await client.post(`${issue.at}/dependencies/blocked_by`, { issue_id });
      return status === 422 ? (body.errors[0].message ?? body.errors[0].code) : status;
    };
    expect(await add(issue.id)).toBe('An issue cannot block itself');
    expect(await add(other.id)).toBe('It blocks this issue already');
    expect(await add(stranger.id)).toBe('Both issues must be in repositories of the same owner');
    expect(await add(2 ** 40)).toBe(404);
    for (const wrong of ['1', 0, 1.5, null, undefined, 2 ** 60]) expect(await add(wrong)).toEqual(expect.any(String));
    expect((await client.delete(`${issue.at}/dependencies/blocked_by/0`)).status).toBe(404);
    expect((await client.delete(`${other.at}/dependencies/blocked_by/${issue.id}`)).status).toBe(404);
    expect((await reader.post(`${other.at}/dependencies/blocked_by`, { issue_id: issue.id })).status).toBe(403);
    expect((await reader.delete(`${issue.at}/dependencies/blocked_by/${other.id}`)).status).toBe(403);
  });
  await sql`with many as (
      insert into issues (repository_id, number, title, created_at, updated_at)
      select ${engine.id}, 1000 + n, 'many', now(), now() from generate_series(1, 50) n returning id)
    insert into issue_dependencies (issue_id, blocking_id, created_at)
    select id, ${issue.id}, now() from many union all select ${other.id}, id, now() from many`.execute(w.db);
  const [more, refused] = [await open(), await open()];
  const most = await client.post(`${other.at}/dependencies/blocked_by`, { issue_id: more.id });
  expect(most.body.errors[0].message).toBe('An issue can be blocked by at most 50 others');
  const blocks = await client.post(`${refused.at}/dependencies/blocked_by`, { issue_id: issue.id });
  expect(blocks.body.errors[0].message).toBe('An issue can block at most 50 others');
  expect((await client.post(`${more.at}/dependencies/blocked_by`, { issue_id: refused.id })).status).toBe(201);
});

test('of requests at the same time that say the same, one is done', async () => {
  const { client, open } = await setting();
  const [issue, other] = [await open(), await open()];
  const answers = await Promise.all(
    [1, 2, 3, 4].map(() => client.post(`${issue.at}/dependencies/blocked_by`, { issue_id: other.id })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
  expect(eventsIn(await client.get(`${issue.at}/events`))).toEqual(['blocked_by_added']);
  const removals = await Promise.all([1, 2, 3].map(() => client.delete(`${issue.at}/dependencies/blocked_by/${other.id}`)));
  expect(removals.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  expect(eventsIn(await client.get(`${issue.at}/events`))).toEqual(['blocked_by_added', 'blocked_by_removed']);
});

test('what blocks an issue in a repository that one may not read is not shown', async () => {
  const { client, open, org, owner, engine } = await setting();
  const secret = await repositoryOf(org, owner, client, 'private');
  const [issue, hidden] = [await open('Open'), await secret.open('Hidden')];
  const before = (await client.get(issue.at)).body.updated_at;
  w.clock.now = new Date(w.clock.now.getTime() + 60_000);
  await client.post(`${issue.at}/dependencies/blocked_by`, { issue_id: hidden.id });
  const sorter = await user();
  await collaborator(engine, sorter, 'triage');
  const other = await as(sorter);
  expect((await client.get(`${issue.at}/dependencies/blocked_by`)).body).toHaveLength(1);
  expect((await other.get(`${issue.at}/dependencies/blocked_by`)).body).toEqual([]);
  expect((await client.get(issue.at)).body.issue_dependencies_summary.blocked_by).toBe(1);
  expect((await other.get(issue.at)).body).toMatchObject({
    issue_dependencies_summary: { blocked_by: 0, total_blocked_by: 0 },
    updated_at: before,
  });
  expect((await other.get(`${issue.at}/timeline`)).body).toEqual([]);
  expect((await other.delete(`${issue.at}/dependencies/blocked_by/${hidden.id}`)).status).toBe(404);
  // The other issue's readers may read this one, so it changed for them.
  expect((await client.get(hidden.at)).body.updated_at).not.toBe(before);
  expect(titlesIn(await client.get(`${hidden.at}/dependencies/blocking`))).toEqual(['Open']);
});

test('a deleted repository takes its relations along, and nothing counts them', async () => {
  const { client, open, org, owner } = await setting();
  const gone = await repositoryOf(org, owner, client);
  const [issue, other] = [await open(), await gone.open()];
  await client.post(`${issue.at}/dependencies/blocked_by`, { issue_id: other.id });
  await client.post(`${issue.at}/sub_issues`, { sub_issue_id: other.id });
  expect((await client.delete(gone.path)).status).toBe(204);
  expect((await client.get(issue.at)).body).toMatchObject({
    issue_dependencies_summary: { total_blocked_by: 0 },
    sub_issues_summary: { total: 0 },
  });
  expect((await client.get(`${issue.at}/timeline`)).body).toEqual([]);
});

test('pull requests have no relations', async () => {
  const { client, base, commit, open: openPull } = await pullSetting(w);
  await commit('topic', { a: 'a' });
  const pull = await openPull('topic');
  const pullId = (await client.get(`${base}/issues/${pull}`)).body.id;
  const { body: issue } = await client.post(`${base}/issues`, { title: 'Issue' });
  const at = `${base}/issues/${issue.number}`;
  for (const [path, body] of [
    [`${at}/sub_issues`, { sub_issue_id: pullId }],
    [`${at}/dependencies/blocked_by`, { issue_id: pullId }],
  ] as const)
    expect((await client.post(path, body)).body.errors).toMatchObject([{ message: 'Pull requests have no such relations' }]);
  expect((await client.post(`${base}/issues/${pull}/sub_issues`, { sub_issue_id: issue.id })).status).toBe(404);
  expect((await client.get(`${base}/issues/${pull}/dependencies/blocking`)).status).toBe(404);
});

test('Octokit sets and lists dependencies', async () => {
  const { owner, path, open } = await setting();
  const [issue, other] = [await open(), await open('Other')];
  const octokit = new Octokit({ baseUrl: `${w.url}/api/v3`, auth: await w.token(owner), throttle: { enabled: false } });
  const [, , login = '', repo = ''] = path.split('/');
  const there = { owner: login, repo, issue_number: issue.number };
  await octokit.rest.issues.addBlockedByDependency({ ...there, issue_id: other.id });
  expect((await octokit.rest.issues.listDependenciesBlockedBy(there)).data).toMatchObject([{ title: 'Other' }]);
  await octokit.rest.issues.removeDependencyBlockedBy({ ...there, issue_id: other.id });
  expect((await octokit.rest.issues.listDependenciesBlocking({ ...there, issue_number: other.number })).data).toEqual([]);
});

test('a page costs as many statements for 1 and for 50 dependencies', async () => {
  const { client, open, owner } = await setting();
  const [one, many] = [await open(), await open()];
  await client.post(`${one.at}/dependencies/blocked_by`, { issue_id: many.id });
  for (let at = 0; at < 50; at++) await client.post(`${many.at}/dependencies/blocked_by`, { issue_id: (await open()).id });
  const counts = [];
  for (const { at } of [one, many]) counts.push(await w.statements(owner, `${at}/dependencies/blocked_by?per_page=100`));
  expect(counts[0]).toBe(counts[1]);
});
