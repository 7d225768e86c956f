import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const w = await world();

test('an archived repository is changed only by bringing it back', async () => {
  const owner = await w.user();
  const { name } = await w.repo(owner);
  const client = await w.as(owner);
  const path = `/repos/${owner.login}/${name}`;
  expect(await client.patch(path, { archived: true })).toMatchObject({ status: 200, body: { archived: true } });
  await w.unchanged(['repositories', 'events'], async () => {
    for (const wanted of [{ description: 'Steam' }, { name: 'other' }, { private: true }, { archived: true, has_wiki: false }])
      expect(await client.patch(path, wanted), JSON.stringify(wanted)).toMatchObject({ status: 403 });
  });
  const back = await client.patch(path, { archived: false, description: 'Steam' });
  expect(back).toMatchObject({ status: 200, body: { archived: false, description: 'Steam' } });
});
