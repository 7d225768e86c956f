import { kibi, limitGroup, mebi, seconds } from '#lib/limits.ts';

export const releaseLimits = limitGroup('releases', 'Releases', {
  assets: { value: 1_000, unit: 'count', of: 'files of one release', past: '422' },
  assetSize: { value: 2_048 * mebi, unit: 'bytes', of: 'one file of a release', past: '413' },
  notesCommits: {
    value: 250,
    unit: 'count',
    fixed: true,
    of: 'commits that generated notes list, from the latest back',
    past: 'earlier ones are counted, and not listed',
  },
  notesHistory: {
    value: 10_000,
    unit: 'count',
    fixed: true,
    of: 'commits that are searched for merged pull requests for generated notes, from the latest back',
    past: 'pull requests that were merged earlier are left out',
  },
  notesTime: {
    value: seconds,
    unit: 'milliseconds',
    fixed: true,
    of: 'the processor time in which such a file is read, by a worker thread',
    past: '422',
  },
  notesFile: { value: 16 * kibi, unit: 'bytes', fixed: true, of: 'a file of settings for generated notes', past: '422' },
});
