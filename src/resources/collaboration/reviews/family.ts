import { family } from '#resources/family.ts';
import * as commentsEndpoints from './endpoints/comments.ts';
import * as reviewsEndpoints from './endpoints/reviews.ts';
import { reviewsEvents } from './events.ts';
import { dismissStaleApprovals, followDiffs } from './jobs.ts';
import { evaluateChanged, evaluateConcerned, evaluateMissing, evaluatePage } from './lacking-reviews-jobs.ts';
import * as schemas from './schemas.ts';
import { Review } from './schemas.ts';

export const reviews = family({
  name: 'reviews',
  schemas,
  endpoints: [reviewsEndpoints, commentsEndpoints],
  events: reviewsEvents,
  payloadParts: { review: Review },
  subscriptions: [followDiffs, dismissStaleApprovals, evaluateChanged, evaluateConcerned],
  jobs: [evaluatePage, evaluateMissing],
});
