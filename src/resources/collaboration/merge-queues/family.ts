import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { mergeGroupEvents } from './events.ts';
import { mergeQueueFollowUps } from './follow-ups.ts';
import { advanceChanged, advanceQueue, advanceWaiting } from './jobs.ts';
import * as limits from './limits.ts';
import * as mergeStateEndpoints from './merge-state/endpoints.ts';
import * as schemas from './schemas.ts';

/** Queues in which pull requests are tested upon each other before their base gets them. */
export const mergeQueues = family({
  name: 'merge-queues',
  effect: 'A pull request is tested together with those ahead of it and then merged, or leaves the queue.',
  page: 'merge-queue.md',
  limits,
  schemas,
  endpoints: [endpoints],
  pageEndpoints: [mergeStateEndpoints],
  events: mergeGroupEvents,
  followUps: mergeQueueFollowUps,
  subscriptions: [advanceChanged],
  jobs: [advanceQueue, advanceWaiting],
});
