import { beforeAll, expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';

const w = await world({ vocabulary: 'github' });

let ada: Account;
beforeAll(async () => {
  ada = await w.user('ada');
  const engine = await w.repo(ada, { name: 'engine' });
  const files = { 'package.json': '{}', 'web/package.json': '{"private": true}', '.npmrc': 'a=b', 'package.md': 'package.json' };
  await commitFiles(w, engine, files, 'Begin');
  await w.settle();
});

// The public API's side of rule 2; document 1's is among the tests of its rules.
test.each([
  ['filename:package.json', ['package.json', 'web/package.json']],
  ['filename:package.json path:web', ['web/package.json']],
  ['filename:.npmrc user:ada', ['.npmrc']],
  ['filename:.npmrc filename:package.md', ['.npmrc', 'package.md']],
  ['filename:package -filename:json', ['package.md']],
  ['filename:absent', []],
])('%s needs no other term in the vocabulary of the public API', async (q, paths) => {
  const { status, body } = await (await w.as(ada)).get(`/search/code?q=${encodeURIComponent(q)}`, {
    headers: { accept: 'application/vnd.github.text-match+json' },
  });
  expect(status).toBe(200);
  expect(body.items.map(({ path }: { path: string }) => path).toSorted()).toEqual(paths);
  for (const { text_matches } of body.items) expect(text_matches).toMatchObject([{ property: 'path' }]);
});

test.each([
  'language:json',
  '-filename:package.json',
  'filename:. user:ada',
  'filename:package.json OR filename:a',
  'extension:md',
])('%s needs a term', async (q) => {
  expect((await (await w.as(ada)).get(`/search/code?q=${encodeURIComponent(q)}`)).status).toBe(422);
});
