import { protection } from '#resources/branch-protection/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { everything } from './bodies.ts';

export const samples: Samples = new Map([
  [
    protection,
    async ({ client }, base) => {
      await client.put(`${base}/protection`, everything);
      return {};
    },
  ],
]);
