import { beforeAll, expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { commitFiles } from '#test/support/commit.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, repo, settle, statements } = w;

let ada: Account;
let bob: Account;
let hidden: RepositoryRow & { owner: Account };

beforeAll(async () => {
  ada = await user('ada');
  bob = await user('bob');
  const acme = await org(ada, 'acme');
  const open = await repo(acme, { name: 'engine', by: ada });
  hidden = await repo(acme, { name: 'secrets', visibility: 'private', by: ada });
  await commitFiles(w, open, { 'a.txt': '1' }, 'Repair the flux capacitor\n\nIt stalled at 88 miles.');
  await commitFiles(w, open, { 'a.txt': '2' }, 'Paint the engine');
  await commitFiles(w, hidden, { 'b.txt': '1' }, 'Hide the flux');
  await settle();
});

const messages = (answer: { body: { items: { commit: { message: string } }[] } }): string[] =>
  answer.body.items.map(({ commit }) => commit.message.split('\n', 1)[0] ?? '');

test('document 1, rule 3: the default branch; a hit is a whole commit with its repository', async () => {
  const answer = await (await as(bob)).get('/search/commits?q=flux');
  expect(answer.body).toMatchObject({ total_count: 1, incomplete_results: false });
  const [item] = answer.body.items;
  expect(item).toMatchObject({ repository: { full_name: 'acme/engine' }, parents: [], commit: { comment_count: 0 } });
  expect(item.url).toMatch(/\/repos\/acme\/engine\/commits\/[0-9a-f]{40}$/);
  expect(item.html_url).toBe(`${w.url}/acme/engine/commit/${item.sha}`);
});

test('search without a credential shows what is public', async () => {
  expect(messages(await (await as(undefined)).get('/search/commits?q=flux'))).toEqual(['Repair the flux capacitor']);
});

test('private commits are neither returned nor counted, but for those who may read them', async () => {
  expect((await (await as(ada)).get('/search/commits?q=flux')).body.total_count).toBe(2);
  expect((await (await as(bob)).get('/search/commits?q=flux+repo:acme/secrets')).status).toBe(422);
});

test('qualifiers alone are a query; sort and order', async () => {
  const client = await as(bob);
  expect(messages(await client.get('/search/commits?q=repo:acme/engine&sort=author-date&order=asc'))).toHaveLength(2);
  expect((await client.get('/search/commits?q=repo:acme/engine+merge:true')).body.total_count).toBe(0);
  expect((await client.get('/search/commits?q=')).status).toBe(422);
});

test('document 1, rule 11: text matches of the message', async () => {
  const media = { accept: 'application/vnd.service.text-match+json' };
  const { body } = await (await as(bob)).get('/search/commits?q=capacitor', { headers: media });
  const [match] = body.items[0].text_matches;
  expect(match).toMatchObject({ property: 'message', object_type: 'Commit', object_url: body.items[0].url });
  expect(match.fragment.slice(...match.matches[0].indices)).toBe('capacitor');
});

test('hits from 8 repositories cost as many statements as from 1', async () => {
  const counts: number[] = [];
  for (const many of [1, 8]) {
    const word = fresh('needle').replace('-', '');
    for (let at = 0; at < many; at++) await commitFiles(w, await repo(ada), { 'a.txt': word }, `Add ${word}`);
    await settle();
    expect((await (await as(bob)).get(`/search/commits?q=${word}`)).body.total_count).toBe(many);
    counts.push(await statements(bob, `/search/commits?q=${word}`));
  }
  expect(counts[1]).toBe(counts[0]);
});
