import { beforeAll, expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { indexStaleAccounts } from '#search/users/index-accounts.ts';
import { installApp } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, repo, statements, clock } = w;

let ada: Account;
let bob: Account;

beforeAll(async () => {
  ada = await user('ada-lovelace', { email: 'countess@engines.example' });
  await (await as(ada)).patch('/user', { name: 'Ada King', location: 'London, UK' });
  clock.now = new Date('2026-02-01T00:00:00Z');
  bob = await user('bob');
  await (await as(bob)).patch('/user', { name: 'Bob Lovelace-Byron', location: 'New York' });
  clock.now = new Date('2026-03-01T00:00:00Z');
  const lovelace = await user('lovelace');
  const acme = await org(ada, 'acme-engines');
  await (await as(ada)).patch('/orgs/acme-engines', { name: 'Acme', location: 'York' });
  await installApp(w, { on: acme, permissions: {} });
  for (const name of ['one', 'two']) await repo(acme, { name, by: ada });
  await repo(bob, { name: 'open' });
  for (const name of ['hidden', 'hidden-too', 'hidden-three']) await repo(lovelace, { name, visibility: 'private' });
  await w.db.updateTable('repositories').set({ language: 'TypeScript' }).where('name', 'in', ['one', 'open']).execute();
  await w.db.updateTable('repositories').set({ language: 'COBOL' }).where('name', '=', 'hidden').execute();
});

const search = async (q: string, more = '', headers = {}) => {
  const path = `/search/users?q=${encodeURIComponent(q)}${more}`;
  const { status, body } = await (await as(ada)).get(path, { headers });
  return { status, total: body.total_count, logins: body.items?.map(({ login }: { login: string }) => login), body };
};

test('words are looked for in logins, names and addresses; the whole login comes first, then logins, then names', async () => {
  expect(await search('lovelace')).toMatchObject({ status: 200, total: 3, logins: ['lovelace', 'ada-lovelace', 'bob'] });
  expect((await search('ADA-LOVELACE')).logins).toEqual(['ada-lovelace']);
  expect((await search('king')).logins).toEqual(['ada-lovelace']);
  expect((await search('countess@engines.example')).logins).toEqual(['ada-lovelace']);
  expect((await search('engines')).logins).toEqual(['acme-engines', 'ada-lovelace']);
  expect((await search('london')).logins).toEqual([]);
  expect((await search('lovelace NOT king')).logins).toEqual(['lovelace', 'bob']);
  expect((await search('acme OR king')).logins).toEqual(['acme-engines', 'ada-lovelace']);
  expect((await search('"lovelace byron"')).logins).toEqual(['bob']);
  expect((await search('"byron lovelace"')).logins).toEqual([]);
});

test('hits are users as others show them, with a score', async () => {
  const { body } = await search('acme');
  expect(body).toMatchObject({ total_count: 1, incomplete_results: false });
  const { score, ...shown } = body.items[0];
  expect(shown).toEqual((await (await as(undefined)).get('/users')).body.find(({ login }: Account) => login === 'acme-engines'));
  expect(score).toBeGreaterThan(1);
});

test.each([
  ['lovelace in:login', ['lovelace', 'ada-lovelace']],
  ['lovelace in:name', ['bob']],
  ['lovelace in:name,login', ['lovelace', 'ada-lovelace', 'bob']],
  ['engines in:email', ['ada-lovelace']],
  ['lovelace -in:login', ['bob']],
  ['lovelace -in:login,name,email', []],
  ['type:org', ['acme-engines']],
  ['lovelace type:org', []],
  ['type:user NOT lovelace', []],
  ['type:user repos:>=1', ['bob']],
  ['repos:2', ['acme-engines']],
  ['repos:0', ['ada-lovelace', 'lovelace']],
  ['repos:>2', []],
  ['location:york', ['bob', 'acme-engines']],
  ['location:"new york"', ['bob']],
  ['location:london location:york', ['ada-lovelace', 'bob', 'acme-engines']],
  ['location:"-"', []],
  ['fullname:"ada king"', ['ada-lovelace']],
  ['fullname:ada-lovelace', []],
  ['language:ts', ['bob', 'acme-engines']],
  ['language:cobol', []],
  ['created:<2026-01-15', ['ada-lovelace']],
  ['created:2026-02', ['bob']],
  ['followers:0 bob', ['bob']],
  ['followers:>0', []],
  ['is:sponsorable', []],
  ['user:bob', ['bob']],
  ['user:bob org:acme-engines', ['bob', 'acme-engines']],
  ['org:bob', []],
  ['lovelace -user:bob', ['lovelace', 'ada-lovelace']],
  ['user:nobody-here', []],
  ['type:org OR user:bob', ['bob', 'acme-engines']],
])('%s', async (q, logins) => {
  const found = await search(q);
  expect([found.status, found.logins.toSorted(), found.total]).toEqual([200, logins.toSorted(), logins.length]);
});

test('who is not signed in is shown no addresses, and finds nobody by them', async () => {
  const stranger = await as(undefined);
  for (const q of ['countess@engines.example', 'engines in:email'])
    expect((await stranger.get(`/search/users?q=${encodeURIComponent(q)}`)).body.items, q).not.toContainEqual(
      expect.objectContaining({ login: 'ada-lovelace' }),
    );
  expect((await stranger.get('/search/users?q=king')).body.items).toMatchObject([{ login: 'ada-lovelace' }]);
});

test('the numbers of repositories count public ones, so that they tell nothing of others', async () => {
  expect((await search('lovelace in:login repos:>0')).total).toBe(0);
  const own = await (await as(await w.token(ada))).get('/search/users?q=repos:3');
  expect(own.body.total_count).toBe(0);
});

test('@me is who asks', async () => {
  expect((await (await as(ada)).get('/search/users?q=user:@me')).body.items).toMatchObject([{ login: 'ada-lovelace' }]);
  expect((await (await as(undefined)).get('/search/users?q=user:@me')).body.total_count).toBe(0);
});

test('the order', async () => {
  const all = 'type:user type:org';
  expect((await search(all, '&sort=repositories')).logins.slice(0, 2)).toEqual(['acme-engines', 'bob']);
  expect((await search(`${all} sort:repositories-asc`)).logins.slice(-2)).toEqual(['bob', 'acme-engines']);
  expect((await search(all, '&sort=joined&order=asc')).logins.slice(0, 2)).toEqual(['ada-lovelace', 'bob']);
  expect((await search('lovelace', '&sort=followers')).logins).toEqual(['lovelace', 'ada-lovelace', 'bob']);
  expect((await search(all, '&sort=stars')).status).toBe(422);
});

test.each(['', 'in:login', 'type:bot', 'created:yesterday', 'repos:many'])('the query %j is refused', async (q) => {
  expect(await search(q)).toMatchObject({ status: 422, body: { errors: [{ field: 'q' }] } });
});

test('pages', async () => {
  const { body } = await search('lovelace', '&per_page=1&page=2');
  expect([body.total_count, body.items.map(({ login }: Account) => login)]).toEqual([3, ['ada-lovelace']]);
});

test('matches in the texts', async () => {
  const headers = { accept: 'application/vnd.service.text-match+json' };
  const { body } = await search('lovelace', '', headers);
  expect(body.items.map((item: { text_matches: object[] }) => item.text_matches)).toMatchObject([
    [{ property: 'login', fragment: 'lovelace', matches: [{ text: 'lovelace', indices: [0, 8] }] }],
    [{ object_url: `${w.url}/api/v3/users/ada-lovelace`, object_type: 'User', property: 'login', fragment: 'ada-lovelace' }],
    [{ property: 'name', fragment: 'Bob Lovelace-Byron', matches: [{ text: 'Lovelace', indices: [4, 12] }] }],
  ]);
});

test('a change of a profile counts from the next search on', async () => {
  const client = await as(bob);
  await client.patch('/user', { name: 'Robert' });
  expect((await search('byron')).total).toBe(0);
  expect((await search('robert')).logins).toEqual(['bob']);
  await client.patch('/user', { bio: 'Rows' });
  expect((await search('robert')).total).toBe(1);
  await client.patch('/user', { name: 'Bob Lovelace-Byron' });
});

test('bots are not found, and accounts that were removed neither', async () => {
  const bots = await w.db.selectFrom('accounts').select('login').where('kind', '=', 'bot').execute();
  expect(bots.length).toBeGreaterThan(0);
  for (const { login } of bots) expect((await search(login.replace('[bot]', ''))).total).toBe(0);
  await org(ada, 'shortlived');
  expect((await search('shortlived')).total).toBe(1);
  await (await as(ada)).delete('/orgs/shortlived');
  await w.settle();
  expect((await search('shortlived')).total).toBe(0);
});

test('accounts that no version or another one has indexed are indexed when a worker starts', async () => {
  await w.db.deleteFrom('account_words').where('account_id', '=', ada.id).execute();
  await w.db.updateTable('account_words').set({ analyser: 0, words: '=bygone' }).where('account_id', '=', bob.id).execute();
  expect((await search('king')).total).toBe(0);
  expect(await indexStaleAccounts(w.db)).toBe(2);
  expect((await search('king')).logins).toEqual(['ada-lovelace']);
  expect((await search('bygone')).total).toBe(0);
  expect((await search('byron')).logins).toEqual(['bob']);
  expect(await indexStaleAccounts(w.db)).toBe(0);
  expect(await indexStaleAccounts(w.db, { all: true })).toBe(4);
});

test('it takes as many statements for one hit as for many', async () => {
  const one = await statements(ada, '/search/users?q=king');
  expect(await statements(ada, '/search/users?q=lovelace')).toBe(one);
  expect(one).toBe(3);
});
