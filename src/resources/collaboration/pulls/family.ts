import { family } from '#resources/family.ts';
import * as contentsEndpoints from './endpoints/contents.ts';
import * as mergingEndpoints from './endpoints/merging.ts';
import * as pagesEndpoints from './endpoints/pages.ts';
import * as pullsEndpoints from './endpoints/pulls.ts';
import * as reviewersEndpoints from './endpoints/reviewers.ts';
import { pullEvents } from './events.ts';
import { pullFollowUps } from './follow-ups.ts';
import { deleteMergedBranches, followPushes, testChanged, testImported, testOthers } from './jobs.ts';
import * as limits from './limits.ts';
import { removeLostReviewers } from './reviewer-jobs.ts';
import * as schemas from './schemas.ts';
import { FullPullRequest } from './schemas.ts';

export const pulls = family({
  name: 'pulls',
  effect: 'Pull requests are opened and changed, and ask for reviews; a merge moves the base branch in Git.',
  page: 'pull-requests.md',
  limits,
  schemas,
  endpoints: [pullsEndpoints, contentsEndpoints, mergingEndpoints, reviewersEndpoints],
  pageEndpoints: [pagesEndpoints],
  events: pullEvents,
  followUps: pullFollowUps,
  payloadParts: { pull_request: FullPullRequest },
  subscriptions: [followPushes, testChanged, deleteMergedBranches, removeLostReviewers],
  jobs: [testImported, testOthers],
});
