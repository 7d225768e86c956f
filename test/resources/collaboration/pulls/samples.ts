import { expect } from 'vitest';
import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { mergedPull, pull } from '#resources/collaboration/pulls/path-resources.ts';
import { addFile } from '#test/resources/code/commits/setting.ts';
import type { Client } from '#test/support/client.ts';
import type { Sample, Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

/**
 * Opens a pull request of a branch of its own into another one, so that what changes elsewhere doesn't concern it; its number.
 */
async function openOwn(client: Client, base: string): Promise<string> {
  const { commit } = await addFile(client, base);
  const [head, into] = [fresh('topic'), fresh('into')];
  await client.post(`${base}/git/refs`, { ref: `refs/heads/${into}`, sha: commit });
  await client.post(`${base}/git/refs`, { ref: `refs/heads/${head}`, sha: commit });
  await client.put(`${base}/contents/${head}`, { message: 'Change', content: 'YQ==', branch: head });
  const { body } = await client.post(`${base}/pulls`, { title: 'Merge', head, base: into });
  return String(body.number);
}

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [pull, async ({ client }, base) => ({ pull_number: await openOwn(client, base) })],
  [
    mergedPull,
    async ({ client }, base) => {
      const pull_number = await openOwn(client, base);
      expect((await client.put(`${base}/pulls/${pull_number}/merge`)).status).toBe(200);
      return { pull_number };
    },
  ],
]);
