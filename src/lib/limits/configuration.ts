// Secrets and variables of workflows.
import { kibi, type LimitGroup } from './limit.ts';

const leftOut = 'further ones, by name, are left out';

export const secrets = {
  value: { value: 48 * kibi, unit: 'bytes', fixed: true, of: 'a secret', past: '422' },
  inOrganization: { value: 1_000, unit: 'count', fixed: true, of: 'secrets of one organization', past: '422' },
  inRepository: { value: 100, unit: 'count', fixed: true, of: 'secrets of one repository', past: '422' },
  inEnvironment: { value: 100, unit: 'count', fixed: true, of: 'secrets of one environment', past: '422' },
  fromOrganization: { value: 100, unit: 'count', fixed: true, of: 'secrets of an organization that one job gets', past: leftOut },
} as const satisfies LimitGroup;

export const variables = {
  name: { value: 255, unit: 'count', fixed: true, of: 'characters of the name of a variable, or a secret', past: '422' },
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
} as const satisfies LimitGroup;
