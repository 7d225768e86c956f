import { connect } from 'node:net';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import type { Client } from '#test/support/client.ts';
import { commitFiles } from '#test/support/commit.ts';
import { inGoodTime } from '#test/support/time.ts';
import { world } from '#test/support/world.ts';

const w = await world({ embeddings: { provider: 'builtin' } });
const { as, user, org, repo, settle } = w;

let ada: Account;
let client: Client;

beforeAll(async () => {
  ada = await user('ada');
  client = await as(ada);
  const engine = await repo(await org(ada, 'acme'), { name: 'engine', by: ada });
  await client.patch('/repos/acme/engine', { description: 'Says hello' });
  await client.post('/repos/acme/engine/issues', { title: 'Say hello' });
  await commitFiles(w, engine, { 'src/hello.ts': 'const hello = "world";\n' }, 'Say hello');
  await settle();
});

/** What is asked: one search, in one grammar, by words or by meaning. */
const targets = {
  code: 'code?',
  commits: 'commits?',
  issues: 'issues?',
  'issues, advanced': 'issues?advanced_search=true&',
  semantic: 'issues?search_type=semantic&',
  hybrid: 'issues?search_type=hybrid&',
  repositories: 'repositories?',
} as const;
type Target = keyof typeof targets;
const all = Object.keys(targets) as Target[]; // the keys of a constant

/** Rows with the beginning of each query in front, as the name of its test. */
const named = (rows: readonly (readonly [string, number | 'refused'])[]) =>
  rows.map(([q, answer]) => [q.slice(0, 60), q, answer] as const);

/** A query that takes longer than this is one that somebody could hold a server up with. */
const slow = 2_000;

/** What a query is answered with: 422 and a field error of `q`, or a number of hits; in good time in any case. */
async function answerTo(target: Target, q: string): Promise<number | 'refused'> {
  const path = `/search/${targets[target]}q=${encodeURIComponent(q)}`;
  const headers = { accept: 'application/vnd.service.text-match+json' };
  const { status, body } = await inGoodTime(slow, () => client.get(path, { headers }));
  if (status === 200) return body.total_count;
  expect([status, body.message, body.errors]).toMatchObject([422, 'Validation Failed', [{ field: 'q' }]]);
  expect(body.errors[0].message).not.toBe('');
  return 'refused';
}

describe.each(['code', 'commits', 'issues', 'repositories'] as const)('%s', (kind) => {
  test.each(
    named([
      ['', 'refused'],
      [' \t\n', 'refused'],
      ['""', 'refused'],
      ['"', 'refused'],
      ["'", 'refused'],
      ['*', 'refused'],
      ['???', 'refused'],
      ['( )', 'refused'],
      ['% _- \\', 0],
      ['\u0000', 'refused'],
      ['hello\u0000', 'refused'],
      ['hel\u0007lo', 0],
      ['hello\u0007', 1],
      ['hello\u202e', 1],
      ['\u200bhello\ufeff', 1],
      ['ｈｅｌｌｏ', 0],
      ['hello 😀', 1],
      ['"hello', 1],
      ['hello"', 1],
      ['(hello', 1],
      ['hello)', 1],
      ['-hello', 1],
      ['/(hello|a+)+$/ ^.*$', 0],
      ['unknown:hello', 0],
      ['constructor:hello', 0],
      ['__proto__:hello', 0],
      ['hello OR', 'refused'],
      ['NOT', 'refused'],
      ['hello repo:acme', 'refused'],
      ['hello repo:acme/engine/x', 'refused'],
      ['hello is:purple', 'refused'],
      ['x'.repeat(256), 0],
      ['x'.repeat(257), 'refused'],
      ['x'.repeat(10_000), 'refused'],
      ['hello '.repeat(1_600), 'refused'],
      ['"'.repeat(10_000), 'refused'],
      ['('.repeat(10_000), 'refused'],
      ['\u0001'.repeat(10_000), 'refused'],
      ['😀'.repeat(2_500), 'refused'],
      ['e\u0301'.repeat(128), 0],
      ['NOT '.repeat(2_500), 'refused'],
      ['a'.repeat(20_001), 'refused'],
      [`hello ${'repo:acme/none '.repeat(650)}`, 'refused'],
      [`hello ${'repo:acme/none '.repeat(650)} repo:acme/engine`, 1],
      [`hello ${'user:acme '.repeat(900)}`, 1],
      [`hello ${'-user:nobody '.repeat(900)}`, 'refused'],
      [`hello ${'-user:nobody '.repeat(900)} user:acme`, 1],
    ]),
  )('%j', async (_name, q, answer) => {
    expect(await answerTo(kind, q)).toBe(answer);
  });

  test('a page beyond the end is empty, and one beyond the thousandth result is refused', async () => {
    expect((await client.get(`/search/${kind}?q=hello&page=5`)).body).toMatchObject({ total_count: 1, items: [] });
    for (const more of ['page=99999999999', 'page=-1', 'per_page=0', 'per_page=1e9', 'page=x'])
      expect((await client.get(`/search/${kind}?q=hello&${more}`)).body.items).toHaveLength(1);
    expect((await client.get(`/search/${kind}?q=hello&per_page=100&page=11`)).status).toBe(422);
    for (const more of ['sort=taste', 'sort=', 'order=', 'q=world', 'page=%00'])
      expect((await client.get(`/search/${kind}?q=hello&${more}`)).status).toBe(422);
  });
});

describe.each(all)('%s', (target) => {
  test('what is no query is answered by 200 or 422 and in good time', async () => {
    const signs = ['"', '(', ')', '-', ':', ',', ' ', '>=', '..', '*', '\\', "'", '\u0001', '\u202e', '\u0301'];
    const words = ['AND', ' OR ', ' NOT ', 'hello', 'acme/engine', '@me', '2024', 'ß', '数据', '数', '_', 'İ', 'مرحبا', '😀'];
    const names = ['repo:', 'path:', 'extension:', 'author:', 'hash:', 'author-date:', 'label:', 'created:', 'field.x:', 'in:'];
    const soup = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.array(fc.oneof(fc.constantFrom(...signs, ...words, ...names), fc.string({ maxLength: 3 })), { maxLength: 15 }),
    );
    await fc.assert(
      fc.asyncProperty(soup, async (made) => {
        await answerTo(target, (typeof made === 'string' ? made : made.join('')).toWellFormed());
      }),
      { numRuns: 100 },
    );
  });

  // Qualifiers, words and names by the hundred, as far as a query may be long.
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const range = (from: number) => Array.from({ length: 120 }, (_, i) => String.fromCodePoint(from + i)).join(' ');
  test.each([
    ...['path:src', '-path:a', 'extension:ts', 'language:a', '-language:a', 'author:ada', '-author:ada', 'hash:abcd'],
    ...['author-date:>2000-01-01', 'is:public', 'archived:false', 'fork:true', 'topic:a', 'good-first-issues:>0', 'stars:<9'],
    ...['label:a,b,c,d,e,f', '-label:a', 'involves:ada', '-commenter:bob', 'field.x:a', '-field.x:>3', 'created:>2000-01-01'],
    ...['milestone:a', 'no:label', 'in:title', 'in:file', 'in:readme', 'comments:>0', 'team:acme/a', 'reactions:0'],
  ])('99 times %s', async (qualifier) => {
    await answerTo(target, `hello ${`${qualifier} `.repeat(99)}`);
    await answerTo(target, `${qualifier} `.repeat(99));
  });

  test.each([
    ['letters', letters.join(' ')],
    ['letters beyond ASCII, or a word', `hello OR ${range(0xe0)}`.slice(0, 250)],
    ['scripts without blanks, or a word', `hello OR ${range(0x4e00)}`.slice(0, 250)],
    ['a long phrase', `"${'a '.repeat(120)}b"`],
    ['many phrases', `hello OR ${letters.map((letter) => `"${letter} hello"`).join(' ')}`],
    ['signs in a phrase', 'hello OR "数 _ 数 _ 数 _ 数"'],
    ['accents without letters', '\u0301'.repeat(200)],
    ['repositories alone', 'repo:acme/engine '.repeat(900)],
    ['parentheses', `${'('.repeat(5)}hello${')'.repeat(5)}`],
    ['deep parentheses', `${'(a '.repeat(3_000)}${')'.repeat(3_000)}`],
    ['negated groups', '-(-(-(-(-(hello)))))'],
    ['groups of repositories', `(${'repo:acme/none '.repeat(600)} repo:acme/engine) OR hello`],
  ])('%s', async (_name, q) => {
    await answerTo(target, q);
  });
});

test.each(
  named([
    ['hello language:klingon', 0],
    [`hello extension:${'x'.repeat(5_000)}`, 0],
    [`hello filename:${'x'.repeat(5_000)}`, 0],
    [`hello path:${'src/'.repeat(2_000)}`, 0],
    [`hello ${'path:s '.repeat(90)}`, 0],
    [`hello ${'path:src '.repeat(101)}`, 'refused'],
    ["hello extension:'", 0],
    ['hello extension:\\', 0],
    ['hello path:%', 0],
    ['hello filename:%', 0],
    ['hello filename:hell_', 0],
    ['hello size:999999999999999', 0],
    ['hello size:9999999999999999999999', 'refused'],
    ['hello size:5..2', 0],
    ['hello size:many', 'refused'],
    ['hello size:1e3', 'refused'],
    ['hello size:..5', 'refused'],
    ['hello in:file,', 'refused'],
    ['hello in:file -in:file -in:path', 0],
    ['language:typescript', 'refused'],
    ['NOT hello', 'refused'],
    ['hello OR NOT world', 'refused'],
  ]),
)('code: %j', async (_name, q, answer) => {
  expect(await answerTo('code', q)).toBe(answer);
});

test.each(
  named([
    [`author-email:${'x'.repeat(5_000)}`, 0],
    [`author-name:"${'x '.repeat(2_000)}"`, 0],
    ["author-email:'", 0],
    ['author-name:---', 0],
    ['author:"a b"', 'refused'],
    ['hash:zzzz', 'refused'],
    [`hash:${'a'.repeat(64)}`, 0],
    [`hash:${'a'.repeat(65)}`, 'refused'],
    ['author-date:2023-02-29', 'refused'],
    ['author-date:..', 'refused'],
    ['author-date:*..*', 1],
    ['author-date:<0001', 0],
    ['author-date:0000-01-01T00:00:00+14:00', 0],
    ['committer-date:>9999-12-31', 0],
    ['merge:maybe', 'refused'],
    ['* repo:acme/engine', 1],
    ['NOT hello', 0],
    ['NOT merge:true', 1],
  ]),
)('commits: %j', async (_name, q, answer) => {
  expect(await answerTo('commits', q)).toBe(answer);
});

test.each(
  named([
    ['created:2023-02-30', 'refused'],
    ['created:2024-1-1', 'refused'],
    ['created:2024-06-31..2024-07-01', 'refused'],
    ['created:2024-01-01T24:00:00Z', 'refused'],
    ['created:2024-01-01T00:00:00+99:00', 'refused'],
    ['created:12024-01-01', 'refused'],
    ['created:>0001-01-01 updated:<9999-12-31', 1],
    ['created:>=0000-01-01T00:00:00+14:00', 1],
    ['created:>9999-12-31T23:59:59-12:00', 0],
    ['comments:many', 'refused'],
    ['comments:9..1', 0],
    ['comments:>999999999999999', 0],
    ['comments:99999999999999999999', 'refused'],
    ['field.due:0000-01-01T00:00:00+14:00', 0],
    ['field.due:>9999-12-31', 0],
    ['author:"not a login!"', 'refused'],
    ['label:""', 'refused'],
    ['label:a,', 'refused'],
    [`label:${'a,'.repeat(2_000)}a`, 0],
    [`hello milestone:"${'x'.repeat(9_000)}"`, 0],
    ['in:nowhere a', 'refused'],
    ['in:title', 'refused'],
    ['state:ajar', 'refused'],
    ['no:taste', 'refused'],
    ['team:nobody', 'refused'],
    ["' & | ! <-> :* \\ hello", 1],
  ]),
)('issues: %j', async (_name, q, answer) => {
  expect(await answerTo('issues', q)).toBe(answer);
  expect(await answerTo('issues, advanced', q)).toBe(answer);
});

test.each(
  named([
    ['((((((hello))))))', 'refused'],
    ['(hello', 'refused'],
    ['hello)', 'refused'],
    ['hello ()', 'refused'],
    ['(((((hello)))))', 1],
    ['hello repo:acme/engine repo:acme/engine', 1],
    [`hello ${'repo:acme/engine '.repeat(100)}`, 1],
    [`hello ${'repo:acme/engine '.repeat(101)}`, 'refused'],
  ]),
)('issues, advanced: %j', async (_name, q, answer) => {
  expect(await answerTo('issues, advanced', q)).toBe(answer);
});

/** The status line's code of a request whose target is sent as it stands, whatever a client would make of it. */
function statusOf(target: string, token: string): Promise<number> {
  const { hostname, port } = new URL(w.url);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let text = '';
  const socket = connect(Number(port), hostname, () =>
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`, 'latin1'),
  );
  socket.on('data', (data) => {
    text += data.toString();
  });
  socket.on('close', () => resolve(Number(text.split(' ')[1])));
  socket.on('error', reject);
  return promise;
}

test.each(
  named([
    ['q=%ED%A0%80', 200],
    ['q=%FF%FE', 200],
    ['q=%zz', 200],
    ['q=%00', 422],
    ['q', 422],
    ['', 422],
    ['q[]=x', 422],
    ['q[a]=b', 422],
    ['q=a&q=b', 422],
    ['q=hello&__proto__=x&constructor=1', 200],
    [`q=hello${'&x=1'.repeat(3_000)}`, 200],
    [`q=${'a'.repeat(60_000)}`, 422],
    [`q=${'a'.repeat(140_000)}`, 431],
    ['q=\xe9', 400],
  ]),
)('what no client would send: %j', async (_name, query, status) => {
  const token = await w.token(ada);
  for (const target of Object.values(targets)) {
    const [path, more = ''] = target.split('?');
    expect(await statusOf(`/api/v3/search/${path}?${more}${query}`, token)).toBe(status);
  }
});
