import { family } from '#resources/family.ts';
import { pushEvents } from './events.ts';
import { indexCode, indexCommits, measure, settlePushes, sweepPushed, sweepUnfinished, tidy } from './jobs.ts';

export const pushes = family({
  name: 'pushes',
  events: pushEvents,
  subscriptions: [indexCode, indexCommits, measure, tidy],
  jobs: [settlePushes, sweepUnfinished, sweepPushed],
});
