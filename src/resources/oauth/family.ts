import { family } from '#resources/family.ts';
import { removeExpired } from './jobs.ts';

export const oauth = family({
  name: 'oauth',
  jobs: [removeExpired],
});
