import { registry } from '#resources/private-registries/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { cloudA } from './setting.ts';

export const samples: Samples = new Map([
  [
    registry,
    async ({ client }, base) => {
      const { body } = await client.post(`${base}/private-registries`, cloudA);
      return { secret_name: body.name };
    },
  ],
]);
