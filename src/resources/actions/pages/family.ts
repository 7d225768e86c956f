import { family } from '#resources/family.ts';
import { buildSite } from './build.ts';
import * as endpoints from './endpoints.ts';
import { pagesEvents } from './events.ts';
import { checkDomain } from './health.ts';
import { buildPushed, endReaders, releaseServed, removeExpiredReaders } from './jobs.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';
import { addWebsiteRoutes } from './website-routes.ts';

/** Websites that repositories publish. `src/pages-server/` serves them. */
export const pages = family({
  name: 'pages',
  effect: "A repository's website appears, shows other files or disappears.",
  page: 'pages.md',
  limits,
  interpreters: [
    {
      reads: 'archives of migrations and of websites',
      runs: 'steps',
      modules: ['unpack.ts'],
      bounds: ['pages.files', 'pages.size'],
    },
  ],
  schemas,
  endpoints: [endpoints],
  events: pagesEvents,
  payloadParts: { build: schemas.PageBuild },
  subscriptions: [buildPushed, releaseServed, endReaders],
  routes: addWebsiteRoutes,
  jobs: [buildSite, checkDomain, removeExpiredReaders],
});
