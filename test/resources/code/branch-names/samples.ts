import { branch } from '#resources/code/branch-names/index.ts';
import { addFile } from '#test/resources/code/commits/setting.ts';
import type { Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map([
  [
    branch,
    async ({ client }, base) => {
      const name = fresh('feature');
      const { commit } = await addFile(client, base);
      await client.post(`${base}/git/refs`, { ref: `refs/heads/${name}`, sha: commit });
      return { branch: name };
    },
  ],
]);
