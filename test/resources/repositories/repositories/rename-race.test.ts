import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { as, user, repo, db } = await world();

test('of repositories that take one name at the same time one gets it, and the others are told', async () => {
  const owner = await user();
  const client = await as(owner);
  const repos = await Promise.all(Array.from({ length: 6 }, () => repo(owner)));
  const replies = await Promise.all(repos.map(({ name }) => client.patch(`/repos/${owner.login}/${name}`, { name: 'wanted' })));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const { status } of replies) expect([200, 409, 422]).toContain(status);
  const named = await db.selectFrom('repositories').select('id').where('name', '=', 'wanted').execute();
  expect(named).toHaveLength(1);
});
