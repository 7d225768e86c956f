import { moreLimits } from '#lib/limits.ts';

export const appLimits = moreLimits('oauth', {
  keys: {
    value: 1,
    unit: 'count',
    of: 'pairs of keys that are made at once, for apps from manifests',
    past: 'further ones wait',
  },
});
