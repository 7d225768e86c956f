import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { collaborator, space } from '#resources/platform/assistant/path-resources.ts';
import type { Sample, Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [
    space,
    async ({ client, world: { db }, place }, base) => {
      // Numbers are counted up in each organization: those of one place name nothing in the other.
      const { body } = await client.post(`${base}/assistant-spaces`, { name: fresh('space'), base_role: 'admin' });
      const number = place === 'here' ? 1_000 + body.id : body.number;
      await db.updateTable('assistant_spaces').set({ number }).where('id', '=', body.id).execute();
      return { space_number: String(number) };
    },
  ],
  [
    collaborator,
    async ({ client, world, org }, base) => {
      const user = await world.user();
      await world.member(org, user);
      const wanted = { actor_type: 'User', actor_identifier: user.login, role: 'reader' };
      await client.post(`${base}/collaborators`, wanted);
      return { actor_type: 'User', actor_identifier: user.login };
    },
  ],
]);
