import { limitGroup, mebi, seconds } from '#lib/limits.ts';

export const secretScanningLimits = limitGroup('secretScanning', 'Secret scanning', {
  fileSize: { value: 5 * mebi, unit: 'bytes', fixed: true, of: 'a file that is scanned for secrets', past: 'it is not scanned' },
  ofFile: {
    value: 200,
    unit: 'count',
    fixed: true,
    of: 'secrets that are found in one file or text',
    past: 'further ones are not found',
  },
  alerts: {
    value: 10_000,
    unit: 'count',
    fixed: true,
    of: 'alerts of secrets in one repository',
    past: 'further secrets have no alert',
  },
  locations: {
    value: 1_000,
    unit: 'count',
    fixed: true,
    of: 'places of one secret in a repository',
    past: 'further ones are not shown',
  },
  customPatterns: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'custom patterns of an organization, and of a repository',
    past: '422',
  },
  customSize: {
    value: 20_000,
    unit: 'count',
    fixed: true,
    of: 'instructions of RE2 that all custom patterns of an organization make together, and all of a repository, as estimated',
    past: '422',
  },
  customTime: {
    value: 5 * seconds,
    unit: 'milliseconds',
    fixed: true,
    of: 'the processor time in which a worker thread looks for custom patterns in one file or text, or tries out new ones',
    past:
      'they are not found in it, and after three such files of one push, or of one part of a scan, in no further one; ' +
      '422 for new ones',
  },
  customLength: {
    value: 1_024,
    unit: 'bytes',
    fixed: true,
    of: 'a secret that a custom pattern finds',
    past: 'it is not found',
  },
});
