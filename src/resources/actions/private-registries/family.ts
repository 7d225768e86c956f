import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { privateRegistryEvents } from './events.ts';
import * as schemas from './schemas.ts';

export const privateRegistries = family({
  name: 'private-registries',
  effect: 'Jobs and bots can fetch packages from a registry with its credentials, or no longer can.',
  page: 'private-registries.md',
  schemas,
  endpoints: [endpoints],
  events: privateRegistryEvents,
});
