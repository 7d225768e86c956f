import { family } from '#resources/family.ts';
import * as commitsEndpoints from './endpoints/commits.ts';
import * as objectsEndpoints from './endpoints/objects.ts';
import * as pagesEndpoints from './endpoints/pages.ts';
import * as refsEndpoints from './endpoints/refs.ts';
import * as schemas from './schemas.ts';

export const gitData = family({
  name: 'git-data',
  effect: 'Objects are written to a repository, and its refs move as a push would move them.',
  page: 'git.md#through-the-api',
  schemas,
  endpoints: [objectsEndpoints, commitsEndpoints, refsEndpoints],
  pageEndpoints: [pagesEndpoints],
});
