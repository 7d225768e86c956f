import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

test('a new repository has its first labels as soon as it was created', async () => {
  const { as, user } = await world();
  const ada = await user();
  const client = await as(ada);

  await client.post('/user/repos', { name: 'engine' });
  const { body } = await client.get(`/repos/${ada.login}/engine/labels`);

  expect(body.map(({ name }: { name: string }) => name)).toEqual([
    'bug',
    'documentation',
    'duplicate',
    'enhancement',
    'good first issue',
    'help wanted',
    'invalid',
    'question',
    'wontfix',
  ]);
  expect(body[0]).toMatchObject({ color: 'd73a4a', description: 'A fault', default: true });
});
