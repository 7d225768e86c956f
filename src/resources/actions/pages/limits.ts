import { kibi, limitGroup, mebi } from '#lib/limits.ts';

export const pagesLimits = limitGroup('pages', 'Websites', {
  files: { value: 100_000, unit: 'count', of: 'files of one website', past: 'the build fails, and says so' },
  size: { value: 1_024 * mebi, unit: 'bytes', of: 'the files of one website together', past: 'the build fails, and says so' },
  file: { value: 100 * mebi, unit: 'bytes', of: 'one file of a website', past: 'the build fails, and says so' },
  archiveEntries: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'files of a zip archive, beside artifact.tar, that are looked at',
    past: 'the build fails, and says so',
  },
  cached: {
    value: 256 * kibi,
    unit: 'bytes',
    of: 'a file of a website that is kept in memory, within git.cache',
    past: 'larger ones are read for each request',
  },
  memory: { value: 1 * mebi, unit: 'bytes', of: 'a file of a website that is read as a whole', past: 'larger ones are streamed' },
});
