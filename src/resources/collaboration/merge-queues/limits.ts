import { limitGroup, seconds } from '#lib/limits.ts';

export const mergeQueueLimits = limitGroup('mergeQueues', 'Merge queues', {
  entries: { value: 500, unit: 'count', fixed: true, of: 'pull requests in the merge queue of a branch', past: '422' },
  advanceTime: {
    value: 5 * seconds,
    unit: 'milliseconds',
    fixed: true,
    of: 'the steps of one merge queue that are done together, while other jobs wait',
    past: 'another job does the next ones',
  },
});
