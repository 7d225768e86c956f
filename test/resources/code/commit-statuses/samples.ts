import { commitBySha } from '#resources/code/commit-statuses/path-resources.ts';
import { addFile } from '#test/resources/code/commits/setting.ts';
import type { Samples } from '#test/support/samples.ts';

export const samples: Samples = new Map([
  [commitBySha, async ({ client }, base) => ({ sha: (await addFile(client, base)).commit })],
]);
