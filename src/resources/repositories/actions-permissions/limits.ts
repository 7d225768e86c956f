import { limitGroup } from '#lib/limits.ts';

export const actionsSettingLimits = limitGroup('actionsSettings', 'Settings of workflows', {
  retentionDays: {
    value: 400,
    unit: 'count',
    fixed: true,
    of: 'days for which artifacts and logs are kept, as a setting asks for',
    past: '422',
  },
  cacheRetentionDays: {
    value: 365,
    unit: 'count',
    fixed: true,
    of: 'days for which unused caches are kept, as a setting asks for',
    past: '422',
  },
  cacheSize: {
    value: 10_000,
    unit: 'count',
    fixed: true,
    of: 'gibibytes of the caches of one repository, as a setting asks for',
    past: '422',
  },
  patterns: { value: 1_000, unit: 'count', fixed: true, of: 'patterns of allowed actions in one list', past: '422' },
  patternLength: { value: 255, unit: 'count', fixed: true, of: 'characters of a pattern of allowed actions', past: '422' },
});
