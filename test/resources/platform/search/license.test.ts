import { beforeAll, expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { licenseText } from '#resources/repositories/licenses/index.ts';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';

const w = await world();

let ada: Account;

beforeAll(async () => {
  ada = await w.user('ada');
  const text = (key: string) => licenseText(key, { owner: 'Ada', year: 2026 });
  const files = {
    steam: { LICENSE: text('mit') },
    copper: { 'COPYING.txt': text('gpl-3.0') },
    iron: { LICENSE: text('lgpl-2.1') },
    zero: { LICENSE: text('cc0-1.0') },
    odd: { LICENSE: 'Ask me first.' },
    bare: { 'README.md': '# Bare' },
  };
  for (const [name, content] of Object.entries(files)) await commitFiles(w, await w.repo(ada, { name }), content);
  await w.repo(ada, { name: 'empty' });
  await commitFiles(w, await w.repo(ada, { name: 'secret', visibility: 'private' }), { LICENSE: text('mit') });
  await w.settle();
});

async function search(q: string, who: Account | undefined = undefined): Promise<string[]> {
  const { status, body } = await (await w.as(who)).get(`/search/repositories?q=${encodeURIComponent(q)}`);
  expect(status).toBe(200);
  return body.items.map(({ name }: { name: string }) => name).sort();
}

test.each([
  ['license:mit', ['steam']],
  ['license:MIT steam', ['steam']],
  ['LICENSE:Gpl-3.0', ['copper']],
  ['license:gpl', ['copper']],
  ['license:lgpl', ['iron']],
  ['license:cc', ['zero']],
  ['license:other', ['odd']],
  ['license:apache-2.0', []],
  ['license:nonsense', []],
  ['license:constructor', []],
  ['license:mit license:gpl-3.0', ['copper', 'steam']],
  ['license:mit OR license:other', ['odd', 'steam']],
  ['user:ada -license:mit', ['bare', 'copper', 'empty', 'iron', 'odd', 'zero']],
  ['user:ada -license:mit -license:gpl -license:lgpl -license:cc -license:other', ['bare', 'empty']],
  ['user:ada NOT license:other', ['bare', 'copper', 'empty', 'iron', 'steam', 'zero']],
  ['steam -license:mit', []],
])('%s', async (q, names) => {
  expect(await search(q)).toEqual(names);
});

test('private repositories are found by their licence by those alone who may read them', async () => {
  expect(await search('license:mit', ada)).toEqual(['secret', 'steam']);
  expect(await search('license:mit', await w.user())).toEqual(['steam']);
});

test('hits show their licence, at no more statements', async () => {
  const { body } = await (await w.as(undefined)).get('/search/repositories?q=license:mit');
  expect(body.items[0].license).toMatchObject({ key: 'mit', name: 'MIT License', spdx_id: 'MIT' });
  expect(await w.statements(ada, '/search/repositories?q=bare')).toBe(await w.statements(ada, '/search/repositories?q=zero'));
});
