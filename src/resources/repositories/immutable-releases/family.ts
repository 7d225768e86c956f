import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { immutableReleaseEvents } from './events.ts';
import * as schemas from './schemas.ts';

/** Only the settings. The family releases reads them when it publishes. */
export const immutableReleases = family({
  name: 'immutable-releases',
  effect: 'New releases become immutable, with their tags and files, or stop being so.',
  page: 'releases.md',
  schemas,
  endpoints: [endpoints],
  events: immutableReleaseEvents,
});
