import { kibi, minutes, moreLimits, seconds } from '#lib/limits.ts';

export const transferLimits = moreLimits('releases', {
  transfers: {
    value: 200,
    unit: 'count',
    of: 'files of releases, artifacts and caches that one process receives or sends at once',
    past: 'further ones wait',
  },
  transfersPerCaller: { value: 40, unit: 'count', of: 'such files of one caller', past: 'further ones wait' },
  transfersSpare: {
    value: 100,
    unit: 'count',
    of: 'such files that could still be received or sent; while there are as many, one who is signed in may have more than its share',
    past: 'further ones of that caller wait',
  },
  transfersWaiting: { value: 1_000, unit: 'count', of: 'such files of one caller that wait', past: '429 with Retry-After' },
  transfersAnonymous: {
    value: 100,
    unit: 'count',
    of: 'such files of all who are not signed in',
    past: 'further ones wait',
  },
  transfersPerAddress: {
    value: 25,
    unit: 'count',
    of: 'such files of one address that is not signed in',
    past: 'further ones wait',
  },
  transferRate: {
    value: 8 * kibi,
    unit: 'bytes a second',
    of: 'the slowest reading of such a file, or of an action that is passed on from the origin',
    past: 'the connection is closed after releases.transferRateTime',
  },
  transferRateTime: {
    value: 1 * minutes,
    unit: 'milliseconds',
    of: 'the time of waiting for a client over which its reading is measured, and twice that at most',
    past: 'the connection is closed, unless enough bytes were read',
  },
  transferContendedTime: {
    value: 10 * seconds,
    unit: 'milliseconds',
    of: 'a file to wait for its turn while others read theirs slowly',
    past: 'the slowest of these connections is closed, if it is slower than releases.transferContendedRate',
  },
  transferContendedRate: {
    value: 256 * kibi,
    unit: 'bytes a second',
    of: 'the slowest reading of such a file while other callers wait for its turn',
    past: 'the connection may be closed for them',
  },
});
