import { limitGroup, seconds } from '#lib/limits.ts';

export const nameLimits = limitGroup('names', 'Names of hosts', {
  lookups: {
    value: 2,
    unit: 'count',
    of: "names that are looked up at once by the system, after DNS doesn't know them",
    past: 'further ones wait',
  },
  waiting: { value: 100, unit: 'count', of: 'names that wait for that', past: 'they are taken as unknown' },
  lookupTime: {
    value: 5 * seconds,
    unit: 'milliseconds',
    of: 'the name of a receiver to be looked up',
    past: 'the delivery is recorded with 502',
  },
  kept: {
    value: 5 * seconds,
    unit: 'milliseconds',
    of: 'the addresses of a name to be kept',
    past: 'they are looked up again',
  },
});
