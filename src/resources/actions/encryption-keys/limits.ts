import { kibi, moreLimits } from '#lib/limits.ts';

export const secretValueLimits = moreLimits('secrets', {
  value: { value: 48 * kibi, unit: 'bytes', fixed: true, of: 'a secret', past: '422' },
});
