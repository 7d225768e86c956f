// Searches of issues by their relations to others: sub-issues, and issues that block others.
import { expect, test } from 'vitest';
import { repositoryOf, setting } from '#test/resources/collaboration/issue-relations/setting.ts';
import type { Client } from '#test/support/client.ts';
import { world } from '#test/support/world.ts';

const w = await world();

/** What a query finds in the repositories of an account, by title. */
async function found(client: Client, q: string, where: string): Promise<string[]> {
  const { status, body } = await client.get(`/search/issues?q=${encodeURIComponent(`${q} ${where}`)}`);
  expect(status).toBe(200);
  expect(body.items).toHaveLength(body.total_count);
  return body.items.map(({ title }: { title: string }) => title).toSorted();
}

/**
 * A parent with two sub-issues, of which the second is blocked by an open issue and by a closed one; and one that has nothing to
 * do with it.
 */
async function related() {
  const here = await setting();
  const { client, open, path, org } = here;
  const [parent, first, second] = [await open('Parent'), await open('First'), await open('Second')];
  const [blocker, closed] = [await open('Blocker'), await open('Closed')];
  await open('Other');
  for (const { id } of [first, second]) await client.post(`${parent.at}/sub_issues`, { sub_issue_id: id });
  for (const { id } of [blocker, closed]) await client.post(`${second.at}/dependencies/blocked_by`, { issue_id: id });
  await client.patch(closed.at, { state: 'closed' });
  await w.settle();
  const name = path.slice('/repos/'.length);
  return { ...here, parent, first, second, blocker, closed, name, where: `org:${org.login}`, org };
}

test('by the other issue, by whether there is one, and by whether an open one is in the way', async () => {
  const { client, name, where, parent, first, second, blocker, closed } = await related();
  const all = ['Blocker', 'Closed', 'First', 'Other', 'Parent', 'Second'];
  const without = (...names: string[]) => all.filter((one) => !names.includes(one));
  const expected: [string, string[]][] = [
    [`parent-issue:${name}#${parent.number}`, ['First', 'Second']],
    [`parent-issue:"${name.toUpperCase()}#${parent.number}"`, ['First', 'Second']],
    [`-parent-issue:${name}#${parent.number}`, without('First', 'Second')],
    [`parent-issue:${name}#${first.number}`, []],
    [`parent-issue:${name}#99999`, []],
    [`parent-issue:nobody/none#${parent.number}`, []],
    [`parent-issue:${name}#${parent.number} first`, ['First']],
    [`parent-issue:${name}#${first.number} parent-issue:${name}#${parent.number}`, ['First', 'Second']],
    [`sub-issue:${name}#${second.number}`, ['Parent']],
    [`blocked-by:${name}#${blocker.number}`, ['Second']],
    [`blocked-by:${name}#${closed.number}`, ['Second']],
    [`blocking:${name}#${second.number}`, ['Blocker', 'Closed']],
    ['has:parent-issue', ['First', 'Second']],
    ['no:parent-issue', without('First', 'Second')],
    ['has:sub-issue', ['Parent']],
    ['has:sub-issues', ['Parent']],
    ['no:sub-issue', without('Parent')],
    ['has:blocked-by', ['Second']],
    ['-has:blocking', without('Blocker', 'Closed')],
    ['is:blocked', ['Second']],
    ['-is:blocked', without('Second')],
    ['is:blocking is:open', ['Blocker']],
  ];
  for (const [q, titles] of expected) expect([q, await found(client, q, where)]).toEqual([q, titles]);
  const both = `(has:sub-issue OR is:blocked) ${where}`;
  const advanced = await client.get(`/search/issues?advanced_search=true&q=${encodeURIComponent(both)}`);
  expect(advanced.body.items.map(({ title }: { title: string }) => title).toSorted()).toEqual(['Parent', 'Second']);
});

test('they follow what happens, and a blocker that is closed is in nobody’s way', async () => {
  const { client, where, parent, first, blocker } = await related();
  await client.patch(blocker.at, { state: 'closed' });
  await client.delete(`${parent.at}/sub_issue`, { sub_issue_id: first.id });
  expect(await found(client, 'is:blocked', where)).toEqual([]);
  expect(await found(client, 'has:blocked-by', where)).toEqual(['Second']);
  expect(await found(client, 'has:parent-issue', where)).toEqual(['Second']);
});

test('relations to issues that the caller may not read are not found', async () => {
  const { client, org, owner, open, name, where } = await setting().then(async (here) => ({
    ...here,
    name: here.path.slice('/repos/'.length),
    where: `repo:${here.path.slice('/repos/'.length)}`,
  }));
  const secret = await repositoryOf(org, owner, client, 'private');
  const [hidden, shown] = [await secret.open('Hidden'), await open('Shown')];
  await client.post(`${hidden.at}/sub_issues`, { sub_issue_id: shown.id });
  await client.post(`${shown.at}/dependencies/blocked_by`, { issue_id: hidden.id });
  await w.settle();
  const eve = await w.as(await w.user());
  const hiddenName = `${secret.path.slice('/repos/'.length)}#${hidden.number}`;
  for (const q of [
    `parent-issue:${hiddenName}`,
    'has:parent-issue',
    'is:blocked',
    'has:blocked-by',
    `blocked-by:${hiddenName}`,
  ]) {
    expect([q, await found(client, q, where)]).toEqual([q, ['Shown']]);
    expect([q, await found(eve, q, where)]).toEqual([q, []]);
  }
  expect(await found(eve, 'no:parent-issue', where)).toEqual(['Shown']);
  expect(await found(client, `blocking:${name}#${shown.number}`, `repo:${secret.path.slice('/repos/'.length)}`)).toEqual([
    'Hidden',
  ]);
  const limited = await w.as(await w.fineGrained(owner, org, { metadata: 'read' }));
  expect(await found(limited, 'has:parent-issue', where)).toEqual([]);
});

test('values that name no issue, and too many of them, are refused', async () => {
  const client = await w.as(await w.user());
  const status = async (q: string) => (await client.get(`/search/issues?q=${encodeURIComponent(q)}`)).status;
  for (const q of ['parent-issue:1', 'blocked-by:#1', 'blocking:acme/engine', 'sub-issue:acme/engine#x', 'has:parent'])
    expect([q, await status(q)]).toEqual([q, 422]);
  const many = (count: number) => Array.from({ length: count }, (_, at) => `parent-issue:acme/engine#${at}`).join(' ');
  expect(await status(many(10))).toBe(200);
  expect(await status(many(11))).toBe(422);
  expect(await status(`${many(8)} is:blocked no:sub-issue has:blocking`)).toBe(422);
});

test('a relation costs as many statements for one hit as for twenty', async () => {
  const { client, owner, open, path } = await setting();
  const parent = await open('Parent');
  const counts: number[] = [];
  let made = 0;
  for (const many of [1, 20]) {
    for (; made < many; made++) await client.post(`${parent.at}/sub_issues`, { sub_issue_id: (await open()).id });
    await w.settle();
    const q = `parent-issue:${path.slice('/repos/'.length)}#${parent.number} repo:${path.slice('/repos/'.length)}`;
    counts.push(await w.statements(owner, `/search/issues?per_page=100&q=${encodeURIComponent(q)}`));
  }
  expect(counts[1]).toBe(counts[0]);
});
