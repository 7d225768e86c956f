import { moreLimits } from '#lib/limits.ts';

export const claimLimits = moreLimits('actionsSettings', {
  claimKeys: { value: 50, unit: 'count', fixed: true, of: 'claims in the subject of an identity token', past: '422' },
});
