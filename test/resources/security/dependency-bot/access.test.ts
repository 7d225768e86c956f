import { expect, test } from 'vitest';
import { fresh, world } from '#test/support/world.ts';

const here = await world();
const owner = await here.user();
const client = await here.as(owner);

/** An organization with three private repositories. */
async function setting() {
  const org = await here.org(owner);
  const wanted = () => ({ name: fresh('engine'), by: owner, visibility: 'private' as const });
  const made = await Promise.all([1, 2, 3].map(() => here.repo(org, wanted())));
  const repos = made.sort((one, other) => one.id - other.id);
  const at = `/orgs/${org.login}/dependency-bot/repository-access`;
  const shown = async (query = '') => {
    const { body, headers } = await client.get(at + query);
    const names = body.accessible_repositories.map(({ id }: { id: number }) => id);
    return { level: body.default_level, ids: names, link: headers.link };
  };
  return { org, at, shown, ids: repos.map(({ id }) => id), repos };
}

test('an organization says which repositories the bot may read', async () => {
  const { at, shown, ids } = await setting();
  expect(await shown()).toMatchObject({ level: null, ids: [] });
  expect((await client.patch(at, { repository_ids_to_add: ids })).status).toBe(204);
  expect(await shown()).toMatchObject({ ids });
  expect((await shown('?per_page=2&page=2')).ids).toEqual(ids.slice(2));
  expect((await shown('?per_page=2')).link).toContain('rel="next"');
  const change = { repository_ids_to_add: [ids[0], ids[0]], repository_ids_to_remove: [ids[1], 987_654] };
  expect((await client.patch(at, change)).status).toBe(204);
  expect((await client.put(`${at}/default-level`, { default_level: 'internal' })).status).toBe(204);
  expect(await shown()).toMatchObject({ level: 'internal', ids: [ids[0], ids[2]] });
});

test('what is not the organization’s is refused, and changes nothing', async () => {
  const { at, shown, ids } = await setting();
  const { ids: others } = await setting();
  await here.unchanged(['dependency_bot_access', 'selected_repositories'], async () => {
    for (const wrong of [
      { repository_ids_to_add: [ids[0], others[0]] },
      { repository_ids_to_add: [0] },
      { repository_ids_to_add: 'all' },
      {},
    ])
      expect((await client.patch(at, wrong)).status, JSON.stringify(wrong)).toBe(422);
    for (const wrong of [{ default_level: 'private' }, { default_level: null }, {}])
      expect((await client.put(`${at}/default-level`, wrong)).status, JSON.stringify(wrong)).toBe(422);
  });
  expect(await shown()).toMatchObject({ level: null, ids: [] });
  const member = await here.user();
  const stranger = await here.as(member);
  expect((await stranger.patch(at, { repository_ids_to_add: ids })).status).toBeGreaterThanOrEqual(403);
});

test('a repository that goes to another owner is not read any more; lists cost the same for one and many', async () => {
  const { at, shown, ids, org, repos } = await setting();
  await client.patch(at, { repository_ids_to_add: [ids[0]] });
  const one = await here.statements(owner, at);
  await client.patch(at, { repository_ids_to_add: ids });
  expect(await here.statements(owner, at)).toBe(one);
  const other = await here.org(owner);
  await client.post(`/repos/${org.login}/${repos[0]?.name}/transfer`, { new_owner: other.login });
  expect((await shown()).ids).toEqual(ids.slice(1));
});
