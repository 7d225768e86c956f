import { mebi, moreLimits } from '#lib/limits.ts';

export const alertLimits = moreLimits('dependencies', {
  alerts: {
    value: 10_000,
    unit: 'count',
    fixed: true,
    of: 'alerts of dependencies in one repository',
    past: 'further ones have no alert',
  },
  ranges: {
    value: 20_000,
    unit: 'count',
    fixed: true,
    of: 'ranges of versions in advisories about the packages of one repository, one comparison, or one query for `affects`',
    past: 'further ones raise no alert; 422',
  },
  rangeSteps: {
    value: 10_000_000,
    unit: 'count',
    fixed: true,
    of: 'characters of the versions and bounds that are compared for one repository, one comparison, or one query for `affects`',
    past: 'further versions raise no alert, and alerts stay as they are; 422',
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
