import { commitBySha } from '#resources/commit-statuses/path-resources.ts';
import { addFile } from '#test/resources/commits/setting.ts';
import type { Samples } from '#test/support/samples.ts';

export const samples: Samples = new Map([
  [commitBySha, async ({ client }, base) => ({ sha: (await addFile(client, base)).commit })],
]);
