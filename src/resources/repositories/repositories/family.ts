import { family } from '#resources/family.ts';
import * as copiesEndpoints from './endpoints/copies.ts';
import * as listsEndpoints from './endpoints/lists.ts';
import * as recentEndpoints from './endpoints/recent.ts';
import * as repositoriesEndpoints from './endpoints/repositories.ts';
import { repositoryEvents } from './events.ts';
import { removeFolder } from './jobs.ts';
import { removeLostForks } from './lost-forks.ts';
import * as schemas from './schemas.ts';
import { MinimalRepository } from './schemas.ts';

export const repositories = family({
  name: 'repositories',
  effect: 'Repositories are created, changed, forked, transferred or deleted, with all of their Git data.',
  page: 'git.md',
  schemas,
  endpoints: [repositoriesEndpoints, listsEndpoints, copiesEndpoints],
  pageEndpoints: [recentEndpoints],
  events: repositoryEvents,
  payloadParts: { repository: MinimalRepository, forkee: MinimalRepository, changes: schemas.SecurityChangeInPayload },
  subscriptions: [removeFolder, removeLostForks],
});
