import { selectableRepository } from '#resources/repositories/repository-selections/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map([
  [
    selectableRepository,
    async ({ client, org }, base) => {
      const { body } = await client.post(`/orgs/${org.login}/repos`, { name: fresh('selectable'), private: true });
      await client.put(`${base}/settings/immutable-releases`, { enforced_repositories: 'selected', selected_repository_ids: [] });
      return { repository_id: String(body.id) };
    },
  ],
]);
