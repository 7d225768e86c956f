import { milestone } from '#resources/collaboration/milestones/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map([
  [
    milestone,
    async ({ client }, base) => {
      const { body } = await client.post(`${base}/milestones`, { title: fresh('milestone') });
      return { milestone_number: String(body.number) };
    },
  ],
]);
