import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { privateRegistryEvents } from './events.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';
import { registryServices } from './services.ts';

export const privateRegistries = family({
  name: 'private-registries',
  effect: 'Jobs and bots can fetch packages from a registry with its credentials, or no longer can.',
  page: 'private-registries.md',
  limits,
  services: registryServices,
  interpreters: [
    {
      reads: 'replies of other servers in JSON',
      runs: 'steps',
      modules: ['exchange/requests.ts'],
      bounds: ['registries.exchangeBytes'],
    },
  ],
  schemas,
  endpoints: [endpoints],
  events: privateRegistryEvents,
});
