import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const w = await world();

test('two milestones of a repository have different titles', async () => {
  const owner = await w.user();
  const { name } = await w.repo(owner);
  const client = await w.as(owner);
  const path = `/repos/${owner.login}/${name}/milestones`;
  const taken = { status: 422, body: { errors: [{ resource: 'Milestone', field: 'title', code: 'already_exists' }] } };
  for (const title of ['v1', 'v2']) expect(await client.post(path, { title })).toMatchObject({ status: 201 });
  await w.unchanged(['milestones', 'events'], async () => {
    expect(await client.post(path, { title: 'v1' })).toMatchObject(taken);
    expect(await client.patch(`${path}/2`, { title: 'v1' })).toMatchObject(taken);
  });
  expect(await client.patch(`${path}/2`, { title: 'v2', description: 'The same title' })).toMatchObject({ status: 200 });
});
