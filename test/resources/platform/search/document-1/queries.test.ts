import { beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { kinds, namesOf, search, setting } from './setting.ts';

let ada: Account;
let bob: Account;
beforeAll(async () => {
  ({ ada, bob } = await setting());
});

const found = async (kind: (typeof kinds)[number], q: string, more = ''): Promise<string[]> =>
  namesOf(await search(kind, q, { who: bob, more }));
const statusOf = async (kind: (typeof kinds)[number], q: string, more = ''): Promise<number> =>
  (await search(kind, q, { who: bob, more })).status;

describe('rule 1: keywords, then qualifiers, separated by spaces', () => {
  test.each([
    ['code', 'getUserName repo:acme/engine', ['src/UserName.ts']],
    ['code', 'widget language:python', ['src/widget.py']],
    ['code', 'widget path:docs', ['docs/only-widget-in-path.md']],
    ['code', 'widget in:file path:src user:acme', ['src/UserName.ts', 'src/widget.py']],
    ['code', '"widget of widgets" org:acme is:public', ['README.md']],
    ['commits', 'widget repo:acme/engine', ['Repair the widget']],
    ['commits', 'widget org:acme merge:false', ['Repair the widget']],
    ['commits', 'widget merge:true', []],
    ['issues', 'widget label:bug state:open', ['Widget leaks 💧 oil']],
    ['issues', 'widget in:title is:issue', ['Widget leaks 💧 oil']],
    ['issues', 'is:issue author:bob repo:acme/engine', ['Paint']],
    ['repositories', 'widget in:description user:acme', ['acme/engine']],
  ] as const)('%s: %s', async (kind, q, names) => {
    expect((await found(kind, q)).toSorted()).toEqual(names.toSorted());
  });

  test.each(kinds)('%s: names of owners and repositories are the same in either case', async (kind) => {
    const names = await found(kind, 'widget repo:acme/engine');
    expect(names).not.toEqual([]);
    for (const q of ['widget repo:ACME/Engine', 'widget user:Acme', 'widget org:aCmE', 'widget REPO:acme/ENGINE'])
      expect(await found(kind, q)).toEqual(names);
  });
});

describe('rule 2: code search', () => {
  test('looks only at the default branch', async () => {
    expect(await found('code', 'sideways')).toEqual([]);
    expect(await found('code', 'getUserName')).toEqual(['src/UserName.ts']);
  });

  test('looks only at files smaller than 384 KB', async () => {
    expect(await found('code', 'bulky')).toEqual(['big/just-below.txt']);
  });

  test.each(['repo:acme/engine', 'language:python user:acme', 'repo:acme/engine -path:src', 'NOT widget', '"" path:src'])(
    'requires a search term besides qualifiers: %s is invalid',
    async (q) => {
      const { status, body } = await search('code', q, { who: bob });
      expect([status, body.message, body.errors[0].field]).toEqual([422, 'Validation Failed', 'q']);
    },
  );
});

test('rule 3: commit search looks at the default branch', async () => {
  expect(await found('commits', 'sideways')).toEqual([]);
  expect((await found('commits', 'repo:acme/engine')).toSorted()).toEqual(['Begin', 'Repair the widget']);
});

describe.each(kinds)('rule 5: %s', (kind) => {
  test('256 characters pass, and 257 fail with a validation error', async () => {
    expect(await statusOf(kind, 'x'.repeat(256))).toBe(200);
    expect(await statusOf(kind, `${'x'.repeat(127)} ${'y'.repeat(128)}`)).toBe(200);
    const { status, body } = await search(kind, 'x'.repeat(257), { who: bob });
    expect([status, body.message]).toEqual([422, 'Validation Failed']);
    expect(body.errors).toMatchObject([{ resource: 'Search', field: 'q', code: 'invalid' }]);
  });

  test('operators and qualifiers are not counted', async () => {
    const [half, scope] = ['x'.repeat(127), `repo:acme/engine ${'user:acme '.repeat(30)}`];
    expect(await statusOf(kind, `${half} OR ${half} ${scope}`)).toBe(200);
    expect(await statusOf(kind, `${half} OR ${half} yy ${scope}`)).toBe(422);
  });

  test('five AND, OR or NOT pass, and six fail', async () => {
    expect(await statusOf(kind, 'a AND b OR c AND d NOT e AND f')).toBe(200);
    expect(await statusOf(kind, 'a AND b OR c AND d NOT e AND f OR g')).toBe(422);
    expect(await statusOf(kind, 'a "AND" "OR" "NOT" and or not "AND"')).toBe(200);
  });
});

describe('parameters', () => {
  test.each(kinds)('%s: q is required', async (kind) => {
    for (const q of ['', ' ', '""']) expect(await statusOf(kind, q)).toBe(422);
  });

  const reactions = ['reactions', ...['+1', '-1', 'smile', 'thinking_face', 'heart', 'tada'].map((name) => `reactions-${name}`)];
  test.each([
    ['code', ['indexed']],
    ['commits', ['author-date', 'committer-date']],
    ['issues', ['comments', ...reactions, 'interactions', 'created', 'updated']],
    ['repositories', ['stars', 'forks', 'help-wanted-issues', 'updated']],
  ] as const)('%s: sort takes its values, and no other', async (kind, sorts) => {
    for (const sort of sorts) expect(await statusOf(kind, 'widget', `&sort=${encodeURIComponent(sort)}`)).toBe(200);
    const { status, body } = await search(kind, 'widget', { who: bob, more: '&sort=taste' });
    expect([status, body.errors?.[0]]).toMatchObject([422, { resource: 'Search', field: 'sort' }]);
    expect(await statusOf(kind, 'widget', '&order=sideways')).toBe(422);
  });

  test.each([
    ['code', 'widget', 'indexed'],
    ['commits', 'repo:acme/engine', 'committer-date'],
    ['issues', 'widget', 'comments'],
    ['repositories', 'user:acme', 'updated'],
  ] as const)('%s: order is desc unless it is asc, and ignored without sort', async (kind, q, sort) => {
    const down = await found(kind, q, `&sort=${sort}`);
    expect(await found(kind, q, `&sort=${sort}&order=desc`)).toEqual(down);
    expect(await found(kind, q, `&sort=${sort}&order=asc`)).toEqual(down.toReversed());
    expect(await found(kind, q, '&order=asc')).toEqual(await found(kind, q));
  });

  test.each([
    ['commits', 'repo:acme/engine', 'committer-date'],
    ['issues', 'widget', 'comments'],
    ['repositories', 'user:acme', 'updated'],
  ] as const)('%s: sort: in a query orders as the parameter does, which has the last word', async (kind, q, sort) => {
    const found = async (...[asked, more]: [string, string?]) => namesOf(await search(kind, asked, { who: ada, more }));
    const down = await found(q, `&sort=${sort}`);
    const up = await found(q, `&sort=${sort}&order=asc`);
    expect(up).not.toEqual(down);
    expect(await found(`${q} sort:${sort}`, '&order=asc')).toEqual(down);
    expect(await found(`sort:${sort}-desc ${q}`)).toEqual(down);
    expect(await found(`${q} SORT:"${sort}-ASC"`)).toEqual(up);
    expect(await found(`${q} sort:${sort}-asc`, `&sort=${sort}`)).toEqual(down);
    expect(await found(`${q} sort:relevance-desc`)).toEqual(await found(q));
    expect(await statusOf(kind, `${q} sort:taste`)).toBe(422);
    expect(await statusOf(kind, `sort:${sort}`)).toBe(422);
  });

  test('code: sort: is text to look for', async () => {
    expect(await found('code', 'widget sort:indexed')).toEqual([]);
  });

  test.each(kinds)('%s: without sort, the best match is first, and the same search gives the same reply', async (kind) => {
    const one = await search(kind, 'widget', { who: bob });
    const scores = one.body.items.map(({ score }: { score: number }) => score);
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
    expect((await search(kind, 'widget', { who: bob })).body).toEqual(one.body);
  });

  test('advanced_search: parentheses and operators over qualifiers where it is true, words elsewhere', async () => {
    const q = '(label:bug AND oil) OR author:bob';
    expect((await found('issues', q, '&advanced_search=true')).toSorted()).toEqual(['Paint', 'Widget leaks 💧 oil']);
    expect(await statusOf('issues', '(widget', '&advanced_search=true')).toBe(422);
    for (const more of ['', '&advanced_search=false', '&advanced_search=TRUE'])
      expect(await statusOf('issues', '(widget', more)).toBe(200);
  });

  test('search_type: semantic or hybrid, and words without it', async () => {
    for (const type of ['semantic', 'hybrid']) expect(await statusOf('issues', 'widget', `&search_type=${type}`)).toBe(200);
    for (const type of ['lexical', 'psychic', '']) {
      const { status, body } = await search('issues', 'widget', { who: bob, more: `&search_type=${type}` });
      expect([status, body.errors?.[0].field]).toEqual([422, 'search_type']);
    }
  });
});
