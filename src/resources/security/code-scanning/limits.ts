import { limitGroup, mebi } from '#lib/limits.ts';

const ofFile = { unit: 'count', fixed: true, past: 'the file fails' } as const;

export const codeScanningLimits = limitGroup('codeScanning', 'Code scanning', {
  packedSize: { value: 10 * mebi, unit: 'bytes', fixed: true, of: 'a SARIF file, packed by gzip', past: '413' },
  unpackedSize: { value: 256 * mebi, unit: 'bytes', of: 'a SARIF file, unpacked', past: 'the file fails' },
  checkedSize: {
    value: 64 * 1024,
    unit: 'bytes',
    fixed: true,
    of: 'the beginning of a SARIF file that is read before it is accepted',
    past: 'the rest is read in the background',
  },
  values: { value: 20_000_000, unit: 'count', of: 'values in a SARIF file', past: 'the file fails' },
  stringSize: { ...ofFile, value: 16 * mebi, unit: 'bytes', of: 'a string in a SARIF file' },
  held: {
    ...ofFile,
    value: 32 * mebi,
    of:
      'characters that are held of a SARIF file at a time: of one run, of one result, or of the messages of all ' +
      'results (a value without characters counts as 32)',
  },
  readings: {
    value: 2,
    unit: 'count',
    of: 'SARIF files that one process reads at once while their senders wait for it (`validate`), one of each caller',
    past: 'further ones wait',
  },
  runs: { ...ofFile, value: 20, of: 'runs in a SARIF file' },
  results: { ...ofFile, value: 25_000, of: 'results of one run in a SARIF file' },
  resultsKept: {
    value: 5_000,
    unit: 'count',
    fixed: true,
    of: 'results of one run that become alerts: the most severe',
    past: 'others are left out, with a warning',
  },
  rules: { ...ofFile, value: 25_000, of: 'rules of one run in a SARIF file' },
  extensions: { ...ofFile, value: 100, of: 'extensions of a tool in a SARIF file' },
  threadFlowLocations: { ...ofFile, value: 10_000, of: 'thread flow locations of one result in a SARIF file' },
  locations: { ...ofFile, value: 1_000, of: 'locations of one result in a SARIF file' },
  locationsKept: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'locations of one result that are kept',
    past: 'further ones are left out',
  },
  arguments: { ...ofFile, value: 1_000, of: 'arguments of the message of one result in a SARIF file' },
  suppressions: { ...ofFile, value: 1_000, of: 'suppressions of one result in a SARIF file' },
  tags: { ...ofFile, value: 20, of: 'tags of one rule in a SARIF file' },
  tagsKept: { value: 10, unit: 'count', fixed: true, of: 'tags of one rule that are kept', past: 'further ones are left out' },
  sourceSize: {
    value: 5 * mebi,
    unit: 'bytes',
    fixed: true,
    of: 'a file whose lines tell results apart that have no fingerprint',
    past: 'their places do',
  },
  sourcesSize: {
    value: 256 * mebi,
    unit: 'bytes',
    fixed: true,
    of: 'such files of one run together',
    past: 'the places of the rest do',
  },
  alerts: {
    value: 1_000_000,
    unit: 'count',
    fixed: true,
    of: 'alerts of code scanning in one repository',
    past: 'further results have no alert',
  },
  analyses: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'analyses of one tool, category and ref',
    past: 'the oldest are removed',
  },
});
