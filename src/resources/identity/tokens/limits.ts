import { moreLimits } from '#lib/limits.ts';

export const tokenLimits = moreLimits('lists', {
  tokenRepositories: {
    value: 1_000,
    unit: 'count',
    fixed: true,
    of: 'repositories that a fine-grained token is limited to',
    past: '422',
  },
});
