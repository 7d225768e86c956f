import { moreLimits } from '#lib/limits.ts';

export const memberLimits = moreLimits('accounts', {
  invitations: {
    value: 500,
    unit: 'count',
    fixed: true,
    of: 'invitations into one organization in 24 hours',
    past: '429 with Retry-After',
  },
});
