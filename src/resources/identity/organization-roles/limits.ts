import { moreLimits } from '#lib/limits.ts';

export const roleLimits = moreLimits('accounts', {
  securityTeams: {
    value: 10,
    unit: 'count',
    fixed: true,
    of: 'teams of one organization with the role `security_manager`',
    past: '422',
  },
});
