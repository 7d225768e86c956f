import { beforeAll, describe, expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { installApp } from '#test/support/apps.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, member, repo, collaborator, token, fineGrained, settle, statements, db } = w;

let ada: Account;
let bob: Account;
let acme: Account;
let open: RepositoryRow & { owner: Account };
let hidden: RepositoryRow & { owner: Account };

const write = async (in_: RepositoryRow & { owner: Account }, by: Account, wanted: Record<string, unknown>): Promise<string> => {
  const { body } = await (await as(by)).post(`/repos/${in_.owner.login}/${in_.name}/issues`, wanted);
  return new URL(body.url).pathname.replace('/api/v3', '');
};

beforeAll(async () => {
  ada = await user('ada');
  bob = await user('bob');
  acme = await org(ada, 'acme');
  open = await repo(acme, { name: 'engine', by: ada });
  hidden = await repo(acme, { name: 'secrets', visibility: 'private', by: ada });
  const client = await as(ada);
  await client.post('/repos/acme/engine/labels', { name: 'bug', color: 'ff0000' });
  const first = await write(open, ada, {
    title: 'Widget leaks 💧 oil',
    body: 'Since Tuesday.\nThe gasket is 𝒶 gasket.',
    labels: ['bug'],
  });
  await client.post(`${first}/comments`, { body: 'A 🛠 gasket of the widget is loose' });
  await write(open, bob, { title: 'Paint', body: 'The widget needs paint' });
  await write(hidden, ada, { title: 'Hidden treasure', body: 'widget' });
  await settle();
});

type Found = { body: { total_count: number; items: { title: string }[] } };
const titles = ({ body }: Found): string[] => body.items.map(({ title }) => title);
const textMatch = { headers: { accept: 'application/vnd.service.text-match+json' } };

describe('document 1', () => {
  test('envelope and items: whole issues, with a score; the type of the search is named where it is not the usual one', async () => {
    const { body } = await (await as(bob)).get('/search/issues?q=leaks');
    expect(body).toMatchObject({ total_count: 1, incomplete_results: false });
    expect(body).not.toHaveProperty('search_type');
    expect(body.items[0]).toMatchObject({
      title: 'Widget leaks 💧 oil',
      user: { login: 'ada' },
      labels: [{ name: 'bug' }],
      comments: 1,
      repository_url: expect.stringMatching(/\/repos\/acme\/engine$/),
    });
    expect(body.items[0].score).toBeGreaterThan(0);
    expect(body.items[0]).not.toHaveProperty('text_matches');
  });

  test('rule 1: keywords, then qualifiers', async () => {
    const client = await as(bob);
    expect(titles(await client.get('/search/issues?q=widget'))).toEqual(['Widget leaks 💧 oil', 'Paint']);
    expect(titles(await client.get('/search/issues?q=widget+label:bug+state:open'))).toEqual(['Widget leaks 💧 oil']);
    expect(titles(await client.get('/search/issues?q=widget+in:title'))).toEqual(['Widget leaks 💧 oil']);
    expect(titles(await client.get('/search/issues?q=is:issue+author:bob+repo:acme/engine'))).toEqual(['Paint']);
  });

  test('sort and order', async () => {
    const client = await as(bob);
    expect(titles(await client.get('/search/issues?q=widget&sort=comments&order=asc'))).toEqual(['Paint', 'Widget leaks 💧 oil']);
    expect(titles(await client.get('/search/issues?q=widget&sort=comments'))).toEqual(['Widget leaks 💧 oil', 'Paint']);
    const wrong = await client.get('/search/issues?q=widget&sort=nonsense');
    expect([wrong.status, wrong.body.errors?.[0].field]).toEqual([422, 'sort']);
  });

  test('advanced_search: operators and parentheses over qualifiers', async () => {
    const client = await as(bob);
    const q = encodeURIComponent('(label:bug AND oil) OR author:bob');
    expect(titles(await client.get(`/search/issues?q=${q}&advanced_search=true&sort=created&order=asc`))).toEqual([
      'Widget leaks 💧 oil',
      'Paint',
    ]);
    expect((await client.get('/search/issues?q=(widget&advanced_search=true')).status).toBe(422);
    expect((await client.get('/search/issues?q=(widget')).status).toBe(200);
  });

  test('rule 4: nothing beyond the first 1,000 results', async () => {
    const answer = await (await as(bob)).get('/search/issues?q=widget&per_page=100&page=11');
    expect([answer.status, answer.body.message]).toEqual([422, 'Only the first 1000 search results are available.']);
  });

  test('rule 5: more than 256 characters, or five operators, are refused; qualifiers do not count', async () => {
    const client = await as(bob);
    expect((await client.get(`/search/issues?q=${'x'.repeat(257)}`)).status).toBe(422);
    expect((await client.get(`/search/issues?q=${'x'.repeat(256)}+label:${'y'.repeat(100)}`)).status).toBe(200);
    expect((await client.get('/search/issues?q=a+OR+b+OR+c+OR+d+OR+e+OR+f')).status).toBe(200);
    expect((await client.get('/search/issues?q=a+OR+b+OR+c+OR+d+OR+e+OR+f+OR+g')).status).toBe(422);
  });

  test('rule 6: what is named and hidden is refused like what does not exist; beside something accessible it is left out', async () => {
    const client = await as(bob);
    const [secret, absent] = [
      await client.get('/search/issues?q=widget+repo:acme/secrets'),
      await client.get('/search/issues?q=widget+repo:acme/absent'),
    ];
    expect([secret.status, secret.body.message]).toEqual([422, 'Validation Failed']);
    expect(secret.body).toEqual(absent.body);
    const both = await client.get('/search/issues?q=widget+repo:acme/secrets+repo:acme/engine');
    expect([both.status, both.body.total_count]).toEqual([200, 2]);
  });

  test('rule 9: an app that acts for a user says whether it looks for issues or for pull requests', async () => {
    const { userToken, token: own } = await installApp(w, { on: acme, permissions: { issues: 'read' } });
    const client = await as(await userToken(ada));
    expect((await client.get('/search/issues?q=widget')).status).toBe(422);
    expect((await client.get('/search/issues?q=widget+-is:issue')).status).toBe(422);
    expect((await client.get('/search/issues?q=widget+is:pull-request')).body.total_count).toBe(0);
    expect((await client.get('/search/issues?q=widget+is:issue')).body.total_count).toBe(3);
    expect((await (await as(own)).get('/search/issues?q=widget')).body.total_count).toBe(3);
  });

  test('rule 11: text matches of title, body and comments, with offsets in UTF-16 units into their fragment', async () => {
    const { body } = await (await as(bob)).get('/search/issues?q=gasket+oil', textMatch);
    const [item] = body.items;
    const matches: {
      property: string;
      object_type: string;
      object_url: string;
      fragment: string;
      matches: { text: string; indices: [number, number] }[];
    }[] = item.text_matches;
    expect(matches.map(({ object_type, property }) => `${object_type} ${property}`)).toEqual([
      'Issue title',
      'Issue body',
      'IssueComment body',
    ]);
    expect(matches[0]).toMatchObject({ object_url: item.url, matches: [{ text: 'oil', indices: [16, 19] }] });
    for (const { fragment, matches: spans } of matches)
      for (const { text, indices } of spans) expect(fragment.slice(...indices)).toBe(text);
    const comment = await (await as(bob)).get(new URL(matches[2]?.object_url ?? '').pathname.replace('/api/v3', ''));
    expect(comment.body.body).toContain('loose');
  });

  test('without anybody who makes vectors, words answer a search by meaning, and the reply says so', async () => {
    for (const type of ['semantic', 'hybrid']) {
      const { body } = await (await as(bob)).get(`/search/issues?q=widget&search_type=${type}`);
      expect(body).toMatchObject({ total_count: 2, incomplete_results: false, lexical_fallback_reason: ['service_unavailable'] });
    }
  });

  test('search without a credential shows what is public', async () => {
    expect((await (await as(undefined)).get('/search/issues?q=widget')).body.total_count).toBe(2);
  });
});

describe('what a credential does not reach is neither returned, counted nor quoted', () => {
  const total = async (who: Account | string): Promise<number> => {
    const { body } = await (await as(who)).get('/search/issues?q=treasure+is:issue', textMatch);
    expect(body.items).toHaveLength(body.total_count);
    return body.total_count;
  };

  test('by role, and gone at the next request', async () => {
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

  test('by classic token', async () => {
    expect(await total(await token(ada, ['read:user']))).toBe(0);
    expect(await total(await token(ada, ['public_repo']))).toBe(0);
    expect(await total(await token(ada, ['repo']))).toBe(1);
  });

  test('by fine-grained token: it must reach the repository, and read issues there', async () => {
    const reads = { issues: 'read' };
    expect(await total(await fineGrained(ada, acme, reads, [hidden]))).toBe(1);
    expect(await total(await fineGrained(ada, acme, reads, [open]))).toBe(0);
    expect(await total(await fineGrained(ada, acme, { contents: 'write' }, [hidden]))).toBe(0);
    expect(await total(await fineGrained(ada, ada, reads))).toBe(0);
  });

  test("by an app's tokens", async () => {
    const reads = await installApp(w, { on: acme, permissions: { issues: 'read' }, repositories: [hidden] });
    expect(await total(reads.token)).toBe(1);
    expect(await total(await reads.userToken(ada))).toBe(1);
    expect(await total(await reads.userToken(bob))).toBe(0);
    const other = await installApp(w, { on: acme, permissions: { contents: 'write' } });
    expect(await total(other.token)).toBe(0);
    expect(await total(await other.userToken(ada))).toBe(0);
    const elsewhere = await installApp(w, { on: acme, permissions: { issues: 'read' }, repositories: [open] });
    expect(await total(elsewhere.token)).toBe(0);
  });

  test('a private repository named to a token that may not read its issues answers like one that is not there', async () => {
    const client = await as(await fineGrained(ada, acme, { contents: 'read' }, [hidden]));
    expect((await client.get('/search/issues?q=treasure+repo:acme/secrets')).status).toBe(422);
  });
});

describe('the index follows what happens', () => {
  const total = async (q: string): Promise<number> => {
    await settle();
    return (await (await as(ada)).get(`/search/issues?q=${q}`)).body.total_count;
  };

  test('edits, states, labels, comments, reactions and assignments', async () => {
    const client = await as(ada);
    const word = fresh('zebra').replace('-', '');
    const issue = await write(open, ada, { title: word });
    expect(await total(`${word}+is:open+no:label`)).toBe(1);
    await client.patch(issue, { title: `${word} stripes`, body: 'and hooves', state: 'closed', state_reason: 'not_planned' });
    expect(await total(`stripes+hooves+is:closed+reason:not_planned+${word}`)).toBe(1);
    await client.post(`${issue}/labels`, { labels: ['bug'] });
    await client.post(`${issue}/assignees`, { assignees: ['ada'] });
    expect(await total(`${word}+label:bug+assignee:ada`)).toBe(1);
    await client.delete(`${issue}/labels/bug`);
    expect(await total(`${word}+label:bug`)).toBe(0);
    const said = await client.post(`${issue}/comments`, { body: `savanna${word} @bob` });
    expect(await total(`savanna${word}+mentions:bob+comments:1`)).toBe(1);
    const comment = `/repos/acme/engine/issues/comments/${said.body.id}`;
    await client.patch(comment, { body: 'steppe' });
    expect(await total(`savanna${word}`)).toBe(0);
    expect(await total(`${word}+steppe+in:comments,title`)).toBe(1);
    await client.delete(comment);
    expect(await total(`${word}+steppe`)).toBe(0);
    await client.post(`${issue}/reactions`, { content: 'heart' });
    expect(await total(`${word}+reactions:1`)).toBe(1);
    await client.put(`${issue}/lock`, {});
    expect(await total(`${word}+is:locked`)).toBe(1);
  });

  test('labels and milestones that are renamed or deleted', async () => {
    const client = await as(ada);
    await client.post('/repos/acme/engine/labels', { name: 'wild', color: '00ff00' });
    const milestone = await client.post('/repos/acme/engine/milestones', { title: 'Spring' });
    await write(open, ada, { title: 'Okapi', labels: ['wild'], milestone: milestone.body.number });
    expect(await total('okapi+label:wild+milestone:spring')).toBe(1);
    await client.patch('/repos/acme/engine/labels/wild', { new_name: 'tame' });
    await client.patch(`/repos/acme/engine/milestones/${milestone.body.number}`, { title: 'Autumn' });
    expect(await total('okapi+label:tame+milestone:autumn+-label:wild')).toBe(1);
    await client.delete('/repos/acme/engine/labels/tame');
    await client.delete(`/repos/acme/engine/milestones/${milestone.body.number}`);
    expect(await total('okapi+no:label+no:milestone')).toBe(1);
  });

  test('repositories that are renamed, hidden, archived or deleted', async () => {
    const client = await as(ada);
    const moving = await repo(acme, { name: 'moving', by: ada });
    await write(moving, ada, { title: 'Quagga' });
    expect(await total('quagga+repo:acme/moving')).toBe(1);
    await client.patch('/repos/acme/moving', { name: 'moved' });
    expect(await total('quagga+repo:acme/moved')).toBe(1);
    await client.patch('/repos/acme/moved', { visibility: 'private' });
    expect((await (await as(bob)).get('/search/issues?q=quagga')).body.total_count).toBe(0);
    await client.patch('/repos/acme/moved', { archived: true });
    expect(await total('quagga+archived:true+is:private')).toBe(1);
    await client.delete('/repos/acme/moved');
    expect(await total('quagga')).toBe(0);
  });
});

const bad = [
  '',
  ' ',
  '"',
  'NOT',
  'a AND',
  '((((((a))))))',
  ')',
  'created:2023-02-30',
  'comments:many',
  'comments:9..1',
  'comments:>999999999999999',
  'author:"not a login!"',
  'label:""',
  'in:nowhere a',
  'is:nonsense',
  'state:ajar',
  'no:taste',
  'team:nobody',
  'repo:nope',
  'a\u0000b\u001f',
  '\ud800 lone',
  `${'('.repeat(500)}a`,
  'label:'.repeat(2_000),
  'author:a '.repeat(90),
  'label:a,'.repeat(1_000),
  'x '.repeat(128),
  `"${'phrase '.repeat(30)}"`,
  '-'.repeat(250),
  "' & | ! <-> :* \\",
  'é'.repeat(200),
  '漢字'.repeat(60),
  'created:>0001-01-01 updated:<9999-12-31',
  'x'.repeat(10_000),
];

test.each(bad)('bad input %#: a clear refusal or an answer, and never slow', async (q) => {
  const client = await as(bob);
  for (const advanced of ['', '&advanced_search=true']) {
    const start = performance.now();
    const answer = await client.get(`/search/issues?q=${encodeURIComponent(q.toWellFormed())}${advanced}`);
    expect([200, 422]).toContain(answer.status);
    if (answer.status === 422) expect(answer.body.message).toBe('Validation Failed');
    expect(performance.now() - start).toBeLessThan(1_500);
  }
});

// A page that is full asks for the total too.
test('99 hits cost as many statements as one', async () => {
  const counts: number[] = [];
  for (const many of [1, 99]) {
    const word = fresh('needle').replace('-', '');
    for (let at = 0; at < many; at++) await write(open, ada, { title: word, body: word });
    await settle();
    const path = `/search/issues?q=${word}&per_page=100`;
    expect((await (await as(bob)).get(path)).body.items).toHaveLength(many);
    counts.push(await statements(bob, path));
  }
  expect(counts[1]).toBe(counts[0]);
});
