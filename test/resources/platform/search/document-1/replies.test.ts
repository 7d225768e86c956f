import { beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { type Asked, type Kind, kinds, search, searchable, setting } from './setting.ts';

const w = await searchable();

let bob: Account;
beforeAll(async () => {
  ({ bob } = await setting());
});

const ask = (kind: Kind, q: string, more: Asked = {}) => search(kind, q, { who: bob, ...more });
const firstOf = async (kind: Kind, q: string, more: Asked = {}) => (await ask(kind, q, more)).body.items[0];
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const oid = /^[0-9a-f]{40}$/;

describe('envelope', () => {
  test.each(kinds)('%s: how many match, whether all was looked at, and the matches', async (kind) => {
    const { status, body } = await ask(kind, 'widget', { more: '&per_page=1' });
    expect([status, Object.keys(body).toSorted()]).toEqual([200, ['incomplete_results', 'items', 'total_count']]);
    expect(body).toMatchObject({ incomplete_results: false, items: [{ score: expect.any(Number) }] });
    const all = await ask(kind, 'widget', { more: '&per_page=100' });
    expect(all.body.items).toHaveLength(body.total_count);
    expect((await ask(kind, 'nothingofthekind')).body).toEqual({ total_count: 0, incomplete_results: false, items: [] });
  });

  test.each(['semantic', 'hybrid'])('search_type is named where it is %s', async (type) => {
    expect((await ask('issues', 'oil loss', { more: `&search_type=${type}` })).body.search_type).toBe(type);
    expect((await ask('issues', 'widget')).body).not.toHaveProperty('search_type');
  });
});

describe('items', () => {
  const repository = {
    id: expect.any(Number),
    node_id: expect.any(String),
    name: 'engine',
    full_name: 'acme/engine',
    owner: { login: 'acme', id: expect.any(Number), node_id: expect.any(String), type: 'Organization', site_admin: false },
    private: false,
    html_url: expect.stringMatching(/\/acme\/engine$/),
    description: 'Makes widgets and every other widget',
    fork: false,
    url: expect.stringMatching(/\/repos\/acme\/engine$/),
    commits_url: expect.stringMatching(/\/repos\/acme\/engine\/commits\{\/sha\}$/),
  };

  test('code: a file that leads to what matched', async () => {
    const item = await firstOf('code', 'getUserName');
    expect(item).toMatchObject({ name: 'UserName.ts', path: 'src/UserName.ts', sha: expect.stringMatching(oid), repository });
    expect(item.url).toMatch(/\/repos\/acme\/engine\/contents\/src\/UserName\.ts\?ref=[0-9a-f]{40}$/);
    expect(item.git_url).toBe(`${item.repository.url}/git/blobs/${item.sha}`);
    expect(item.html_url).toMatch(/\/acme\/engine\/blob\/[0-9a-f]{40}\/src\/UserName\.ts$/);
    const { body } = await (await w.as(bob)).get(item.url.replace(/^.*\/api\/v3/, ''));
    expect(Buffer.from(body.content, 'base64').toString()).toContain('getUserName');
  });

  test('commits: the commit, who made it, its parents and its repository', async () => {
    const item = await firstOf('commits', 'widget');
    const person = { name: expect.any(String), email: expect.any(String), date: expect.stringMatching(time) };
    expect(item).toMatchObject({
      sha: expect.stringMatching(oid),
      node_id: expect.any(String),
      commit: { author: person, committer: person, message: expect.stringContaining('stalled'), comment_count: 0 },
      repository,
    });
    const place = `${item.repository.url}`;
    expect([item.url, item.comments_url]).toEqual([`${place}/commits/${item.sha}`, `${place}/commits/${item.sha}/comments`]);
    expect(item.html_url).toBe(`${item.repository.html_url}/commit/${item.sha}`);
    expect(item.commit.url).toBe(`${place}/git/commits/${item.sha}`);
    expect(item.commit.tree).toEqual({ sha: expect.stringMatching(oid), url: `${place}/git/trees/${item.commit.tree.sha}` });
    const [parent] = item.parents;
    expect(item.parents).toEqual([
      {
        sha: expect.stringMatching(oid),
        url: `${place}/commits/${parent.sha}`,
        html_url: `${item.repository.html_url}/commit/${parent.sha}`,
      },
    ]);
  });

  test('issues: whole issues', async () => {
    expect(await firstOf('issues', 'leaks')).toMatchObject({
      title: 'Widget leaks 💧 oil',
      user: { login: 'ada' },
      labels: [{ name: 'bug' }],
      state: 'open',
      comments: 1,
      created_at: expect.stringMatching(time),
      repository_url: expect.stringMatching(/\/repos\/acme\/engine$/),
    });
  });
});

type TextMatch = {
  object_url: string;
  object_type: string;
  property: string;
  fragment: string;
  matches: { text: string; indices: [number, number] }[];
};

/** The text matches of the first hit; each address leads to what holds the property, with the fragment in it. */
async function textMatches(kind: Kind, q: string): Promise<TextMatch[]> {
  const found: TextMatch[] = (await firstOf(kind, q, { textMatch: true })).text_matches;
  for (const { fragment, matches, object_url } of found) {
    expect(matches).not.toEqual([]);
    for (const { text, indices } of matches) expect(fragment.slice(...indices)).toBe(text);
    expect((await (await w.as(bob)).get(object_url.replace(/^.*\/api\/v3/, ''))).status).toBe(200);
  }
  return found;
}

describe('rule 11: text matches', () => {
  const properties = (found: TextMatch[]) => found.map(({ object_type, property }) => `${object_type}: ${property}`);

  test('code: the content and the path of a file', async () => {
    const found = await textMatches('code', 'widget language:python');
    expect(properties(found)).toEqual(['FileContent: content', 'FileContent: path']);
    expect(found[1]).toMatchObject({ fragment: 'src/widget.py', matches: [{ text: 'widget', indices: [4, 10] }] });
  });

  test('commits: the message', async () => {
    const found = await textMatches('commits', '"stalled at 88"');
    expect(properties(found)).toEqual(['Commit: message']);
    expect(found[0]?.matches).toEqual([{ text: 'stalled at 88', indices: [4, 17] }]);
  });

  test('issues: the title, the body and the bodies of comments, in UTF-16 units', async () => {
    const found = await textMatches('issues', 'gasket oil');
    expect(properties(found)).toEqual(['Issue: title', 'Issue: body', 'IssueComment: body']);
    expect(found[0]?.matches).toEqual([{ text: 'oil', indices: [16, 19] }]);
  });

  test('repositories: the name and the description', async () => {
    expect(properties(await textMatches('repositories', 'engine'))).toEqual(['Repository: name']);
    expect(properties(await textMatches('repositories', 'every'))).toEqual(['Repository: description']);
  });

  test.each(kinds)('%s: only with the media type for them', async (kind) => {
    const usual = await firstOf(kind, 'widget', { headers: { accept: 'application/vnd.service+json' } });
    expect(usual).not.toHaveProperty('text_matches');
    const { text_matches, ...same } = await firstOf(kind, 'widget', { textMatch: true });
    expect([same, text_matches.length > 0]).toEqual([usual, true]);
    const both = 'application/vnd.service.mercy-preview+json, application/vnd.service.v3.text-match+json';
    expect(await firstOf(kind, 'widget', { headers: { accept: both } })).toHaveProperty('text_matches', text_matches);
  });
});

describe('versions', () => {
  const at = (version: string) => ask('code', 'getUserName', { headers: { 'x-service-api-version': version } });

  test('rule 10: three fields of a code hit become null in a later version, and the repository itself has them', async () => {
    const fieldsOf = ({ body }: Awaited<ReturnType<typeof at>>) => {
      const { description, owner } = body.items[0].repository;
      return [description, owner.type, owner.node_id];
    };
    const before = fieldsOf(await at('2022-11-28'));
    expect(before).toEqual(['Makes widgets and every other widget', 'Organization', expect.any(String)]);
    const later = await at('2026-03-10');
    expect(fieldsOf(later)).toEqual([null, null, null]);
    expect(later.body.items[0].repository.owner.login).toBe('acme');
    const { body } = await (await w.as(bob)).get('/repos/acme/engine', { headers: { 'x-service-api-version': '2026-03-10' } });
    expect([body.description, body.owner.type, body.owner.node_id]).toEqual(before);
  });

  test('the header names a version that there is', async () => {
    expect((await at('2022-11-28')).headers['x-service-api-version-selected']).toBe('2022-11-28');
    expect((await at('2026-03-10')).headers['x-service-api-version-selected']).toBe('2026-03-10');
    expect((await at('2001-01-01')).status).toBe(400);
  });
});

test.each(kinds)('statuses: %s is answered 304 while nothing changed', async (kind) => {
  const { headers } = await ask(kind, 'widget');
  const again = await ask(kind, 'widget', { headers: { 'if-none-match': headers.etag ?? '' } });
  expect([again.status, again.text]).toEqual([304, '']);
  expect((await ask(kind, 'engine', { headers: { 'if-none-match': headers.etag ?? '' } })).status).not.toBe(304);
});
