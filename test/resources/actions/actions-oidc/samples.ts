import { includedProperty } from '#resources/actions/actions-oidc/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map([
  [
    includedProperty,
    async ({ client }, base) => {
      const name = fresh('property');
      await client.put(`${base}/properties/schema/${name}`, { value_type: 'string' });
      await client.post(`${base}/actions/oidc/customization/properties/repo`, { custom_property_name: name });
      return { custom_property_name: name };
    },
  ],
]);
