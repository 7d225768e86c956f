import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { as, user, repo, clock } = await world();
const ada = await user('ada');
const client = await as(ada);
await repo(ada, { name: 'engine' });
const path = '/repos/ada/engine';

test('an entity tag that still holds answers 304 without a body', async () => {
  const first = await client.get(path);
  const etag = first.headers.etag ?? '';
  expect(etag).toMatch(/^W\/"[0-9a-f]{64}"$/);
  for (const tag of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
    const again = await client.get(path, { headers: { 'if-none-match': tag } });
    expect([tag, again.status, again.text, again.headers.etag]).toEqual([tag, 304, '', etag]);
  }
  expect((await client.get(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
});

test('a change makes another tag', async () => {
  const before = await client.get(path);
  await client.patch(path, { description: 'changed' });
  const after = await client.get(path, { headers: { 'if-none-match': before.headers.etag ?? '' } });
  expect(after.status).toBe(200);
  expect(after.headers.etag).not.toBe(before.headers.etag);
});

test('a date is compared by the second, and one that does not parse is ignored', async () => {
  const seconds = (time: string, more: number): string => new Date(Date.parse(time) + more * 1000).toUTCString();
  const modified = (await client.get(path)).headers['last-modified'] ?? '';
  expect(modified).toBe(clock.now.toUTCString());
  const status = async (since: string, more: Record<string, string> = {}): Promise<number> =>
    (await client.get(path, { headers: { 'if-modified-since': since, ...more } })).status;
  expect(await status(modified)).toBe(304);
  expect(await status(seconds(modified, 1))).toBe(304);
  expect(await status(seconds(modified, -1))).toBe(200);
  expect(await status('yesterday')).toBe(200);
  expect(await status(modified, { 'if-none-match': '"other"' })).toBe(200); // the tag decides where both are given
});

test('lists have tags too, and what writes ignores them', async () => {
  const list = await client.get('/user/repos');
  expect((await client.get('/user/repos', { headers: { 'if-none-match': list.headers.etag ?? '' } })).status).toBe(304);
  expect((await client.patch(path, { description: 'again' }, { headers: { 'if-none-match': '*' } })).status).toBe(200);
});

test('two readers whose replies differ never share a tag', async () => {
  const other = await as(await user('bob'));
  const [mine, theirs] = [await client.get(path), await other.get(path)];
  expect(theirs.headers.etag).not.toBe(mine.headers.etag);
  expect(mine.headers['cache-control']).toMatch(/^private/);
  expect(mine.headers.vary).toContain('Authorization');
});
