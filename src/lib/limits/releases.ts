// The files of releases.
import { kibi, type LimitGroup, mebi } from './limit.ts';

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
  notesFile: { value: 16 * kibi, unit: 'bytes', fixed: true, of: 'a file of settings for generated notes', past: '422' },
} as const satisfies LimitGroup;
