import { commit } from '#resources/code/commits/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { addFile } from './setting.ts';

export const samples: Samples = new Map([
  [commit, async ({ client }, base) => ({ commit_sha: (await addFile(client, base)).commit })],
]);
