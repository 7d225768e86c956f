import { moreLimits } from '#lib/limits.ts';

export const protectionLimits = moreLimits('repositories', {
  protections: { value: 1_000, unit: 'count', fixed: true, of: 'protected branches of one repository', past: '422' },
  protectionActors: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'people, teams and apps in one list of a branch protection',
    past: '422',
  },
  protectionChecks: { value: 100, unit: 'count', fixed: true, of: 'status checks that one branch requires', past: '422' },
});
