import { beforeAll, expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { commitFiles } from '#test/support/commit.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const { as, user, repo, settle, statements } = w;

let ada: Account;
let bob: Account;
let engine: RepositoryRow & { owner: Account };

beforeAll(async () => {
  [ada, bob] = [await user('ada'), await user('bob')];
  engine = await repo(ada, { name: 'engine' });
});

const rare = (): string => fresh('needle').replace('-', '');

/** How many statements a search sends that has as many hits as was asked for. */
async function count(path: string, hits: number): Promise<number> {
  await settle();
  expect((await (await as(bob)).get(path)).body.items).toHaveLength(hits);
  return statements(bob, path);
}

test.each(['code', 'commits'])('%s: hits from 8 repositories cost as many statements as from 1', async (kind) => {
  const counts: number[] = [];
  for (const many of [1, 8]) {
    const word = rare();
    for (let at = 0; at < many; at++) await commitFiles(w, await repo(ada), { 'a.ts': `const ${word} = 1;\n` }, `Add ${word}`);
    counts.push(await count(`/search/${kind}?q=${word}&per_page=100`, many));
  }
  expect(counts[1]).toBe(counts[0]);
});

test('issues: 99 hits cost as many statements as one', async () => {
  const counts: number[] = [];
  const client = await as(ada);
  for (const many of [1, 99]) {
    const word = rare();
    for (let at = 0; at < many; at++)
      await client.post(`/repos/ada/${engine.name}/issues`, { title: word, body: word, labels: ['bug'] });
    counts.push(await count(`/search/issues?q=${word}+repo:ada/${engine.name}&per_page=100`, many));
  }
  // The credential; the repository; the hits with their total; whether they may be read, the issues, and their labels; their
  // authors.
  expect(counts).toEqual([7, 7]);
});
