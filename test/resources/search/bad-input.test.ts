import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, repo, settle } = w;

let ada: Account;

beforeAll(async () => {
  ada = await user('ada');
  const engine = await repo(await org(ada, 'acme'), { name: 'engine', by: ada });
  await commitFiles(w, engine, { 'src/hello.ts': 'const hello = "world";\n' }, 'Say hello');
  await (await as(ada)).post('/repos/acme/engine/issues', { title: 'Say hello' });
  await settle();
});

const ask = async (kind: string, q: string) => (await as(ada)).get(`/search/${kind}?q=${encodeURIComponent(q)}`);

/** What a query is answered with: 422 and a field error of `q`, or a number of hits. */
async function answerTo(kind: string, q: string): Promise<number | 'refused'> {
  const { status, body } = await ask(kind, q);
  if (status === 200) return body.total_count;
  expect([status, body.message, body.errors]).toMatchObject([422, 'Validation Failed', [{ field: 'q' }]]);
  expect(body.errors[0].message).not.toBe('');
  return 'refused';
}

describe.each(['code', 'commits', 'issues'])('%s', (kind) => {
  test.each([
    ['', 'refused'],
    [' \t\n', 'refused'],
    ['""', 'refused'],
    ['"', 'refused'],
    ["'", 'refused'],
    ['*', 'refused'],
    ['% _- \\', 0],
    ['\u0000', 'refused'],
    ['hello\u0000', 'refused'],
    ['hel\u0007lo', 0],
    ['hello\u0007', 1],
    ['"hello', 1],
    ['hello"', 1],
    ['(hello', 1],
    ['hello)', 1],
    ['unknown:hello', 0],
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
    ['\u0001'.repeat(10_000), 'refused'],
    ['😀'.repeat(2_500), 'refused'],
    ['NOT '.repeat(2_500), 'refused'],
    ['a'.repeat(20_001), 'refused'],
    [`hello ${'repo:acme/none '.repeat(650)}`, 'refused'],
    [`hello ${'repo:acme/none '.repeat(650)} repo:acme/engine`, 1],
  ])('%j', async (q, answer) => {
    expect(await answerTo(kind, q)).toBe(answer);
  });

  test('what is no query is answered by 200 or 422 and in good time', async () => {
    const pieces = ['"', '(', ')', '-', ':', ',', ' ', 'AND', ' OR ', ' NOT ', 'repo:', 'path:', 'extension:', 'author:'];
    const more = [
      'hash:',
      'author-date:',
      '>=',
      '..',
      '*',
      '\\',
      "'",
      '\u0001',
      'hello',
      'acme/engine',
      '@me',
      '2024',
      'ß',
      '数据',
    ];
    const soup = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.array(fc.oneof(fc.constantFrom(...pieces, ...more), fc.string({ maxLength: 3 })), { maxLength: 15 }),
    );
    await fc.assert(
      fc.asyncProperty(soup, async (made) => {
        const q = (typeof made === 'string' ? made : made.join('')).toWellFormed();
        const start = performance.now();
        await answerTo(kind, q);
        expect(performance.now() - start).toBeLessThan(2_000);
      }),
      { numRuns: 150 },
    );
  });

  test('a page beyond the end is empty, and one beyond the thousandth result is refused', async () => {
    const client = await as(ada);
    expect((await client.get(`/search/${kind}?q=hello&page=5`)).body).toMatchObject({ total_count: 1, items: [] });
    expect((await client.get(`/search/${kind}?q=hello&page=99999999999`)).status).toBe(200);
    expect((await client.get(`/search/${kind}?q=hello&per_page=100&page=11`)).status).toBe(422);
    expect((await client.get(`/search/${kind}?q=hello&sort=stars`)).status).toBe(422);
    expect((await client.get(`/search/${kind}?q=hello&q=world`)).status).toBe(422);
  });
});

test.each([
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
  ['hello size:5..2', 0],
  ['hello size:many', 'refused'],
  ['hello in:file,', 'refused'],
  ['hello in:file -in:file -in:path', 0],
  ['language:typescript', 'refused'],
  ['NOT hello', 'refused'],
  ['hello OR NOT world', 'refused'],
])('code: %j', async (q, answer) => {
  expect(await answerTo('code', q)).toBe(answer);
});

test.each([
  [`author-email:${'x'.repeat(5_000)}`, 0],
  [`author-name:"${'x '.repeat(2_000)}"`, 0],
  ["author-email:'", 0],
  ['author-name:---', 0],
  ['author:"a b"', 'refused'],
  ['hash:zzzz', 'refused'],
  [`hash:${'a'.repeat(64)}`, 0],
  ['author-date:2023-02-29', 'refused'],
  ['author-date:..', 'refused'],
  ['author-date:*..*', 1],
  ['author-date:<0001', 0],
  ['committer-date:>9999-12-31', 0],
  ['merge:maybe', 'refused'],
  ['* repo:acme/engine', 1],
  ['NOT hello', 0],
  ['NOT merge:true', 1],
])('commits: %j', async (q, answer) => {
  expect(await answerTo('commits', q)).toBe(answer);
});
