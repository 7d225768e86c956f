import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { commitComment, commitCommentReaction } from '#resources/collaboration/commit-comments/path-resources.ts';
import { addFile } from '#test/resources/code/commits/setting.ts';
import type { Sample, Samples } from '#test/support/samples.ts';

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [
    commitComment,
    async ({ client }, base) => {
      const { commit } = await addFile(client, base);
      const { body } = await client.post(`${base}/commits/${commit}/comments`, { body: 'Here, too.' });
      return { comment_id: String(body.id) };
    },
  ],
  [
    commitCommentReaction,
    async ({ client }, base) => {
      const { body } = await client.post(`${base}/reactions`, { content: 'heart' });
      return { reaction_id: String(body.id) };
    },
  ],
]);
