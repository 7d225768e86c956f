import { limitGroup } from '#lib/limits.ts';

export const environmentLimits = limitGroup('environments', 'Environments', {
  branchPolicies: { value: 200, unit: 'count', fixed: true, of: 'patterns of branches and tags of one environment', past: '422' },
  apps: { value: 6, unit: 'count', fixed: true, of: 'apps that deployments into one environment wait for', past: '422' },
});
