import { limitGroup, seconds } from '#lib/limits.ts';

export const mergeQueueLimits = limitGroup('mergeQueues', 'Merge queues', {
  entries: { value: 500, unit: 'count', fixed: true, of: 'pull requests in the merge queue of a branch', past: '422' },
  evaluatedGroups: {
    value: 20,
    unit: 'count',
    of: 'groups of a merge queue that have not passed and are evaluated together',
    past: 'groups behind them wait until one has passed or left',
  },
  advanceTime: {
    value: 5 * seconds,
    unit: 'milliseconds',
    fixed: true,
    of: 'the steps of one merge queue that are done together, while other jobs wait',
    past: 'another job does the next ones',
  },
});
