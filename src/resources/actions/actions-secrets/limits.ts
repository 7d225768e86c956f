import { limitGroup } from '#lib/limits.ts';

const leftOut = 'further ones, by name, are left out';

export const secretLimits = limitGroup('secrets', 'Secrets of workflows', {
  inOrganization: { value: 1_000, unit: 'count', fixed: true, of: 'secrets of one organization', past: '422' },
  inRepository: { value: 100, unit: 'count', fixed: true, of: 'secrets of one repository', past: '422' },
  inEnvironment: { value: 100, unit: 'count', fixed: true, of: 'secrets of one environment', past: '422' },
  fromOrganization: { value: 100, unit: 'count', fixed: true, of: 'secrets of an organization that one job gets', past: leftOut },
});
