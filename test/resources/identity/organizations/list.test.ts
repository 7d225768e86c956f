import { expect, test } from 'vitest';
import { everyPage } from '#test/support/pages.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const ada = await w.user('ada');
const orgs = [await w.org(ada, 'acme'), await w.org(ada, 'borg'), await w.org(ada, 'corp')];
const client = await w.as(undefined);

test('all organizations in the order in which they came, to everybody', async () => {
  await (await w.as(ada)).patch('/orgs/borg', { description: 'Cubes' });
  const { status, body } = await client.get('/organizations');
  expect(status).toBe(200);
  expect(body.map(({ id }: { id: number }) => id)).toEqual(orgs.map(({ id }) => id));
  expect(body[1]).toMatchObject({ login: 'borg', description: 'Cubes', url: `${w.url}/api/v3/orgs/borg` });
  expect(await everyPage(client, '/organizations?per_page=1')).toEqual(body);
});

test('it takes as many statements for one organization as for many', async () => {
  expect(await w.statements(ada, '/organizations?per_page=1')).toBe(2);
  expect(await w.statements(ada, '/organizations')).toBe(2);
});
