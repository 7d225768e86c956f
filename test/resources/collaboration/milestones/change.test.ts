import { expect, test } from 'vitest';
import { overlapping } from '#test/support/race.ts';
import { world } from '#test/support/world.ts';

const w = await world();

test('of two changes at once the second sees the first', async () => {
  const owner = await w.user();
  const engine = await w.repo(owner);
  const client = await w.as(owner);
  const path = `/repos/${owner.login}/${engine.name}/milestones`;
  await client.post(path, { title: 'v1' });
  const outcomes = await overlapping(
    w,
    (scope) => scope.tx.updateTable('milestones').set({ state: 'closed' }).where('repository_id', '=', engine.id).execute(),
    () => client.patch(`${path}/1`, { title: 'v1.0' }),
  );
  expect(outcomes).toEqual(['done', 'done']);
  expect((await client.get(`${path}/1`)).body).toMatchObject({ title: 'v1.0', state: 'closed' });
});
