import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { privateRegistryEvents } from './events.ts';
import * as schemas from './schemas.ts';

export const privateRegistries = family({
  name: 'private-registries',
  schemas,
  endpoints: [endpoints],
  events: privateRegistryEvents,
});
