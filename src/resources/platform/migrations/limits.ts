import { limitGroup, mebi, minutes, moreLimits } from '#lib/limits.ts';

export const migrationLimits = limitGroup('migrations', 'Migrations', {
  repositories: { value: 100, unit: 'count', of: 'repositories of one migration', past: '422' },
  archives: {
    value: 10,
    unit: 'count',
    of: "one account's migrations that are under way or whose archive is kept",
    past: '422, until one of the archives is deleted or expires',
  },
  linkTime: { value: 5 * minutes, unit: 'milliseconds', of: 'an address from which an archive is downloaded', past: '404' },
  importSize: {
    value: 1024 * 1024 * mebi,
    unit: 'bytes',
    of: 'what an archive that is imported holds, unpacked',
    past: 'the archive is refused',
  },
  importRatio: {
    value: 500,
    unit: 'count',
    of: 'bytes of an imported archive for each byte of its file, from the first MiB on',
    past: 'the archive is refused',
  },
  importEntries: {
    value: 10_000_000,
    unit: 'count',
    of: 'files and folders of an archive that is imported',
    past: 'the archive is refused',
  },
  importPage: {
    value: 64 * mebi,
    unit: 'bytes',
    of: 'one JSON file of an archive that is imported',
    past: 'the archive is refused',
  },
});

export const archiveLimits = moreLimits('interpreters', {
  archiveValues: {
    value: 5_000_000,
    unit: 'count',
    fixed: true,
    of: 'values in one JSON file of an archive that is imported',
    past: 'the archive is refused',
  },
});
