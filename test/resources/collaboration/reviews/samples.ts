import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { pull } from '#resources/collaboration/pulls/path-resources.ts';
import {
  commentOfPull,
  conversation,
  review,
  reviewComment,
  reviewCommentReaction,
} from '#resources/collaboration/reviews/path-resources.ts';
import { samples as pullSamples } from '#test/resources/collaboration/pulls/samples.ts';
import type { Sample, SampleStage, Samples } from '#test/support/samples.ts';

/** Comments on a file of a new pull request; the id of the comment. */
const commentOnNew: Sample = async (stage, base) => {
  const words = (await pullSamples.get(pull)?.(stage, base)) ?? {};
  return { comment_id: await commentOn(stage, `${base}/pulls/${words.pull_number}`) };
};

/** Comments on a file of a pull request; the id of the comment. */
async function commentOn({ client }: SampleStage, at: string): Promise<string> {
  const [file] = (await client.get(`${at}/files`)).body;
  const commit_id = (await client.get(at)).body.head.sha;
  const wanted = { body: 'Here, too.', commit_id, path: file.filename, subject_type: 'file' };
  return String((await client.post(`${at}/comments`, wanted)).body.id);
}

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [
    review,
    async ({ client }, base) => {
      // Pending, so that it can be deleted and submitted.
      const { body } = await client.post(`${base}/reviews`, { body: 'Here, too.' });
      return { review_id: String(body.id) };
    },
  ],
  [commentOfPull, async (stage, base) => ({ comment_id: await commentOn(stage, base) })],
  [reviewComment, commentOnNew],
  [conversation, commentOnNew],
  [
    reviewCommentReaction,
    async ({ client }, base) => {
      const { body } = await client.post(`${base}/reactions`, { content: 'heart' });
      return { reaction_id: String(body.id) };
    },
  ],
]);
