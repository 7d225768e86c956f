import fc from 'fast-check';
import { sql } from 'kysely';
import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { installApp } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';
import { eventsIn, repositoryOf, setting, titlesIn } from './setting.ts';

const w = await world();
const { as, user, collaborator } = w;

test('sub-issues are added, listed in their order, moved and removed, and are known from both sides', async () => {
  const { client, open, path } = await setting();
  const [top, first, second] = [await open('Top'), await open('First'), await open('Second')];
  expect((await client.get(top.at)).body).toMatchObject({
    parent_issue_url: null,
    sub_issues_summary: { total: 0, completed: 0, percent_completed: 0 },
  });
  w.clock.now = new Date(w.clock.now.getTime() + 60_000);
  for (const { id } of [first, second]) {
    const added = await client.post(`${top.at}/sub_issues`, { sub_issue_id: id });
    expect(added).toMatchObject({ status: 201, body: { title: 'Top' } });
  }
  expect(titlesIn(await client.get(`${top.at}/sub_issues`))).toEqual(['First', 'Second']);
  expect(titlesIn(await client.get(`${top.at}/sub_issues?per_page=1&page=2`))).toEqual(['Second']);
  expect((await client.get(`${first.at}/parent`)).body).toMatchObject({ title: 'Top', sub_issues_summary: { total: 2 } });
  const below = (await client.get(first.at)).body;
  expect(below.parent_issue_url).toMatch(new RegExp(`${path}/issues/${top.number}$`));
  expect(below.updated_at).toBe(`${w.clock.now.toISOString().slice(0, 19)}Z`);
  await client.patch(first.at, { state: 'closed' });
  expect((await client.get(`${path}/issues?state=all&sort=created&direction=asc`)).body[0]).toMatchObject({
    sub_issues_summary: { total: 2, completed: 1, percent_completed: 50 },
  });

  const moved = await client.patch(`${top.at}/sub_issues/priority`, { sub_issue_id: second.id, before_id: first.id });
  expect(moved).toMatchObject({ status: 200, body: { title: 'Top' } });
  expect(titlesIn(await client.get(`${top.at}/sub_issues`))).toEqual(['Second', 'First']);
  const third = await open('Third');
  await client.post(`${top.at}/sub_issues`, { sub_issue_id: third.id });
  await client.patch(`${top.at}/sub_issues/priority`, { sub_issue_id: third.id, after_id: second.id });
  expect(titlesIn(await client.get(`${top.at}/sub_issues`))).toEqual(['Second', 'Third', 'First']);

  const removed = await client.delete(`${top.at}/sub_issue`, { sub_issue_id: second.id });
  expect(removed).toMatchObject({ status: 200, body: { title: 'Top', sub_issues_summary: { total: 2, completed: 1 } } });
  expect((await client.delete(`${top.at}/sub_issue`, { sub_issue_id: second.id })).status).toBe(404);
  expect((await client.get(`${second.at}/parent`)).status).toBe(404);
  expect(eventsIn(await client.get(`${second.at}/events`))).toEqual(['parent_issue_added', 'parent_issue_removed']);
  const told = (await client.get(`${top.at}/timeline`)).body;
  expect(told.map(({ event }: { event: string }) => event)).toEqual([
    'sub_issue_added',
    'sub_issue_added',
    'sub_issue_added',
    'sub_issue_removed',
  ]);
  expect(told[0].sub_issue).toMatchObject({
    number: first.number,
    title: 'First',
    state: 'closed',
    state_reason: 'completed',
    repository: { full_name: path.slice('/repos/'.length) },
    issue_type: null,
  });
});

test('what is no place for a sub-issue is refused, and nothing changes', async () => {
  const { client, open, owner } = await setting();
  const [top, other, sub] = [await open(), await open(), await open()];
  await client.post(`${top.at}/sub_issues`, { sub_issue_id: sub.id });
  const elsewhere = await repositoryOf(owner, owner, client);
  const stranger = await elsewhere.open();
  await w.unchanged(['sub_issues', 'issues', 'issue_events', 'events'], async () => {
    const add = async (at: string, body: object) => {
      const { status, body: answer } = await client.post(`${at}/sub_issues`, body);
      return status === 422 ? (answer.errors[0].message ?? answer.errors[0].code) : status;
    };
    const wrong = expect.any(String);
    expect(await add(top.at, { sub_issue_id: top.id })).toBe('An issue cannot be its own sub-issue');
    expect(await add(top.at, { sub_issue_id: sub.id })).toBe('It is a sub-issue of this issue already');
    expect(await add(top.at, { sub_issue_id: sub.id, replace_parent: true })).toBe('It is a sub-issue of this issue already');
    expect(await add(sub.at, { sub_issue_id: top.id })).toBe('An issue cannot be below itself');
    expect(await add(other.at, { sub_issue_id: sub.id })).toBe('Sub issue may only have one parent');
    expect(await add(top.at, { sub_issue_id: stranger.id })).toBe('Both issues must be in repositories of the same owner');
    expect(await add(top.at, { sub_issue_id: 2 ** 40 })).toBe(404);
    for (const sub_issue_id of ['1', 0, -1, 1.5, null, undefined, 2 ** 60])
      expect(await add(top.at, { sub_issue_id })).toEqual(wrong);
    expect(await add(top.at, { sub_issue_id: other.id, replace_parent: 'yes' })).toEqual(wrong);

    const place = async (body: object) => (await client.patch(`${top.at}/sub_issues/priority`, body)).status;
    expect(await place({ sub_issue_id: sub.id })).toBe(422);
    expect(await place({ sub_issue_id: sub.id, after_id: other.id })).toBe(422);
    expect(await place({ sub_issue_id: sub.id, before_id: sub.id })).toBe(422);
    expect(await place({ sub_issue_id: sub.id, after_id: sub.id, before_id: sub.id })).toBe(422);
    expect(await place({ sub_issue_id: other.id, after_id: sub.id })).toBe(404);
    expect((await client.delete(`${other.at}/sub_issue`, { sub_issue_id: sub.id })).status).toBe(404);
    expect((await client.delete(`${top.at}/sub_issue`)).status).toBe(422);
  });
});

test('replace_parent moves a sub-issue, which both parents tell', async () => {
  const { client, open } = await setting();
  const [before, after, sub] = [await open('Before'), await open('After'), await open()];
  await client.post(`${before.at}/sub_issues`, { sub_issue_id: sub.id });
  await client.post(`${after.at}/sub_issues`, { sub_issue_id: sub.id, replace_parent: true });
  expect((await client.get(`${sub.at}/parent`)).body.title).toBe('After');
  expect((await client.get(`${before.at}/sub_issues`)).body).toEqual([]);
  expect(eventsIn(await client.get(`${before.at}/events`))).toEqual(['sub_issue_added', 'sub_issue_removed']);
  expect(eventsIn(await client.get(`${sub.at}/events`))).toEqual([
    'parent_issue_added',
    'parent_issue_removed',
    'parent_issue_added',
  ]);
});

test('an issue has at most 100 sub-issues, and 8 levels below it', async () => {
  const { client, open, engine } = await setting();
  const [top, more] = [await open(), await open()];
  const { rows } = await sql<{ id: number }>`
    insert into issues (repository_id, number, title, created_at, updated_at)
    select ${engine.id}, 1000 + n, 'many', now(), now() from generate_series(1, 100) n returning id`.execute(w.db);
  const added = [];
  for (const { id } of rows) added.push((await client.post(`${top.at}/sub_issues`, { sub_issue_id: id })).status);
  expect(new Set(added)).toEqual(new Set([201]));
  const refused = await client.post(`${top.at}/sub_issues`, { sub_issue_id: more.id });
  expect([refused.status, refused.body.errors[0].message]).toEqual([422, 'An issue can have at most 100 sub-issues']);
  expect((await client.get(top.at)).body.sub_issues_summary.total).toBe(100);

  const chain = [];
  for (let level = 0; level <= 9; level++) chain.push(await open());
  const statuses = [];
  for (const [at, upper] of chain.slice(0, -1).entries())
    statuses.push((await client.post(`${upper.at}/sub_issues`, { sub_issue_id: chain[at + 1]?.id })).status);
  expect(statuses).toEqual([...Array(8).fill(201), 422]);
  // What is below counts too.
  const above = await open();
  expect((await client.post(`${above.at}/sub_issues`, { sub_issue_id: chain[0]?.id })).status).toBe(422);
  expect((await client.post(`${above.at}/sub_issues`, { sub_issue_id: chain[2]?.id, replace_parent: true })).status).toBe(201);
});

test('triage is needed to relate issues, and a parent is taken away by those who may sort either repository', async () => {
  const { client, open, engine, org, owner } = await setting();
  const [top, sub] = [await open(), await open()];
  const [reader, sorter] = [await user(), await user()];
  await collaborator(engine, sorter, 'triage');
  expect((await (await as(reader)).post(`${top.at}/sub_issues`, { sub_issue_id: sub.id })).status).toBe(403);
  expect((await (await as(undefined)).post(`${top.at}/sub_issues`, { sub_issue_id: sub.id })).status).toBe(401);
  const sorts = await as(sorter);
  expect((await sorts.post(`${top.at}/sub_issues`, { sub_issue_id: sub.id })).status).toBe(201);
  expect((await sorts.delete(`${top.at}/sub_issue`, { sub_issue_id: sub.id })).status).toBe(200);

  const [third, fourth] = [await repositoryOf(org, owner, client), await repositoryOf(org, owner, client)];
  const [held, parent] = [await third.open(), await fourth.open()];
  await client.post(`${parent.at}/sub_issues`, { sub_issue_id: held.id });
  const take = { sub_issue_id: held.id, replace_parent: true };
  expect((await sorts.post(`${top.at}/sub_issues`, take)).status).toBe(403);
  expect((await client.get(`${held.at}/parent`)).body.number).toBe(parent.number);
  await collaborator(third.engine, sorter, 'triage');
  expect((await sorts.post(`${top.at}/sub_issues`, take)).status).toBe(201);
});

test('a sub-issue in a repository that one may not read is neither listed nor counted nor told', async () => {
  const { client, open, org, owner, engine } = await setting();
  const secret = await repositoryOf(org, owner, client, 'private');
  const [top, below, hidden] = [await open('Top'), await open('Below'), await secret.open('Hidden')];
  for (const { id } of [hidden, below]) await client.post(`${top.at}/sub_issues`, { sub_issue_id: id });
  await client.post(`${below.at}/sub_issues`, { sub_issue_id: (await secret.open()).id });
  const other = await as(await user());
  expect(titlesIn(await client.get(`${top.at}/sub_issues`))).toEqual(['Hidden', 'Below']);
  expect(titlesIn(await other.get(`${top.at}/sub_issues`))).toEqual(['Below']);
  expect((await client.get(top.at)).body.sub_issues_summary.total).toBe(2);
  expect((await other.get(top.at)).body.sub_issues_summary.total).toBe(1);
  expect(eventsIn(await client.get(`${top.at}/events`))).toEqual(['sub_issue_added', 'sub_issue_added']);
  expect(eventsIn(await other.get(`${top.at}/timeline`))).toEqual(['sub_issue_added']);

  // Nor is a parent.
  const under = await open('Under');
  await client.post(`${hidden.at}/sub_issues`, { sub_issue_id: under.id });
  expect((await client.get(`${under.at}/parent`)).body.title).toBe('Hidden');
  expect((await other.get(`${under.at}/parent`)).status).toBe(404);
  expect((await other.get(under.at)).body.parent_issue_url).toBeNull();
  expect((await client.get(under.at)).body.parent_issue_url).toContain(secret.engine.name);

  // Nor may it be named.
  const sorter = await user();
  await collaborator(engine, sorter, 'triage');
  const named = await (await as(sorter)).post(`${below.at}/sub_issues`, { sub_issue_id: hidden.id });
  expect(named.status).toBe(404);

  // With the issues of their repository switched off, nobody sees them.
  await client.patch(secret.path, { has_issues: false });
  expect(titlesIn(await client.get(`${top.at}/sub_issues`))).toEqual(['Below']);
  expect((await client.get(top.at)).body.sub_issues_summary.total).toBe(1);
});

test('an app relates issues by its permission, and is named', async () => {
  const { org, open, client } = await setting();
  const [top, sub] = [await open(), await open()];
  const { token } = await installApp(w, { on: org, permissions: { issues: 'write' } });
  const app = await as(token);
  expect((await app.post(`${top.at}/sub_issues`, { sub_issue_id: sub.id })).status).toBe(201);
  expect((await client.get(`${sub.at}/events`)).body[0].performed_via_service_app).not.toBeNull();
  const reads = await installApp(w, { on: org, permissions: { issues: 'read' } });
  const reader = await as(reads.token);
  expect((await reader.get(`${top.at}/sub_issues`)).status).toBe(200);
  expect((await reader.delete(`${top.at}/sub_issue`, { sub_issue_id: sub.id })).status).toBe(403);
});

test('requests at the same time make no cycle, and no second parent', async () => {
  const { client, open } = await setting();
  for (let round = 0; round < 5; round++) {
    const [one, two, three] = [await open(), await open(), await open()];
    const answers = await Promise.all([
      client.post(`${one.at}/sub_issues`, { sub_issue_id: two.id }),
      client.post(`${two.at}/sub_issues`, { sub_issue_id: three.id }),
      client.post(`${three.at}/sub_issues`, { sub_issue_id: one.id }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422]);
    const [left, right, sub] = [await open(), await open(), await open()];
    const parents = await Promise.all([left, right].map(({ at }) => client.post(`${at}/sub_issues`, { sub_issue_id: sub.id })));
    expect(parents.map(({ status }) => status).sort()).toEqual([201, 422]);
  }
});

test('whatever is asked for, what is below an issue is a tree of limited depth', async () => {
  const { client, open } = await setting();
  const number = 12;
  const issues: { id: number; at: string }[] = [];
  for (let at = 0; at < number; at++) issues.push(await open());
  const parents = new Map<number, number>();
  const above = (at: number): number[] => {
    const up = parents.get(at);
    return up === undefined ? [] : [up, ...above(up)];
  };
  const height = (at: number): number =>
    Math.max(0, ...[...parents].filter(([, up]) => up === at).map(([sub]) => 1 + height(sub)));
  const index = fc.nat(number - 1);
  const step = fc.record({ parent: index, sub: index, replace: fc.boolean(), remove: fc.integer({ max: 9, min: 0 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      for (const { parent, sub, replace, remove } of steps) {
        const [upper, lower] = [issues[parent], issues[sub]];
        if (!upper || !lower) continue;
        if (remove === 0) {
          const { status } = await client.delete(`${upper.at}/sub_issue`, { sub_issue_id: lower.id });
          expect(status).toBe(parents.get(sub) === parent ? 200 : 404);
          if (status === 200) parents.delete(sub);
          continue;
        }
        const allowed =
          parent !== sub &&
          parents.get(sub) !== parent &&
          (replace || !parents.has(sub)) &&
          !above(parent).includes(sub) &&
          above(parent).length + 1 + height(sub) <= 8;
        const { status } = await client.post(`${upper.at}/sub_issues`, { sub_issue_id: lower.id, replace_parent: replace });
        expect(status).toBe(allowed ? 201 : 422);
        if (allowed) parents.set(sub, parent);
      }
      const ids = issues.map(({ id }) => id);
      const rows = await w.db
        .selectFrom('sub_issues')
        .selectAll()
        .where(sql<boolean>`issue_id = any(${ids}::bigint[])`)
        .execute();
      expect(new Map<number, number>(rows.map(({ issue_id, parent_id }) => [issue_id, parent_id]))).toEqual(
        new Map([...parents].map(([sub, parent]) => [issues[sub]?.id, issues[parent]?.id])),
      );
    }),
    { numRuns: 8 },
  );
});

test('Octokit relates issues', async () => {
  const { owner, path, open } = await setting();
  const [top, sub] = [await open('Top'), await open('Sub')];
  const { rest } = new Octokit({ baseUrl: `${w.url}/api/v3`, auth: await w.token(owner), throttle: { enabled: false } });
  const [, , login = '', name = ''] = path.split('/');
  const there = { owner: login, repo: name };
  await rest.issues.addSubIssue({ ...there, issue_number: top.number, sub_issue_id: sub.id });
  expect((await rest.issues.listSubIssues({ ...there, issue_number: top.number })).data).toMatchObject([{ title: 'Sub' }]);
  expect((await rest.issues.getParent({ ...there, issue_number: sub.number })).data).toMatchObject({
    title: 'Top',
    sub_issues_summary: { total: 1, completed: 0, percent_completed: 0 },
  });
  await rest.issues.removeSubIssue({ ...there, issue_number: top.number, sub_issue_id: sub.id });
  expect((await rest.issues.get({ ...there, issue_number: sub.number })).data.parent_issue_url).toBeNull();
});

test('a page costs as many statements for 1 and for 100 sub-issues, in one repository or many', async () => {
  const { client, open, owner, org, path } = await setting();
  const secret = await repositoryOf(org, owner, client, 'private');
  const [one, many] = [await open(), await open()];
  await client.post(`${one.at}/sub_issues`, { sub_issue_id: (await secret.open()).id });
  for (let at = 0; at < 30; at++)
    await client.post(`${many.at}/sub_issues`, { sub_issue_id: (await (at % 2 ? secret : { open }).open()).id });
  const counts = [];
  for (const { at } of [one, many]) counts.push(await w.statements(owner, `${at}/sub_issues?per_page=100`));
  expect(counts[0]).toBe(counts[1]);
  counts.push(
    await w.statements(owner, `${path}/issues?per_page=1&state=all`),
    await w.statements(owner, `${path}/issues?state=all`),
  );
  for (const { at } of [one, many]) counts.push(await w.statements(owner, `${at}/timeline?per_page=100`));
  expect(counts[4]).toBe(counts[5]);
  expect(counts).toMatchInlineSnapshot(`
    [
      5,
      5,
      3,
      4,
      7,
      7,
    ]
  `);
});
