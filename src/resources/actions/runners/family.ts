import { family } from '#resources/family.ts';
import * as groupContents from './endpoints/group-contents.ts';
import * as groups from './endpoints/groups.ts';
import * as labels from './endpoints/labels.ts';
import * as runnerEndpoints from './endpoints/runners.ts';
import { runnerEvents } from './events.ts';
import { removeForgottenRunners } from './jobs.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

export const runners = family({
  name: 'runners',
  effect: 'Machines may take jobs or lose that right, and jobs go to other machines.',
  page: 'actions.md#runners',
  limits,
  schemas,
  endpoints: [runnerEndpoints, labels, groups, groupContents],
  events: runnerEvents,
  jobs: [removeForgottenRunners],
});
