// The rules about merge queues: that a branch is changed by its queue alone, and that nobody else writes the queue's branches.
import { branchOf } from '#git/refs/ref-name.ts';
import type { AppliedRule, RuledRepository } from '#resources/code/rulesets/index.ts';
import type { RuleEvaluators } from './evaluator.ts';

/** The first parts of the names of branches that merge queues make: of this API, and of the public API. */
export const queuePrefixes = { service: 'queue', github: 'gh-readonly-queue' } as const;

const queueBranch = /^(?:queue\/.+\/pr-\d+-[0-9a-f]{40}$|gh-readonly-queue\/)/;

/** Whether a ref is a branch of a merge queue, or would be taken for one. */
export const isQueueBranch = (ref: string): boolean => queueBranch.test(branchOf(ref) ?? '');

/** The rule that nobody writes the branches of merge queues. The queues themselves aren't judged. */
export const queueBranchRules = ({ id }: Pick<RuledRepository, 'id'>, ref: string): AppliedRule[] =>
  isQueueBranch(ref)
    ? [
        {
          rule: { type: 'merge_queue_branch' },
          source: { type: 'MergeQueue', id, name: 'merge queue' },
          enforcement: 'active',
          bypass: 'never',
        },
      ]
    : [];

export const queueEvaluators = {
  merge_queue: {
    kinds: ['update'],
    needs: 'names',
    violation: ({ queue }) => (queue ? undefined : 'Changes must be made through the merge queue.'),
  },
  merge_queue_branch: {
    kinds: ['creation', 'update', 'deletion'],
    needs: 'names',
    violation: () => 'Only the merge queue writes its branches.',
  },
} as const satisfies Partial<RuleEvaluators>;
