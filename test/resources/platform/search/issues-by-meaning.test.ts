import { beforeAll, describe, expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { world } from '#test/support/world.ts';

const { as, user, org, repo, settle, fineGrained, statements } = await world({
  embeddings: { provider: 'builtin' },
});

let ada: Account;
let acme: Account;
let hidden: RepositoryRow & { owner: Account };

beforeAll(async () => {
  ada = await user('ada');
  acme = await org(ada, 'acme');
  await repo(acme, { name: 'engine', by: ada });
  hidden = await repo(acme, { name: 'secrets', visibility: 'private', by: ada });
  const client = await as(ada);
  const write = (name: string, title: string, body: string, labels: string[] = []) =>
    client.post(`/repos/acme/${name}/issues`, { title, body, labels });
  await write('engine', 'Login fails in the mobile app', 'After entering the right password, the Android client rejects it.', [
    'bug',
  ]);
  await write('engine', 'Editor takes ages to load large documents', 'A big log makes the window freeze for half a minute.');
  await write('engine', 'Insufficient contrast in night mode', 'Grey text over black is nearly invisible.');
  await write('engine', 'Translate the manual into French', 'Volunteers are welcome.');
  await write('secrets', 'Password resets never arrive', 'The mail with the sign-in link is lost.');
  await settle();
});

type Item = { title: string; score: number };
type Found = {
  total_count: number;
  incomplete_results: boolean;
  items: Item[];
  search_type?: string;
  lexical_fallback_reason?: string[];
};

async function ask(q: string, more = '', who?: Account | string): Promise<Found> {
  const client = await as(who ?? (await user()));
  const { status, body } = await client.get(`/search/issues?q=${encodeURIComponent(q)}${more}`);
  expect(status).toBe(200);
  return body;
}
const semantic = '&search_type=semantic';
const hybrid = '&search_type=hybrid';
const titles = ({ items }: Found): string[] => items.map(({ title }) => title);

describe('document 1: search_type', () => {
  test('semantic finds what means the like without a word in common, the nearest first', async () => {
    const found = await ask('cannot sign in on my phone', semantic);
    expect(found).toMatchObject({ search_type: 'semantic', incomplete_results: false });
    expect(titles(found)[0]).toBe('Login fails in the mobile app');
    expect(found.total_count).toBe(found.items.length);
    const scores = found.items.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect((await ask('cannot sign in on my phone')).total_count).toBe(0);
  });

  test('hybrid joins both lists, and counts what both find once', async () => {
    const found = await ask('manual', hybrid);
    expect(found.search_type).toBe('hybrid');
    expect(titles(found)[0]).toBe('Translate the manual into French');
    expect(new Set(titles(found)).size).toBe(found.items.length);
    expect(found.total_count).toBe(found.items.length);
    const sluggish = await ask('app is sluggish when opening big files', hybrid);
    expect(titles(sluggish)).toContain('Editor takes ages to load large documents');
  });

  test('qualifiers and excluded words hold for what the meaning finds', async () => {
    expect(titles(await ask('cannot sign in on my phone label:bug', semantic))).toEqual(['Login fails in the mobile app']);
    expect(titles(await ask('cannot sign in on my phone -label:bug', semantic))).not.toContain('Login fails in the mobile app');
    expect(titles(await ask('cannot sign in on my phone NOT android', hybrid))).not.toContain('Login fails in the mobile app');
    expect((await ask('sign in is:closed', semantic)).total_count).toBe(0);
  });

  test('pages follow one another', async () => {
    const whole = titles(await ask('app document text client', hybrid));
    const second = titles(await ask('app document text client', `${hybrid}&per_page=1&page=2`));
    expect(second).toEqual(whole.slice(1, 2));
  });
});

test.each([
  ['is:open label:bug', 'no_text_terms'],
  ['"mobile app"', 'quoted_text'],
  ['login is:pr', 'non_issue_target'],
  ['login OR manual', 'or_boolean_not_supported'],
  ['login in:comments', 'only_non_semantic_fields_requested'],
])('%s: only words can answer, and the reply says why', async (q, reason) => {
  const found = await ask(q, hybrid);
  expect(found).toMatchObject({ lexical_fallback_reason: [reason] });
  expect(found).not.toHaveProperty('search_type');
  expect(found.total_count).toBe((await ask(q)).total_count);
});

describe('what a credential does not reach is not found by its meaning', () => {
  const secret = 'Password resets never arrive';
  const finds = async (who: Account | string, type: string): Promise<boolean> =>
    titles(await ask('the e-mail for a lost password does not come', type, who)).includes(secret);

  test.each([semantic, hybrid])('%s', async (type) => {
    expect(await finds(ada, type)).toBe(true);
    expect(await finds(await user(), type)).toBe(false);
    expect(await finds(await fineGrained(ada, acme, { issues: 'read' }, [hidden]), type)).toBe(true);
    expect(await finds(await fineGrained(ada, acme, { contents: 'read' }, [hidden]), type)).toBe(false);
  });

  test('rule 6 holds for it, too', async () => {
    const client = await as(await user());
    expect((await client.get(`/search/issues?q=password+repo:acme/secrets${semantic}`)).status).toBe(422);
  });
});

test('an issue is found by its new meaning as soon as it was edited', async () => {
  const client = await as(ada);
  await client.patch('/repos/acme/engine/issues/4', {
    title: 'The battery drains overnight',
    body: 'Power is used while nothing runs.',
  });
  await settle();
  expect(titles(await ask('energy consumption while idle', semantic))).toContain('The battery drains overnight');
});

test('more hits cost no more statements', async () => {
  const count = async (q: string) => statements(await user(), `/search/issues?q=${q}${hybrid}`);
  await count('contrast');
  expect(await count('a+mobile+phone+rejects+the+password')).toBe(await count('contrast'));
});
