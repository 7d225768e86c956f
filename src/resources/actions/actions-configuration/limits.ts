import { moreLimits } from '#lib/limits.ts';

export const variableNameLimits = moreLimits('variables', {
  name: { value: 255, unit: 'count', fixed: true, of: 'characters of the name of a variable, or a secret', past: '422' },
});
