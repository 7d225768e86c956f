import { securityConfiguration } from '#resources/code/code-security/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map([
  [
    securityConfiguration,
    async ({ client }, base) => {
      const { body } = await client.post(`${base}/code-security/configurations`, { name: fresh('configuration') });
      return { configuration_id: String(body.id) };
    },
  ],
]);
