import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

test.each([1e30, 2 ** 53, 0, -1, 1.5, '1', null])(
  'team_ids are ids: %o is refused by its place, and nothing moves',
  async (id) => {
    const { as, org, repo, unchanged, user } = await world();
    const owner = await user();
    const next = await org(owner);
    const engine = await repo(owner);
    const client = await as(owner);

    await unchanged(['repositories', 'events'], async () => {
      const body = { new_owner: next.login, team_ids: [id] };
      const reply = await client.post(`/repos/${owner.login}/${engine.name}/transfer`, body);
      expect(reply).toMatchObject({ status: 422, body: { errors: [{ resource: 'Repository', field: 'team_ids.0' }] } });
    });
  },
);
