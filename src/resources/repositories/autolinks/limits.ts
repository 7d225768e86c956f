import { moreLimits } from '#lib/limits.ts';

export const autolinkLimits = moreLimits('repositories', {
  autolinks: { value: 500, unit: 'count', fixed: true, of: 'autolinks of one repository', past: '422' },
});
