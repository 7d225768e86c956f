import { family } from '#resources/family.ts';
import * as sessionEndpoints from './endpoints.ts';
import { removeExpired } from './jobs.ts';
import * as limits from './resource-limits.ts';
import { addOAuth } from './routes.ts';
import { makePasswordLimiter } from './services.ts';

export const oauth = family({
  name: 'oauth',
  limits,
  services: { passwordLimiter: makePasswordLimiter },
  interpreters: [
    { reads: 'bodies of requests in JSON, and texts in JSON inside of forms', runs: 'steps', modules: ['fields.ts'], bounds: [] },
  ],
  pageEndpoints: [sessionEndpoints],
  routes: addOAuth,
  jobs: [removeExpired],
});
