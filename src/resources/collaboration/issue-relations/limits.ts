import { moreLimits } from '#lib/limits.ts';

export const relationLimits = moreLimits('issues', {
  subIssues: { value: 100, unit: 'count', fixed: true, of: 'sub-issues of one issue', past: '422' },
  subIssueLevels: { value: 8, unit: 'count', fixed: true, of: 'levels of sub-issues below one issue', past: '422' },
  dependencies: { value: 50, unit: 'count', fixed: true, of: 'issues that block one, and issues that one blocks', past: '422' },
});
