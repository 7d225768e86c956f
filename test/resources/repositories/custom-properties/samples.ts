import { customProperty } from '#resources/repositories/custom-properties/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map([
  [
    customProperty,
    async ({ client }, base) => {
      const name = fresh('property');
      await client.put(`${base}/properties/schema/${name}`, { value_type: 'string' });
      return { custom_property_name: name };
    },
  ],
]);
