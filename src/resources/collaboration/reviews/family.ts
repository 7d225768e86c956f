import { family } from '#resources/family.ts';
import * as commentsEndpoints from './endpoints/comments.ts';
import * as pagesEndpoints from './endpoints/pages.ts';
import * as pullStatesEndpoints from './endpoints/pull-states.ts';
import * as reviewsEndpoints from './endpoints/reviews.ts';
import { reviewsEvents } from './events.ts';
import { dismissStaleApprovals, followDiffs } from './jobs.ts';
import { evaluateChanged, evaluateConcerned, evaluateMissing, evaluatePage } from './lacking-reviews-jobs.ts';
import * as limits from './limits.ts';
import { reviewEvaluators } from './merge-rules.ts';
import * as schemas from './schemas.ts';
import { Review } from './schemas.ts';

export const reviews = family({
  name: 'reviews',
  effect: 'A pull request is approved, commented on or blocked; conversations about its lines are resolved.',
  page: 'pull-requests.md#reviews',
  limits,
  interpreters: [
    {
      reads: 'patterns of refs, paths and names in rulesets, environments, reviews and settings of actions',
      runs: 'steps',
      modules: ['merge-rules.ts'],
      bounds: [],
    },
  ],
  schemas,
  endpoints: [reviewsEndpoints, commentsEndpoints],
  pageEndpoints: [pagesEndpoints, pullStatesEndpoints],
  events: reviewsEvents,
  evaluators: reviewEvaluators,
  payloadParts: { review: Review },
  subscriptions: [followDiffs, dismissStaleApprovals, evaluateChanged, evaluateConcerned],
  jobs: [evaluatePage, evaluateMissing],
});
