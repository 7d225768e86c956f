import { mebi, moreLimits } from '#lib/limits.ts';

export const alertLimits = moreLimits('dependencies', {
  alerts: {
    value: 10_000,
    unit: 'count',
    fixed: true,
    of: 'alerts of dependencies in one repository',
    past: 'further ones have no alert',
  },
  advisorySize: { value: 2 * mebi, unit: 'bytes', fixed: true, of: 'a file of an advisory', past: 'it is left out, and logged' },
  vulnerabilities: {
    value: 2_000,
    unit: 'count',
    fixed: true,
    of: 'ranges of versions in one advisory',
    past: 'it is left out, and logged',
  },
});
