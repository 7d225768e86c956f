import { beforeAll, describe, expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { countStatements } from '#database/connect.ts';
import { installApp } from '#test/support/apps.ts';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, repo, token, fineGrained, settle } = w;

let ada: Account;
let bob: Account;
let acme: Account;
let hidden: RepositoryRow & { owner: Account };
let other: RepositoryRow & { owner: Account };

beforeAll(async () => {
  [ada, bob] = [await user('ada'), await user('bob')];
  acme = await org(ada, 'acme');
  const open = await repo(acme, { name: 'engine', by: ada });
  hidden = await repo(acme, { name: 'secrets', visibility: 'private', by: ada });
  other = await repo(acme, { name: 'vault', visibility: 'private', by: ada });
  await commitFiles(w, open, { 'a.ts': 'const treasure = 1;\n' }, 'Find the treasure');
  for (const one of [hidden, other]) await commitFiles(w, one, { 'b.ts': 'const treasure = 2;\n' }, 'Hide the treasure');
  await settle();
});

const kinds = ['code', 'commits'] as const;

describe.each(kinds)('%s: what a credential reaches is found and counted, and nothing else', (kind) => {
  const found = async (credential: string, q = 'treasure'): Promise<string[]> => {
    const { body } = await (await as(credential)).get(`/search/${kind}?q=${encodeURIComponent(q)}`);
    const items: { repository: { name: string } }[] = body.items;
    expect(body.total_count).toBe(items.length);
    return items.map(({ repository }) => repository.name).sort();
  };

  test('classic tokens', async () => {
    expect(await found(await token(ada, ['repo']))).toEqual(['engine', 'secrets', 'vault']);
    expect(await found(await token(ada, ['read:org']))).toEqual(['engine']);
    expect(await found(await token(bob, ['repo']))).toEqual(['engine']);
  });

  test('fine-grained tokens', async () => {
    expect(await found(await fineGrained(ada, acme, { contents: 'read' }, [hidden]))).toEqual(['engine', 'secrets']);
    expect(await found(await fineGrained(ada, ada, { contents: 'read' }))).toEqual(['engine']);
  });

  test('an installation of an app, and the app in the name of a user', async () => {
    const app = await installApp(w, { on: acme, permissions: { contents: 'read' }, repositories: [hidden] });
    expect(await found(app.token)).toEqual(['engine', 'secrets']);
    expect(await found(await app.userToken(ada))).toEqual(['engine', 'secrets']);
    expect(await found(await app.userToken(bob))).toEqual(['engine']);
    await w.db.updateTable('installations').set({ suspended_at: w.clock.now }).execute();
    expect(await found(await app.userToken(ada))).toEqual(['engine']);
  });

  test('an exclusion of what is hidden tells nothing', async () => {
    const credential = await token(bob, ['repo']);
    expect(await found(credential, 'treasure -repo:acme/secrets')).toEqual(['engine']);
    expect(await found(credential, 'treasure -repo:acme/absent')).toEqual(['engine']);
    expect(await found(credential, 'treasure NOT repo:acme/engine')).toEqual([]);
  });
});

/** What a request sent to the database, whatever names it held. */
async function sent(path: string): Promise<{ status: number; statements: string[]; reply: unknown }> {
  const headers = { authorization: `Bearer ${await token(bob)}` };
  const { result, statements } = await countStatements(() => w.hearth.app.inject({ url: `/api/v3${path}`, headers }));
  return { status: result.statusCode, statements, reply: result.json() };
}

describe.each(kinds)('%s: a hidden name and one that does not exist take the same way', (kind) => {
  test.each([
    ['repo:acme/secrets', 'repo:acme/absent'],
    ['repo:acme/secrets -language:go', 'repo:nobody/absent -language:go'],
    ['repo:acme/secrets repo:acme/vault', 'repo:acme/none repo:acme/absent'],
    ['repo:acme/secrets repo:acme/engine', 'repo:acme/absent repo:acme/engine'],
  ])('%s, and %s', async (secret, absent) => {
    const ask = (scope: string) => sent(`/search/${kind}?q=${encodeURIComponent(`treasure ${scope}`)}`);
    const [one, two] = [await ask(secret), await ask(absent)];
    expect(one).toEqual(two);
    expect(one.statements.length).toBeGreaterThan(1);
  });
});

test('how long a refusal takes tells nothing of how much a hidden repository holds', async () => {
  const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`f${i}.ts`, `const treasure = ${i};\n`]));
  await commitFiles(w, other, many, 'Fill the vault');
  await settle();
  const client = await as(bob);
  const time = async (name: string): Promise<number> => {
    const start = performance.now();
    expect((await client.get(`/search/code?q=treasure+repo:acme/${name}`)).status).toBe(422);
    return performance.now() - start;
  };
  const times: Record<string, number[]> = { vault: [], absent: [] };
  for (let round = 0; round < 60; round++)
    for (const name of round % 2 ? ['vault', 'absent'] : ['absent', 'vault']) times[name]?.push(await time(name));
  const median = (name: string) => times[name]?.toSorted((a, b) => a - b)[30] ?? 0;
  // Counting the hits, or reading a row for each, would take several times as long.
  expect(median('vault')).toBeLessThan(1.5 * median('absent') + 2);
});

test('conditional requests are answered 304 while nothing changed, and whole after access was revoked', async () => {
  const guest = await user();
  await w.collaborator(hidden, guest, 'read');
  const client = await as(guest);
  for (const kind of kinds) {
    const before = await client.get(`/search/${kind}?q=treasure`);
    const headers = { 'if-none-match': before.headers.etag ?? '' };
    expect((await client.get(`/search/${kind}?q=treasure`, { headers })).status).toBe(304);
    expect(before.body.total_count).toBe(2);
  }
  const { headers } = await client.get('/search/code?q=treasure');
  await w.db.deleteFrom('collaborators').where('user_id', '=', guest.id).execute();
  const after = await client.get('/search/code?q=treasure', { headers: { 'if-none-match': headers.etag ?? '' } });
  expect([after.status, after.body.total_count]).toEqual([200, 1]);
});
