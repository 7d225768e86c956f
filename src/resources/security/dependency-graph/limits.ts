import { limitGroup, mebi, moreLimits, seconds } from '#lib/limits.ts';

export const dependencyLimits = limitGroup('dependencies', 'Dependencies and advisories', {
  fileSize: { value: 5 * mebi, unit: 'bytes', fixed: true, of: 'a manifest or lockfile', past: 'it is left out, with a note' },
  fileTime: {
    value: 5 * seconds,
    unit: 'milliseconds',
    fixed: true,
    of: 'the processor time in which a manifest or lockfile is read, by a worker thread',
    past: 'it is left out, with a note',
  },
  entries: {
    value: 100_000,
    unit: 'count',
    fixed: true,
    of: 'files of a repository among which manifests are looked for',
    past: 'further ones are not looked at',
  },
  files: { value: 300, unit: 'count', fixed: true, of: 'manifests of one repository', past: 'further ones are not read' },
  ofFile: {
    value: 20_000,
    unit: 'count',
    fixed: true,
    of: 'dependencies of one manifest',
    past: 'further ones are left out, with a note',
  },
  ofRepository: {
    value: 50_000,
    unit: 'count',
    fixed: true,
    of: 'dependencies of one repository',
    past: 'further manifests are left out, with a note',
  },
  snapshots: {
    value: 50,
    unit: 'count',
    fixed: true,
    of: 'snapshots of dependencies that different jobs submit for the default branch of one repository',
    past: 'further ones are refused',
  },
  otherSnapshots: {
    value: 50,
    unit: 'count',
    fixed: true,
    of: 'snapshots of dependencies of the other refs of one repository',
    past: 'the oldest ones are removed',
  },
  comparedSize: {
    value: 32 * mebi,
    unit: 'bytes',
    fixed: true,
    of: 'manifests and lockfiles of each of two commits that are compared',
    past: '422',
  },
  nameLength: {
    value: 500,
    unit: 'count',
    fixed: true,
    of: 'characters of the name and the version of a dependency',
    past: 'it is left out',
  },
});

export const manifestLimits = moreLimits('interpreters', {
  manifestDepth: {
    value: 10_000,
    unit: 'count',
    fixed: true,
    of: 'lists and objects inside each other in a manifest or lockfile in JSON',
    past: 'it is left out, with a note',
  },
  manifestValues: {
    value: 1_000_000,
    unit: 'count',
    fixed: true,
    of: 'values in a manifest or lockfile in JSON',
    past: 'it is left out, with a note',
  },
});
