import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { migrationEvents } from './events.ts';
import { interpreters } from './interpreters.ts';
import { exportMigration, tidyArchives, unlockLost } from './jobs.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

export const migrations = family({
  name: 'migrations',
  effect: 'An archive of repositories is made or deleted, and the repositories are locked or unlocked.',
  page: 'migrations.md',
  limits,
  interpreters,
  schemas,
  endpoints: [endpoints],
  events: migrationEvents,
  jobs: [exportMigration, tidyArchives],
  subscriptions: [unlockLost],
});
