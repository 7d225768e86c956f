// Results of workflow jobs: artifacts and caches.
import { kibi, type LimitGroup, mebi, minutes } from './limit.ts';

export const results = {
  artifacts: { value: 500, unit: 'count', fixed: true, of: 'artifacts of one job', past: 'further ones are refused' },
  artifactSize: { value: 10 * kibi * mebi, unit: 'bytes', of: 'an artifact', past: 'the upload is refused' },
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
    past: 'those that were not used for the longest time are removed',
  },
  cacheDownloadTime: {
    value: 60 * minutes,
    unit: 'milliseconds',
    fixed: true,
    of: 'the time in which the address of a cache is good',
    past: '404',
  },
  blocks: { value: 10_000, unit: 'count', fixed: true, of: 'blocks of one upload', past: 'further ones are refused' },
  blockName: { value: 256, unit: 'count', fixed: true, of: 'characters of the name of a block', past: '400' },
  blockList: { value: 4 * mebi, unit: 'bytes', fixed: true, of: 'a list of blocks', past: '413' },
  uploadTime: {
    value: 60 * minutes,
    unit: 'milliseconds',
    fixed: true,
    of: 'the time in which the address of an upload takes bytes',
    past: '404',
  },
  downloadTime: {
    value: 10 * minutes,
    unit: 'milliseconds',
    fixed: true,
    of: 'the time in which the address of an artifact that a job asked for is good',
    past: '404',
  },
} as const satisfies LimitGroup;
