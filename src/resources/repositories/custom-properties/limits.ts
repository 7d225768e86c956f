import { kibi, limitGroup } from '#lib/limits.ts';

export const propertyLimits = limitGroup('repositories', 'Repositories', {
  properties: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'custom properties of the repositories of one organization',
    past: '422',
  },
  allowedPropertyValues: { value: 200, unit: 'count', fixed: true, of: 'allowed values of a custom property', past: '422' },
  propertySize: {
    value: 32 * kibi,
    unit: 'count',
    fixed: true,
    of: 'characters of the values that are set for one repository; as many of all default values of its organization',
    past: '422',
  },
  propertyRepositories: {
    value: 30,
    unit: 'count',
    fixed: true,
    of: 'repositories whose custom properties one request sets',
    past: '422',
  },
});
