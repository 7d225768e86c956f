import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { as, user, repo, url } = await world();
const ada = await user('ada');
const client = await as(ada);
for (let i = 0; i < 5; i++) await repo(ada, { name: `part-${i}` });

/** The `Link` header as its relations, each with the page that it leads to. */
async function pagesOf(query: string): Promise<Record<string, string | null>> {
  const { headers } = await client.get(`/users/ada/repos${query}`);
  return Object.fromEntries(
    [...(headers.link ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, target = '', rel = '']) => [
      rel,
      new URL(target).searchParams.get('page'),
    ]),
  );
}

test.each([
  ['?per_page=2', { next: '2', last: '3' }],
  ['?per_page=2&page=2', { prev: '1', next: '3', last: '3', first: '1' }],
  ['?per_page=2&page=3', { prev: '2', first: '1' }],
  ['?per_page=2&page=9', { prev: '3', first: '1' }],
  ['', {}],
  ['?per_page=5', {}],
])('%s links to %o', async (query, expected) => {
  expect(await pagesOf(query)).toEqual(expected);
});

test('links keep the rest of the query, and lead where they say', async () => {
  const first = await client.get('/users/ada/repos?per_page=2&sort=full_name&direction=desc');
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.link ?? '')?.[1] ?? '';
  expect(next).toBe(`${url}/api/v3/users/ada/repos?per_page=2&sort=full_name&direction=desc&page=2`);
  const second = await client.get(next.replace(`${url}/api/v3`, ''));
  const names = [...first.body, ...second.body].map(({ name }: { name: string }) => name);
  expect(names).toEqual(['part-4', 'part-3', 'part-2', 'part-1']);
});

test.each([
  ['?per_page=0', 5],
  ['?per_page=-1', 5],
  ['?per_page=many', 5],
  ['?per_page=2&per_page=3', 5],
  ['?per_page=1000', 5],
  ['?page=0', 5],
  ['?page=x', 5],
  ['?page=99999999999999999999', 5],
  ['?page=6&per_page=1', 0],
])('%s falls back to what is allowed', async (query, length) => {
  const { status, body } = await client.get(`/users/ada/repos${query}`);
  expect([status, body.length]).toEqual([200, length]);
});

test.each(['?since=-1', '?since=x', '?since=', '?since=1e3', '?since=1&since=2', '?since=99999999999999999999'])(
  '%s, which is no id, begins at the first',
  async (query) => {
    const { status, body } = await client.get(`/users${query}`);
    expect([status, body[0].login]).toEqual([200, 'ada']);
  },
);

test('beyond the last id there is an empty page, which leads nowhere', async () => {
  const { status, body, headers } = await client.get('/users?since=999999999999999');
  expect([status, body, headers.link]).toEqual([200, [], undefined]);
});
