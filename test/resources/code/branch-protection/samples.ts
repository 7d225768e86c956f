import { protection } from '#resources/code/branch-protection/path-resources.ts';
import { addFile } from '#test/resources/code/commits/setting.ts';
import type { Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';
import { everything } from './bodies.ts';

export const samples: Samples = new Map([
  [
    protection,
    async ({ client }, base) => {
      const branch = fresh('protected');
      const { commit } = await addFile(client, base);
      await client.post(`${base}/git/refs`, { ref: `refs/heads/${branch}`, sha: commit });
      await client.put(`${base}/branches/${branch}/protection`, everything);
      return { branch };
    },
  ],
]);
