import { limitGroup } from '#lib/limits.ts';

export const mergeQueueLimits = limitGroup('mergeQueues', 'Merge queues', {
  entries: { value: 500, unit: 'count', fixed: true, of: 'pull requests in the merge queue of a branch', past: '422' },
});
