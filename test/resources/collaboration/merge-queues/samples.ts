import { expect } from 'vitest';
import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { queueEntry } from '#resources/collaboration/merge-queues/path-resources.ts';
import { pull } from '#resources/collaboration/pulls/path-resources.ts';
import { samples as pullSamples } from '#test/resources/collaboration/pulls/samples.ts';
import type { Sample, Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [
    queueEntry,
    async (here, base) => {
      const words = await pullSamples.get(pull)?.(here, base);
      const number = String(words?.pull_number);
      const { client } = here;
      const { body } = await client.get(`${base}/pulls/${number}`);
      await client.post(`${base}/rulesets`, {
        name: fresh('queue'),
        enforcement: 'active',
        conditions: { ref_name: { include: [`refs/heads/${body.base.ref}`] } },
        rules: [{ type: 'merge_queue' }],
      });
      expect((await client.put(`${base}/pulls/${number}/queue-entry`)).status).toBe(201);
      return { pull_number: number };
    },
  ],
]);
