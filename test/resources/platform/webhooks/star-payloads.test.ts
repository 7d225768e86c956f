import { expect, test } from 'vitest';
import { heard, listening, parts } from './listening.ts';

test('a star is told as a star and as watching, its end as a star alone', async () => {
  const { here, owner, org, client, target } = await listening();
  const { name } = await here.repo(org, { by: owner });
  await heard(here, target);
  const path = `/user/starred/${org.login}/${name}`;
  await client.put(path);
  const told = await heard(here, target);
  expect(Object.keys(told).sort()).toEqual(['star.created', 'watch.started']);
  expect(told).toMatchObject({
    'star.created': { starred_at: '2026-01-01T00:00:00Z', repository: { name, stargazers_count: 1 }, ...parts(org, owner) },
    'watch.started': { repository: { name }, ...parts(org, owner) },
  });
  await client.put(path);
  expect(await heard(here, target)).toEqual({});
  await client.delete(path);
  expect(await heard(here, target)).toMatchObject({ 'star.deleted': { starred_at: null, repository: { stargazers_count: 0 } } });
});
