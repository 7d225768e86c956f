import { family } from '#resources/family.ts';
import { pushEvents } from './events.ts';
import { indexCode, indexCommits, measure, packRepository, recoverPushes, sweepPushed, sweepUnfinished } from './jobs.ts';

export const pushes = family({
  name: 'pushes',
  events: pushEvents,
  subscriptions: [indexCode, indexCommits, measure],
  jobs: [packRepository, recoverPushes, sweepUnfinished, sweepPushed],
});
