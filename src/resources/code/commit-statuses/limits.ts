import { moreLimits } from '#lib/limits.ts';

export const statusLimits = moreLimits('repositories', {
  statuses: { value: 1_000, unit: 'count', fixed: true, of: 'statuses of one commit with the same context', past: '422' },
});
