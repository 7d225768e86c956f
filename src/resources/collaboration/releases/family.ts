import { family } from '#resources/family.ts';
import { loadKnownObjects } from './archive-store.ts';
import * as assets from './endpoints/assets.ts';
import * as pages from './endpoints/pages.ts';
import * as reactions from './endpoints/reactions.ts';
import * as releasesOfRepository from './endpoints/releases.ts';
import { releaseEvents } from './events.ts';
import { removeFiles } from './jobs.ts';
import * as limits from './limits.ts';
import { undoTag } from './publish.ts';
import * as schemas from './schemas.ts';
import { Release } from './schemas.ts';

export const releases = family({
  name: 'releases',
  effect: 'A release with its notes and files appears, changes or disappears; publishing it creates its tag.',
  page: 'releases.md',
  limits,
  interpreters: [
    {
      reads: 'settings of the notes of releases, in YAML',
      runs: 'worker',
      modules: ['notes-settings.ts'],
      bounds: ['releases.notesFile', 'releases.notesTime'],
    },
  ],
  schemas,
  endpoints: [releasesOfRepository, assets, reactions],
  pageEndpoints: [pages],
  events: releaseEvents,
  payloadParts: { release: Release },
  subscriptions: [removeFiles],
  jobs: [undoTag],
  loadKnownObjects,
});
