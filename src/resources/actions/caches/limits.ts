import { kibi, mebi, minutes, moreLimits } from '#lib/limits.ts';

export const cacheLimits = moreLimits('results', {
  cacheSize: {
    value: 10 * kibi * mebi,
    unit: 'bytes',
    of: 'a cache, if the settings of its repository allow as much',
    past: 'the upload is refused',
  },
  cacheKey: { value: 512, unit: 'count', fixed: true, of: 'characters of the key of a cache', past: 'it is refused' },
  cacheKeys: { value: 10, unit: 'count', fixed: true, of: 'keys by which a job looks for a cache', past: 'it is refused' },
  caches: {
    value: 10_000,
    unit: 'count',
    of: 'caches of one repository',
    past: 'the least recently used caches are removed',
  },
  cacheDownloadTime: {
    value: 60 * minutes,
    unit: 'milliseconds',
    fixed: true,
    of: 'the time in which the address of a cache is good',
    past: '404',
  },
});
