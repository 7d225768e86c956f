import { moreLimits } from '#lib/limits.ts';

export const configurationLimits = moreLimits('repositories', {
  securityConfigurations: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'code security configurations of one organization',
    past: '422',
  },
});
