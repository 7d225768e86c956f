import { expect, test } from 'vitest';
import { quoted, termsNamed, withLabel, withTerm } from '#console/pages/collaboration/terms.ts';
import { planList } from '#resources/collaboration/issues/list-query.ts';
import { pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { pagesAs } from '#test/support/page-client.ts';
import { world } from '#test/support/world.ts';

const w = await world();

test('lists answer what they can filter by, and searches the rest', () => {
  const list = (q: string) => planList(q, 'issue', 'ada');
  expect(list('is:issue is:open')).toEqual({ by: 'list', query: { kind: 'issue', state: 'open' } });
  expect(list('')).toEqual({ by: 'list', query: { kind: 'issue', state: 'all' } });
  expect(list('is:pr state:closed author:@me assignee:bob label:"needs help" label:bug sort:comments-asc')).toEqual({
    by: 'list',
    query: {
      kind: 'pull',
      state: 'closed',
      creator: 'ada',
      assignee: 'bob',
      labels: 'needs help,bug',
      sort: 'comments',
      direction: 'asc',
    },
  });
  expect(list('no:assignee no:milestone')).toMatchObject({ query: { assignee: 'none', milestone: 'none' } });
  expect(list('milestone:"v1 beta"')).toMatchObject({ query: { milestone_title: 'v1 beta' } });
  const searches = ['oil', '-label:bug', 'label:a,b', 'is:open is:closed', 'author:a author:b', 'is:open OR is:closed'];
  for (const q of [...searches, 'sort:reactions', 'is:merged', 'no:label', 'review:approved'])
    expect(list(q), q).toEqual({ by: 'search' });
  expect(planList('author:@me', 'issue', undefined)).toEqual({ by: 'search' });
  expect(list('created:never')).toMatchObject({ by: 'nothing', problem: expect.stringContaining('created') });
});

test('links set one term and leave the others', () => {
  expect(withTerm('is:issue is:open oil', 'state', 'is:closed')).toBe('is:issue oil is:closed');
  expect(withTerm('is:issue author:bob "author: x"', 'author', undefined)).toBe('is:issue "author: x"');
  expect(withTerm('no:assignee is:open', 'assignee', 'assignee:*')).toBe('is:open assignee:*');
  expect(withLabel('is:open no:label', 'needs help')).toBe('is:open label:"needs help"');
  expect(withLabel('is:open label:"needs help"', 'needs help')).toBe('is:open');
  expect(termsNamed('label:a label:"b c"', 'label')).toEqual(['label:a', 'label:"b c"']);
  expect(quoted('a"b c')).toBe('"ab c"');
});

test('the list of issues shows them with counts, and filters by links', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada, { visibility: 'private' });
  const client = await w.as(ada);
  const base = `/repos/${ada.login}/${repo.name}`;
  await client.post(`${base}/labels`, { name: 'needs help', color: 'd73a4a' });
  await client.post(`${base}/milestones`, { title: 'First' });
  await client.post(`${base}/issues`, { title: 'It leaks', labels: ['needs help'], milestone: 1, assignees: [ada.login] });
  await client.post(`${base}/issues`, { title: 'It is loud' });
  await client.post(`${base}/issues`, { title: 'It is done' });
  await client.patch(`${base}/issues/3`, { state: 'closed' });
  const path = `/${ada.login}/${repo.name}/issues`;
  const pages = await pagesAs(w, ada);
  const text = async (q?: string) => (await pages.get(q === undefined ? path : `${path}?q=${encodeURIComponent(q)}`)).text;
  const all = await text();
  expect(all).toContain('2 open');
  expect(all).toContain('1 closed');
  expect(all).toContain('It leaks');
  expect(all).not.toContain('It is done');
  expect(await text('is:issue is:closed')).toContain('It is done');
  const labelled = await text('is:issue label:"needs help"');
  expect(labelled).toContain('It leaks');
  expect(labelled).not.toContain('It is loud');
  expect(await text('is:issue milestone:First')).toContain('It leaks');
  expect(await text('is:issue milestone:None')).toContain('Nothing matches this search.');
  expect(await text('is:issue author:nobody-here')).toContain('Nothing matches this search.');
  expect(await text('created:never')).toContain('role="alert"');
  await w.settle();
  const found = await text('loud');
  expect(found).toContain('It is loud');
  expect(found).toContain('by words');
  expect(found).not.toContain('It leaks');
  const statements = await pages.statements(path);
  for (let at = 0; at < 28; at++)
    await client.post(`${base}/issues`, { title: `More ${at}`, labels: ['needs help'], milestone: 1, assignees: [ada.login] });
  expect(await pages.statements(path)).toBe(statements);
  expect(statements).toBeLessThanOrEqual(12);
  expect((await pages.get(`${path}?page=2`)).text).not.toContain('Next');
  for (const who of [await w.user(), undefined]) expect((await (await pagesAs(w, who)).get(path)).status).toBe(404);
});

test('the list of pull requests shows the states of checks and reviews', async () => {
  const { ada, client, base, commit, open } = await pullSetting(w);
  const head = await commit('topic', { 'new.txt': 'new\n' });
  const number = await open('topic');
  const asBob = await w.as(await w.user());
  await client.post(`${base}/statuses/${head}`, { state: 'failure', context: 'build' });
  await asBob.post(`${base}/pulls/${number}/reviews`, { event: 'REQUEST_CHANGES', body: 'No.' });
  const path = `${base.replace('/repos', '')}/pulls`;
  const pages = await pagesAs(w, ada);
  const { text } = await pages.get(path);
  expect(text).toContain('Merge topic');
  expect(text).toContain('Checks failed');
  expect(text).toContain('Changes requested');
  const statements = await pages.statements(path);
  for (const name of ['b', 'c', 'd']) {
    await commit(name, { [name]: 'x\n' });
    await open(name);
  }
  expect(await pages.statements(path)).toBe(statements);
  expect((await pages.get(`${path.replace('/pulls', '/issues')}?q=is:pr`)).text).toContain('Merge topic');
});

test('one sees one’s own issues and pull requests of all repositories', async () => {
  const { ada, client, base, commit, open } = await pullSetting(w);
  await client.post(`${base}/issues`, { title: 'Mine to do', assignees: [ada.login] });
  await client.post(`${base}/issues`, { title: 'Begun by me' });
  await commit('topic', { 'new.txt': 'new\n' });
  await open('topic');
  await w.settle();
  const pages = await pagesAs(w, ada);
  const assigned = (await pages.get('/issues')).text;
  expect(assigned).toContain('Mine to do');
  expect(assigned).not.toContain('Begun by me</a>');
  expect((await pages.get('/issues?filter=created')).text).toContain('Begun by me</a>');
  expect((await pages.get('/issues?filter=created')).text).not.toContain('Merge topic');
  expect((await pages.get('/pulls')).text).toContain('Merge topic');
  expect((await pages.get('/pulls?filter=review-requested')).text).not.toContain('Merge topic');
  const visitor = await (await pagesAs(w)).get('/pulls');
  expect([visitor.status, visitor.headers.get('location')]).toEqual([302, '/login?return_to=%2Fpulls']);
});

test('milestones are shown with how far they are, and what belongs to them', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada, { visibility: 'private' });
  const client = await w.as(ada);
  const base = `/repos/${ada.login}/${repo.name}`;
  const path = `/${ada.login}/${repo.name}`;
  const pages = await pagesAs(w, ada);
  expect((await pages.get(`${path}/milestones`)).text).toContain('Open milestones will be listed here.');
  await client.post(`${base}/milestones`, { title: 'First', description: 'To begin', due_on: '2025-01-01T00:00:00Z' });
  for (const title of ['One', 'Two', 'Three']) await client.post(`${base}/issues`, { title, milestone: 1 });
  await client.patch(`${base}/issues/1`, { state: 'closed' });
  const { text } = await pages.get(`${path}/milestones`);
  expect(text).toContain('33 % done');
  expect(text).toContain('which has passed');
  const one = (await pages.get(`${path}/milestone/1`)).text;
  expect(one).toContain('Two');
  expect(one).not.toContain('One</a>');
  expect((await pages.get(`${path}/milestone/1?state=closed`)).text).toContain('One</a>');
  const [ofList, ofOne] = [await pages.statements(`${path}/milestones`), await pages.statements(`${path}/milestone/1`)];
  for (let at = 0; at < 10; at++) {
    await client.post(`${base}/milestones`, { title: `M ${at}` });
    await client.post(`${base}/issues`, { title: `More ${at}`, milestone: 1 });
  }
  expect([await pages.statements(`${path}/milestones`), await pages.statements(`${path}/milestone/1`)]).toEqual([ofList, ofOne]);
  expect((await (await pagesAs(w)).get(`${path}/milestone/1`)).status).toBe(404);
  expect((await pages.get(`${path}/milestone/99`)).status).toBe(404);
});
