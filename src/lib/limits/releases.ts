import { kibi, type LimitGroup, mebi, minutes, seconds } from './limit.ts';

export const releases = {
  assets: { value: 1_000, unit: 'count', of: 'files of one release', past: '422' },
  assetSize: { value: 2_048 * mebi, unit: 'bytes', of: 'one file of a release', past: '413' },
  transfers: {
    value: 200,
    unit: 'count',
    of: 'files of releases, artifacts and caches that one process receives or sends at once',
    past: 'further ones wait',
  },
  transfersPerCaller: { value: 40, unit: 'count', of: 'such files of one caller', past: 'further ones wait' },
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
    of: 'commits by which merged pull requests are found for generated notes, from the latest back',
    past: 'those that were merged earlier are left out',
  },
  notesTime: {
    value: seconds,
    unit: 'milliseconds',
    fixed: true,
    of: 'the processor time in which such a file is read, by a worker thread',
    past: '422',
  },
  notesFile: { value: 16 * kibi, unit: 'bytes', fixed: true, of: 'a file of settings for generated notes', past: '422' },
} as const satisfies LimitGroup;
