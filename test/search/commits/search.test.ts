import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Id } from '#lib/id.ts';
import { indexRepositoryCommits } from '#search/commits/index-repository.ts';
import { searchCommits } from '#search/commits/search.ts';
import { commitTextMatches } from '#search/commits/text-matches.ts';
import { parse } from '#search/query/parser.ts';
import { startBudget } from '#search/result.ts';
import { ada } from '#test/git/support.ts';
import { makeSearchFixture, now, push, type SearchFixture } from '#test/search/support.ts';

let place: SearchFixture;
let octo: Id<'accounts'>;
const oids: Record<string, string> = {};

const person = (name: string, email: string, date: string) => ({ name, email, date: new Date(date), zone: 0 });
const grace = (date: string) => person('Grace Hopper', 'Grace@Example.org', date);
const on = (date: string) => ({ ...ada, date: new Date(date) });

beforeAll(async () => {
  place = await makeSearchFixture();
  octo = await place.account('octo', { email: 'ADA@example.org' });
  await place.account('grace', { email: 'grace@example.org' });
  const acme = await place.account('acme', { kind: 'organization' });
  const hello = await place.repository(octo, 'hello');
  const commit = async (name: string, message: string, date: string, parents: string[] = [], by = ada) => {
    const who = { author: by === ada ? on(date) : grace(date), committer: on(date) };
    oids[name] = await push(hello.repo, { file: name }, { message, parents, ...who });
    return oids[name];
  };
  const first = await commit('first', 'Start the parser\n\nNothing works yet.\n', '2020-01-01T10:00:00Z');
  const second = await commit(
    'second',
    'Fix a crash in getUserName\n\nThe parser failed.\n',
    '2021-06-01T10:00:00Z',
    [first],
    grace(''),
  );
  const side = await commit('side', 'Add a test for the crash', '2021-07-01T10:00:00Z', [first]);
  await commit('merge', 'Merge branch side', '2022-02-02T10:00:00Z', [second, side]);
  const secret = await place.repository(acme, 'secret', { visibility: 'private' });
  await push(secret.repo, { a: 'a' }, { message: 'Fix a secret crash', author: grace('2023-01-01T00:00:00Z') });
  for (const { id } of [hello, secret]) await indexRepositoryCommits({ db: place.db, git: place.git, repositoryId: id, now });
});
afterAll(() => place.close());

const everything = sql`(select id from repositories)`;
const open = sql`(select id from repositories where visibility = 'public')`;
type Options = Partial<Omit<Parameters<typeof searchCommits>[1], 'query'>>;

const search = (q: string, options: Options = {}) =>
  searchCommits(place.db, {
    query: parse('commits', q),
    visible: open,
    page: { limit: 30, offset: 0, number: 1 },
    budget: startBudget(60_000),
    ...options,
  });

const nameOf = (oid: string) => Object.entries(oids).find(([, value]) => value === oid)?.[0] ?? oid;
const found = async (q: string, options?: Options) => (await search(q, options)).items.map(({ oid }) => nameOf(oid));

describe('rule 1: terms and qualifiers of a commit search', () => {
  test.each([
    ['parser', ['first', 'second']],
    ['crash', ['second', 'side']],
    ['user', ['second']],
    ['getUserName', ['second']],
    ['"a crash"', ['second']],
    ['"the crash"', ['side']],
    ['crash NOT test', ['second']],
    ['crash OR start', ['first', 'second', 'side']],
    ['author:octo', ['first', 'merge', 'side']],
    ['author:GRACE', ['second']],
    ['author:nobody', []],
    ['-author:octo', ['second']],
    ['-author:nobody crash', ['second', 'side']],
    ['author:octo author:grace', ['first', 'merge', 'second', 'side']],
    ['committer:octo crash', ['second', 'side']],
    ['committer:grace', []],
    ['author-name:hopper', ['second']],
    ['author-name:"Grace Hopper"', ['second']],
    ['committer-name:lovelace crash', ['second', 'side']],
    ['author-email:grace@EXAMPLE.org', ['second']],
    ['committer-email:grace@example.org', []],
    ['author-date:2021-06-01', ['second']],
    ['author-date:>2021-06-01', ['merge', 'side']],
    ['author-date:2021-01-01..2021-12-31', ['second', 'side']],
    ['-author-date:<2022-01-01', ['merge']],
    ['committer-date:<=2020-01-01T10:00:00Z', ['first']],
    ['committer-date:<2020-01-01T11:00:00+01:00', []],
    ['merge:true', ['merge']],
    ['merge:false crash', ['second', 'side']],
    ['-merge:false', ['merge']],
    ['repo:octo/hello crash', ['second', 'side']],
    ['user:octo merge:true', ['merge']],
    ['is:public merge:true', ['merge']],
    ['is:private', []],
    ['is:internal', []],
    ['is:internal OR merge:true', ['merge']],
    ['merge:true OR author-name:hopper', ['merge', 'second']],
    ['merge:true OR NOT author:octo', ['merge', 'second']],
    ['repo:acme/secret OR repo:octo/hello merge:true', ['merge']],
    ['-repo:acme/missing repo:octo/hello merge:true', ['merge']],
    ['repo:octo/hello OR author:grace', ['first', 'merge', 'second', 'side']],
  ])('%s', async (q, names) => {
    expect((await found(q)).toSorted()).toEqual(names);
  });

  test('hash:, parent: and tree: take a name or its beginning', async () => {
    const { first = '', second = '', side = '', merge = '' } = oids;
    expect(await found(`hash:${second}`)).toEqual(['second']);
    expect(await found(`hash:${second.slice(0, 9).toUpperCase()}`)).toEqual(['second']);
    expect((await found(`hash:${second} hash:${merge}`)).toSorted()).toEqual(['merge', 'second']);
    expect((await found(`parent:${first.slice(0, 8)}`)).toSorted()).toEqual(['second', 'side']);
    expect(await found(`parent:${second} parent:${side}`)).toEqual(['merge']);
    expect(await found('tree:0000000')).toEqual([]);
  });

  test('an account without an address of its own is known by the one that stands for it on this host', async () => {
    const eve = await place.account('Eve');
    const { id, repo } = await place.repository(eve, 'by-eve');
    const by = (email: string) => ({ author: { ...ada, email } });
    const first = await push(repo, { a: '1' }, { message: 'By eve', ...by(`${eve}+eve@users.noreply.code.example`) });
    await push(
      repo,
      { a: '2' },
      { message: 'By another', parents: [first], ...by(`${eve}+eve@users.noreply.elsewhere.example`) },
    );
    await indexRepositoryCommits({ db: place.db, git: place.git, repositoryId: id, now });
    expect(await found('author:eve', { host: 'code.example' })).toEqual([first]);
    expect(await found('author:@me author:eve', { host: 'code.example', viewerId: eve })).toEqual([first]);
    expect(await found('author:eve -author:@me', { host: 'code.example', viewerId: eve })).toEqual([]);
  });

  test('user:@me is the viewer, among alternatives too', async () => {
    expect((await found('user:@me merge:true', { viewerId: octo })).toSorted()).toEqual(['merge']);
    expect((await found('merge:true OR user:@me', { viewerId: octo })).toSorted()).toEqual(['first', 'merge', 'second', 'side']);
  });

  test('a query without a word and without a qualifier is none', async () => {
    await expect(search('* "!"')).rejects.toMatchObject({ problem: 'no_term' });
  });

  test('author:@me is the viewer', async () => {
    expect((await found('author:@me', { viewerId: octo })).toSorted()).toEqual(['first', 'merge', 'side']);
    expect(await found('author:@me')).toEqual([]);
  });
});

test('rule 3: only the default branch is searched, and what a forced push removed is gone', async () => {
  const { id, repo } = await place.repository(octo, 'forced');
  const index = () => indexRepositoryCommits({ db: place.db, git: place.git, repositoryId: id, now });
  const base = await push(repo, { a: '1' }, { message: 'Common ground' });
  await push(repo, { a: '2' }, { message: 'Regrettable words', parents: [base] });
  await push(repo, { a: '3' }, { message: 'Words elsewhere', parents: [base], branch: 'next' });
  expect(await index()).toMatchObject({ commits: 2, added: 2, removed: 0 });
  expect(await found('words')).toHaveLength(1);
  const better = await push(repo, { a: '4' }, { message: 'Better words', parents: [base] });
  expect(await index()).toEqual({ commit: better, commits: 2, added: 1, removed: 1 });
  expect(await found('words repo:octo/forced')).toEqual([better]);
});

test('sorts by dates, in both directions', async () => {
  const crashes = 'crash OR start OR merge repo:octo/hello';
  expect(await found(crashes, { sort: 'author-date' })).toEqual(['merge', 'side', 'second', 'first']);
  expect(await found(crashes, { sort: 'committer-date', order: 'asc' })).toEqual(['first', 'second', 'side', 'merge']);
});

test('best match: the subject line comes before the body', async () => {
  expect(await found('parser')).toEqual(['first', 'second']);
});

test('rule 6: what cannot be accessed is refused, and otherwise never found or counted', async () => {
  for (const scope of ['repo:acme/secret', 'repo:acme/missing', 'user:nobody']) {
    await expect(search(`crash ${scope}`)).rejects.toMatchObject({ problem: 'inaccessible' });
    await expect(search(`${scope} OR merge:true`)).rejects.toMatchObject({ problem: 'inaccessible' });
    await expect(search(`${scope} OR repo:acme/absent`)).rejects.toMatchObject({ problem: 'inaccessible' });
  }
  expect((await search('crash')).total_count).toBe(2);
  expect((await search('crash', { visible: everything })).total_count).toBe(3);
  expect((await search('secret OR crash repo:acme/secret repo:octo/hello')).total_count).toBe(2);
});

test('rule 7: a query that takes too long gives what was found, and says so', async () => {
  const slow = sql`(select id from repositories where pg_sleep(30) is not null)`;
  expect(await search('crash', { visible: slow, budget: startBudget(150) })).toMatchObject({ incomplete_results: true });
});

test('rule 11: the message of a commit has text matches', async () => {
  const query = parse('commits', 'parser crash');
  const { items } = await search('parser crash');
  expect(await commitTextMatches(place.db, { query, hits: items, budget: startBudget(60_000) })).toEqual([
    [
      {
        property: 'message',
        fragment: 'Fix a crash in getUserName\n\nThe parser failed.\n',
        matches: [
          { text: 'crash', indices: [6, 11] },
          { text: 'parser', indices: [32, 38] },
        ],
      },
    ],
  ]);
  const byQualifier = await search('merge:true');
  expect(
    await commitTextMatches(place.db, {
      query: parse('commits', 'merge:true'),
      hits: byQualifier.items,
      budget: startBudget(60_000),
    }),
  ).toEqual([[]]);
});
