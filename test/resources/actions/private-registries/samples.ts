import { registry } from '#resources/actions/private-registries/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { cloudA } from './setting.ts';

export const samples: Samples = new Map([
  [
    registry,
    async ({ client, place }, base) => {
      // Names are made from the type, and counted up.
      const registry_type = place === 'here' ? 'npm_registry' : 'docker_registry';
      const { body } = await client.post(`${base}/private-registries`, { ...cloudA, registry_type });
      return { secret_name: body.name };
    },
  ],
]);
