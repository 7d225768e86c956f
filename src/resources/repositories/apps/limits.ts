import { moreLimits, seconds } from '#lib/limits.ts';

export const appLimits = moreLimits('oauth', {
  keys: {
    value: 1,
    unit: 'count',
    of: 'pairs of keys that are made at once, for apps from manifests',
    past: 'further ones wait',
  },
  waiting: { value: 10, unit: 'count', of: 'passwords or pairs of keys of one caller that wait', past: '429 with Retry-After' },
  waitingTime: {
    value: 15 * seconds,
    unit: 'milliseconds',
    of: 'a password or a pair of keys to wait for its turn',
    past: '503 with Retry-After',
  },
});
