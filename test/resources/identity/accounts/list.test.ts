import { expect, test } from 'vitest';
import { installApp } from '#test/support/apps.ts';
import { everyPage } from '#test/support/pages.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const ada = await w.user('ada');
const acme = await w.org(ada, 'acme');
const bob = await w.user('bob');
await installApp(w, { on: acme, permissions: {} });
const carl = await w.user('carl');
const client = await w.as(undefined);

test('users and organizations in the order in which they came, without bots, to everybody', async () => {
  const bots = await w.db.selectFrom('accounts').select('id').where('kind', '=', 'bot').execute();
  expect(bots.length).toBeGreaterThan(0);
  const { status, body, headers } = await client.get('/users');
  const known = body.filter(({ login }: { login: string }) => ['ada', 'acme', 'bob', 'carl'].includes(login));
  expect([status, headers.link]).toEqual([200, undefined]);
  expect(known.map(({ id, type }: { id: number; type: string }) => [id, type])).toEqual([
    [ada.id, 'User'],
    [acme.id, 'Organization'],
    [bob.id, 'User'],
    [carl.id, 'User'],
  ]);
  expect(body.map(({ id }: { id: number }) => id)).not.toContain(bots[0]?.id);
});

test('pages follow the ids, and each leads to the next', async () => {
  const all = (await client.get('/users')).body;
  expect(await everyPage(client, '/users?per_page=2')).toEqual(all);
  const { headers } = await client.get(`/users?per_page=1&since=${ada.id}`);
  expect(headers.link).toBe(`<${w.url}/api/v3/users?per_page=1&since=${acme.id}>; rel="next"`);
  expect((await client.get(`/users?since=${carl.id}`)).body).toEqual(all.filter(({ id }: { id: number }) => id > carl.id));
});

test('it takes as many statements for one account as for many', async () => {
  expect(await w.statements(ada, '/users?per_page=1')).toBe(await w.statements(ada, '/users'));
  expect(await w.statements(ada, '/users')).toBe(2);
});
