import { expect, test } from 'vitest';
import { markedFragment } from '#console/components/matches.ts';
import { expectAccessible, openTab, visit } from '#test/support/browser.ts';
import { commitFiles } from '#test/support/commit.ts';
import { pagesAs } from '#test/support/page-client.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const attack = '<img src=x onerror=alert(1)>';
const escaped = '&lt;img src=x onerror=alert(1)&gt;';

const [ada, eve] = [await w.user(), await w.user()];
const hidden = await w.repo(ada, { visibility: 'private', name: fresh('engine') });
const open = await w.repo(ada, { name: fresh('engine') });
const client = await w.as(ada);
const issuesOf = (name: string) => `/repos/${ada.login}/${name}/issues`;
await client.post(issuesOf(hidden.name), { title: 'The secret boiler leaks' });
await client.post(issuesOf(open.name), { title: `A boiler ${attack}`, body: `The boiler of ${attack} is hot` });
await commitFiles(w, open, { 'boiler.ts': `export const boiler = '${attack}';\n` }, `Heat the boiler ${attack}`);
await w.settle();

const found = async (who: typeof ada | undefined, query: string) => (await pagesAs(w, who)).get(`/search?${query}`);

test('issues are found by who may read them, with what matches marked', async () => {
  const own = await found(ada, 'type=issues&q=boiler');
  expect(own.status).toBe(200);
  expect(own.text).toContain('The secret <mark>boiler</mark> leaks');
  expect(own.text).toContain('Searched by words.');
  for (const who of [eve, undefined]) {
    const others = await found(who, 'type=issues&q=boiler');
    expect(others.text).not.toContain('secret');
    expect(others.text).not.toContain(hidden.name);
    expect(others.text).toContain(`A <mark>boiler</mark> ${escaped}`);
  }
});

test('a kind of result that a query names needs no choice, and issues and pull requests are apart', async () => {
  expect((await found(ada, 'q=boiler+is:pr')).text).toContain('Nothing of this kind matches');
  expect((await found(ada, 'q=boiler+is:issue')).text).toContain('<mark>boiler</mark>');
  expect((await found(ada, 'type=pulls&q=boiler')).text).toContain('Nothing of this kind matches');
});

test('code, commits, repositories and people are found too', async () => {
  expect((await found(eve, 'type=code&q=boiler')).text).toContain(`<mark>boiler</mark> = '${escaped}`);
  expect((await found(eve, 'type=commits&q=boiler')).text).toContain(`Heat the <mark>boiler</mark> ${escaped}`);
  expect((await found(eve, `type=repositories&q=${open.name}`)).text).toContain(`/${ada.login}/${open.name}`);
  expect((await found(eve, `type=users&q=${ada.login}`)).text).toContain(`href="/${ada.login}"`);
  expect((await found(undefined, 'type=code&q=boiler')).text).toContain('Code is searched by people who are signed in');
});

test('a query that can’t be searched for is explained, and shown as it was written', async () => {
  const wrong = await found(ada, `type=issues&q=${encodeURIComponent(`${attack} created:>soon`)}`);
  expect(wrong.status).toBe(200);
  expect(wrong.text).toContain('This query can’t be searched for');
  expect(wrong.text).toContain('How to narrow a search');
  expect(wrong.text).toContain(escaped);
  expect(wrong.text).not.toContain(attack);
});

test('a search by meaning says what it did instead where it can’t', async () => {
  expect((await found(ada, 'type=issues&q=boiler&search_type=semantic')).text).toContain('Searched by words, since');
  expect((await found(undefined, 'type=issues&q=boiler&search_type=hybrid')).text).toContain('for people who are signed in');
});

test('the search of a repository is a search with a filter, whether or not the repository exists', async () => {
  for (const name of [open.name, 'absent']) {
    const { status, headers } = await (await pagesAs(w, eve)).get(`/${ada.login}/${name}/search?q=a`);
    expect([status, headers.get('location')]).toEqual([302, `/search?q=repo%3A${ada.login}%2F${name}+a&type=code`]);
  }
});

test('many results take no more statements than one', async () => {
  const pages = await pagesAs(w, ada);
  const many = await w.repo(ada, { name: fresh('many') });
  for (let at = 0; at < 12; at++) await client.post(issuesOf(many.name), { title: `A valve ${at}`, body: 'It is a valve' });
  await client.post(issuesOf(open.name), { title: 'One piston', body: 'It is a piston' });
  await w.settle();
  const one = await pages.statements('/search?type=issues&q=piston');
  expect(await pages.statements('/search?type=issues&q=valve')).toBe(one);
  expect(one).toBeLessThanOrEqual(25);
});

test('marks follow their indices, and those that overlap are left out', () => {
  const matches = [{ indices: [6, 7] }, { indices: [0, 2] }, { indices: [1, 3] }, { indices: [5, 99] }];
  expect(String(markedFragment({ fragment: '<b> & c', matches }))).toBe('<mark>&lt;b</mark>&gt; &amp; <mark>c</mark>');
});

test('people search in a browser, with and without scripts', async () => {
  for (const javaScriptEnabled of [true, false]) {
    const tab = await openTab(w, ada, { javaScriptEnabled });
    await visit(tab, '/search');
    await tab.page.getByRole('main').getByLabel('Query').fill('boiler');
    await tab.page.getByRole('main').getByRole('button', { name: 'Search' }).click();
    await tab.page.getByRole('link', { name: 'Issues', exact: true }).click();
    await tab.page.getByLabel('By both').check();
    await tab.page.getByRole('main').getByRole('button', { name: 'Search' }).click();
    await tab.page.getByText('The secret boiler leaks').waitFor();
    expect(tab.problems).toEqual([]);
  }
  const tab = await openTab(w, ada);
  for (const path of ['/search?type=issues&q=boiler', '/search?type=issues&q=created:>soon']) {
    await visit(tab, path);
    await expectAccessible(tab);
  }
});
