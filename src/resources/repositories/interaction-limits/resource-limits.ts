import { moreLimits } from '#lib/limits.ts';

export const capLimits = moreLimits('repositories', {
  capBypasses: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'users of one repository who are exempt from its cap on open pull requests',
    past: '422',
  },
});
