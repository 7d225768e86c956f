import { family } from '#resources/family.ts';
import * as appsEndpoints from './endpoints/apps.ts';
import * as installationsEndpoints from './endpoints/installations.ts';
import * as pagesEndpoints from './endpoints/pages.ts';
import * as tokensEndpoints from './endpoints/tokens.ts';
import { appEvents } from './events.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';
import { Installation } from './schemas.ts';
import { appServices } from './services.ts';

export const apps = family({
  name: 'apps',
  effect: 'An app is created, gets tokens for an installation, or loses its access.',
  page: 'tokens.md',
  limits,
  services: appServices,
  interpreters: [
    {
      reads: 'bodies of requests in JSON, and texts in JSON inside of forms',
      runs: 'steps',
      modules: ['manifests.ts'],
      bounds: [],
    },
  ],
  schemas,
  endpoints: [appsEndpoints, installationsEndpoints, tokensEndpoints],
  pageEndpoints: [pagesEndpoints],
  events: appEvents,
  payloadParts: { installation: Installation },
});
