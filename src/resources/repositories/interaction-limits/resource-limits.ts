import { moreLimits } from '#lib/limits.ts';

export const capLimits = moreLimits('repositories', {
  capBypasses: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'users of one repository for whom its cap on open pull requests does not hold',
    past: '422',
  },
});
