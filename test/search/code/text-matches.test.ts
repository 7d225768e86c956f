import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { indexRepositoryCode } from '#search/code/index-repository.ts';
import { searchCode } from '#search/code/search.ts';
import { codeTextMatches } from '#search/code/text-matches.ts';
import { parse } from '#search/query/parser.ts';
import { startBudget } from '#search/result.ts';
import { makeSearchFixture, now, push, type SearchFixture } from '#test/search/support.ts';

let place: SearchFixture;

beforeAll(async () => {
  place = await makeSearchFixture();
  const { id, repo } = await place.repository(await place.account('octo'), 'hello');
  await push(repo, {
    'src/user.ts': 'const a = 1;\nconst getUserName = () => user;\n// superuser\n',
    'emoji.txt': '😀 grin 😀 Grinning grin\n',
    'phrase.txt': 'one hello, world two\n',
    'minified.js': `${'x=1;'.repeat(500)}needle${';y=2'.repeat(500)}`,
    'far.txt': `${`alphaword\n${'line\n'.repeat(200)}`.repeat(3)}alphaword\n`,
    'cjk.txt': '这是数据库管理系统\n',
    'none.txt': 'unrelated',
  });
  await indexRepositoryCode({ db: place.db, git: place.git, repositoryId: id, now });
});
afterAll(() => place.close());

async function matches(q: string) {
  const query = parse('code', q);
  const page = { limit: 30, offset: 0, number: 1 };
  const { items } = await searchCode(place, {
    query,
    visible: sql`(select id from repositories)`,
    page,
    budget: startBudget(60_000),
  });
  const lists = await codeTextMatches(place.git, { query, hits: items, budget: startBudget(60_000) });
  for (const { fragment, matches: inside } of lists.flat()) {
    for (const { text, indices } of inside) expect(fragment.slice(...indices)).toBe(text);
  }
  return lists.flat();
}

test('rule 11: the content and the path of a file have text matches', async () => {
  expect(await matches('user')).toEqual([
    {
      property: 'content',
      fragment: 'const a = 1;\nconst getUserName = () => user;\n// superuser\n',
      matches: [
        { text: 'User', indices: [22, 26] },
        { text: 'user', indices: [39, 43] },
      ],
    },
    { property: 'path', fragment: 'src/user.ts', matches: [{ text: 'user', indices: [4, 8] }] },
  ]);
  expect(await matches('user in:path')).toMatchObject([{ property: 'path' }]);
  expect(await matches('user in:file')).toMatchObject([{ property: 'content' }]);
});

test('offsets are in UTF-16 units, relative to the fragment', async () => {
  expect(await matches('grin')).toMatchObject([
    { fragment: '😀 grin 😀 Grinning grin\n', matches: [{ indices: [3, 7] }, { indices: [20, 24] }] },
  ]);
});

test('a phrase matches whole', async () => {
  expect(await matches('"hello world"')).toMatchObject([{ matches: [{ text: 'hello, world', indices: [4, 16] }] }]);
});

test('what is excluded has no matches', async () => {
  expect(await matches('hello NOT grin')).toMatchObject([{ matches: [{ text: 'hello' }] }]);
});

test('long lines are cut around the match', async () => {
  const [match] = await matches('needle');
  expect(match?.fragment.length).toBeLessThanOrEqual(240);
  expect(match?.matches).toEqual([{ text: 'needle', indices: [80, 86] }]);
});

test('matches far apart come in fragments of their own, three at most', async () => {
  const found = await matches('alphaword');
  expect(found.map(({ matches: inside }) => inside.length)).toEqual([1, 1, 1]);
  for (const { fragment } of found.slice(1)) expect(fragment.startsWith('line\nalphaword\nline')).toBe(true);
});

test('words inside a script without blanks match', async () => {
  expect(await matches('数据库')).toMatchObject([{ matches: [{ text: '数据库', indices: [2, 5] }] }]);
});
