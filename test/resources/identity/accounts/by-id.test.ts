import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { as, user, org } = await world();

test('a user and an organization are found by their ids, as by their names', async () => {
  const ada = await user('ada');
  const acme = await org(ada, 'acme');
  const client = await as(undefined);
  for (const { id, login } of [ada, acme]) {
    const found = await client.get(`/user/${id}`);
    expect(found).toMatchObject({ status: 200, body: { id, login } });
    expect(found.body).toEqual((await client.get(`/users/${login}`)).body);
  }
  for (const id of ['999999', '0', 'ada']) expect((await client.get(`/user/${id}`)).status).toBe(404);
});
