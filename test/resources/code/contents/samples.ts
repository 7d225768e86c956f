import { archivedCommit } from '#resources/code/contents/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map([
  [
    archivedCommit,
    async ({ client }) => {
      const { body } = await client.post('/user/repos', { name: fresh('archived'), private: true, auto_init: true });
      const { headers } = await client.get(`/repos/${body.full_name}/tarball/${body.default_branch}`);
      return { commit_key: (headers.location ?? '').replace(/^.*\//, '') };
    },
  ],
]);
