import { limitGroup, mebi } from '#lib/limits.ts';

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
  customLength: {
    value: 1_024,
    unit: 'bytes',
    fixed: true,
    of: 'a secret that a custom pattern finds',
    past: 'it is not found',
  },
});
