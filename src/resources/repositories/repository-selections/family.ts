import { family } from '#resources/family.ts';
import { unselectTransferred } from './jobs.ts';
import * as schemas from './schemas.ts';

/** Selected repositories of an organization's settings, which the families of those settings use. */
export const repositorySelections = family({
  name: 'repository-selections',
  schemas,
  subscriptions: [unselectTransferred],
});
