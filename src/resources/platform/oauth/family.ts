import { family } from '#resources/family.ts';
import { removeExpired } from './jobs.ts';
import { addOAuth } from './routes.ts';

export const oauth = family({
  name: 'oauth',
  routes: addOAuth,
  jobs: [removeExpired],
});
