import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { blob, commit, tag, tree } from '#resources/code/git-data/path-resources.ts';
import { addFile } from '#test/resources/code/commits/setting.ts';
import type { Sample, Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

const tagOf: Sample = async ({ client }, base) => {
  const { commit } = await addFile(client, base);
  const { body } = await client.post(`${base}/git/tags`, { tag: fresh('v'), message: 'Tag', object: commit, type: 'commit' });
  return { tag_sha: body.sha };
};

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [blob, async ({ client }, base) => ({ file_sha: (await addFile(client, base)).blob })],
  [tree, async ({ client }, base) => ({ tree_sha: (await addFile(client, base)).tree })],
  [commit, async ({ client }, base) => ({ commit_sha: (await addFile(client, base)).commit })],
  [tag, tagOf],
]);
