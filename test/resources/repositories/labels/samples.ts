import { label } from '#resources/repositories/labels/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map([
  [
    label,
    async ({ client }, base) => {
      const { body } = await client.post(`${base}/labels`, { name: fresh('label'), color: 'ff0000' });
      return { name: body.name };
    },
  ],
]);
