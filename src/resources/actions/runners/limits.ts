import { minutes, moreLimits } from '#lib/limits.ts';

export const runnerLimits = moreLimits('workflows', {
  offline: {
    value: minutes,
    unit: 'milliseconds',
    fixed: true,
    of: 'the time since the last poll of a runner',
    past: 'it is shown as offline',
  },
  runnerGroups: { value: 1_000, unit: 'count', fixed: true, of: 'groups of runners of an organization', past: '422' },
  groupWorkflows: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'workflows that a group of runners is restricted to',
    past: '422',
  },
});
