import { kibi, limitGroup } from '#lib/limits.ts';

const leftOut = 'further ones, by name, are left out';

export const variableLimits = limitGroup('variables', 'Variables of workflows', {
  value: { value: 48 * kibi, unit: 'bytes', fixed: true, of: 'the value of a variable', past: '422' },
  inOrganization: { value: 1_000, unit: 'count', fixed: true, of: 'variables of one organization', past: '422' },
  inRepository: { value: 500, unit: 'count', fixed: true, of: 'variables of one repository', past: '422' },
  inEnvironment: { value: 100, unit: 'count', fixed: true, of: 'variables of one environment', past: '422' },
  ofJob: {
    value: 256 * kibi,
    unit: 'bytes',
    fixed: true,
    of: 'the values of the variables of a repository and its organization that one job gets, taken together',
    past: `${leftOut}, those of the organization first`,
  },
});
