import { beforeAll, describe, expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { commitFiles } from '#test/support/commit.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, member, repo, collaborator, token, fineGrained, settle, statements, db } = w;

let ada: Account;
let bob: Account;
let acme: Account;
let open: RepositoryRow & { owner: Account };
let hidden: RepositoryRow & { owner: Account };

beforeAll(async () => {
  ada = await user('ada');
  bob = await user('bob');
  acme = await org(ada, 'acme');
  open = await repo(acme, { name: 'engine', by: ada });
  hidden = await repo(acme, { name: 'secrets', visibility: 'private', by: ada });
  await commitFiles(w, open, {
    'src/UserName.ts': 'export function getUserName(id: number): string {\n  return lookUpWidget(id);\n}\n',
    'src/widget.py': 'def look_up_widget(id):\n    return None\n',
    'README.md': '# Engine\nThe widget of widgets.\n',
    'big.txt': `${'widget '.repeat(60_000)}\n`,
    'docs/only-widget-in-path.md': 'nothing here\n',
  });
  await commitFiles(w, hidden, { 'vault.ts': 'const hiddenTreasure = "widget";\n' });
  await settle();
});

const paths = (answer: { body: { items: { path: string }[] } }): string[] => answer.body.items.map(({ path }) => path).sort();

describe('document 1', () => {
  test('envelope and items: a hit leads to the text that matched', async () => {
    const answer = await (await as(bob)).get('/search/code?q=getUserName');
    expect(answer.body).toMatchObject({ total_count: 1, incomplete_results: false });
    const [item] = answer.body.items;
    expect(item).toMatchObject({
      name: 'UserName.ts',
      path: 'src/UserName.ts',
      language: 'TypeScript',
      repository: { full_name: 'acme/engine' },
    });
    expect(item.score).toBeGreaterThan(0);
    expect(item.url).toMatch(/\/repos\/acme\/engine\/contents\/src\/UserName\.ts\?ref=[0-9a-f]{40}$/);
    expect(item).not.toHaveProperty('text_matches');
  });

  test('rule 1: keywords and qualifiers', async () => {
    const client = await as(bob);
    expect(paths(await client.get('/search/code?q=widget+language:python'))).toEqual(['src/widget.py']);
    expect(paths(await client.get('/search/code?q=widget+path:docs'))).toEqual(['docs/only-widget-in-path.md']);
    expect(paths(await client.get('/search/code?q=widget+in:path'))).toEqual(['docs/only-widget-in-path.md', 'src/widget.py']);
    expect(paths(await client.get('/search/code?q=%22widget+of+widgets%22+repo:acme/engine'))).toEqual(['README.md']);
  });

  test('rule 2: the default branch alone, files under 384 KB, and at least one term', async () => {
    const client = await as(bob);
    expect(paths(await client.get('/search/code?q=widget+repo:acme/engine'))).not.toContain('big.txt');
    const answer = await client.get('/search/code?q=repo:acme/engine');
    expect([answer.status, answer.body.errors?.[0].field]).toEqual([422, 'q']);
  });

  test('rule 4: nothing beyond the first 1,000 results', async () => {
    const answer = await (await as(bob)).get('/search/code?q=widget&per_page=100&page=11');
    expect([answer.status, answer.body.message]).toEqual([422, 'Only the first 1000 search results are available.']);
  });

  test('rule 5: more than 256 characters, or five operators, are refused', async () => {
    const client = await as(bob);
    expect((await client.get(`/search/code?q=${'x'.repeat(257)}`)).status).toBe(422);
    expect((await client.get(`/search/code?q=${'x'.repeat(256)}`)).status).toBe(200);
    expect((await client.get('/search/code?q=a+OR+b+OR+c+OR+d+OR+e+OR+f+OR+g')).status).toBe(422);
  });

  test('rule 6: what is named and hidden is refused like what does not exist; beside something accessible it is left out', async () => {
    const client = await as(bob);
    const [secret, absent] = [
      await client.get('/search/code?q=widget+repo:acme/secrets'),
      await client.get('/search/code?q=widget+repo:acme/absent'),
    ];
    expect(secret.status).toBe(422);
    expect(secret.body.message).toBe('Validation Failed');
    expect(secret.body).toEqual(absent.body);
    const both = await client.get('/search/code?q=widget+repo:acme/secrets+repo:acme/engine');
    expect(both.status).toBe(200);
    expect(new Set(both.body.items.map((item: { repository: { name: string } }) => item.repository.name))).toEqual(
      new Set(['engine']),
    );
  });

  test('rule 10: three fields of the repository become null in the newer version', async () => {
    const client = await as(bob);
    const now = await client.get('/search/code?q=getUserName');
    expect(now.body.items[0].repository.owner).toMatchObject({ type: 'Organization', node_id: expect.any(String) });
    const later = await client.get('/search/code?q=getUserName', { headers: { 'x-service-api-version': '2026-03-10' } });
    expect(later.body.items[0].repository).toMatchObject({
      description: null,
      owner: { type: null, node_id: null, login: 'acme' },
    });
  });

  test('rule 11: text matches of content and path, with offsets into their fragment', async () => {
    const media = { accept: 'application/vnd.service.text-match+json' };
    const { body } = await (await as(bob)).get('/search/code?q=widget+language:python', { headers: media });
    const matches: { property: string; fragment: string; matches: { text: string; indices: [number, number] }[] }[] =
      body.items[0].text_matches;
    expect(matches.map(({ property }) => property)).toEqual(['content', 'path']);
    for (const { fragment, matches: spans } of matches)
      for (const { text, indices } of spans) expect(fragment.slice(...indices)).toBe(text);
  });

  test('limits: code search asks for a credential', async () => {
    expect((await (await as(undefined)).get('/search/code?q=widget')).status).toBe(401);
  });
});

describe('what a credential does not reach is neither returned nor counted', () => {
  const total = async (who: Account | string): Promise<number> =>
    (await (await as(who)).get('/search/code?q=hiddenTreasure')).body.total_count;

  test('by role', async () => {
    expect(await total(bob)).toBe(0);
    expect(await total(ada)).toBe(1);
    const carol = await user();
    await member(acme, carol);
    expect(await total(carol)).toBe(1);
    const outside = await user();
    await collaborator(hidden, outside, 'read');
    expect(await total(outside)).toBe(1);
    await db.deleteFrom('collaborators').where('user_id', '=', outside.id).execute();
    expect(await total(outside)).toBe(0);
  });

  test('by token', async () => {
    expect(await total(await token(ada, ['read:user']))).toBe(0);
    expect(await total(await token(ada, ['repo']))).toBe(1);
    const reads = { contents: 'read' };
    expect(await total(await fineGrained(ada, acme, reads, [open]))).toBe(0);
    expect(await total(await fineGrained(ada, acme, reads, [hidden]))).toBe(1);
    expect(await total(await fineGrained(ada, ada, reads))).toBe(0);
  });

  test('a token that may not read contents finds none that are private', async () => {
    expect(await total(await fineGrained(ada, acme, { issues: 'write' }, [hidden]))).toBe(0);
    expect(
      (await (await as(await fineGrained(ada, acme, {}, [hidden]))).get('/search/code?q=getUserName')).body.total_count,
    ).toBe(1);
  });
});

test('a page of many repositories costs no more statements than one of few', async () => {
  const client = await as(bob);
  const counts: number[] = [];
  for (const many of [1, 8]) {
    const word = fresh('needle').replace('-', '');
    for (let at = 0; at < many; at++) await commitFiles(w, await repo(ada), { 'a.ts': `const ${word} = 1;\n` });
    await settle();
    const path = `/search/code?q=${word}&per_page=100`;
    expect((await client.get(path)).body.total_count).toBe(many);
    counts.push(await statements(bob, path));
  }
  expect(counts[1]).toBe(counts[0]);
});
