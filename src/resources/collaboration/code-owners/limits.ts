import { mebi, moreLimits } from '#lib/limits.ts';

export const codeOwnerLimits = moreLimits('reviewers', {
  codeOwnersFile: { value: 3 * mebi, unit: 'bytes', fixed: true, of: 'a file of code owners', past: 'the file is not used' },
  codeOwnersWords: {
    value: 20_000,
    unit: 'count',
    fixed: true,
    of: 'patterns and owners, taken together, in a file of code owners',
    past: 'the file is not used',
  },
  codeOwnersLine: {
    value: 500,
    unit: 'count',
    fixed: true,
    of: 'characters that an error of a file of code owners shows of its line',
    past: 'it is cut around the error',
  },
  codeOwnersErrors: {
    value: 1_000,
    unit: 'count',
    fixed: true,
    of: 'errors of a file of code owners that are listed',
    past: 'further ones are left out',
  },
});

export const codeOwnerStepLimits = moreLimits('interpreters', {
  codeOwnersSteps: {
    value: 50_000_000,
    unit: 'count',
    fixed: true,
    of: 'steps of matching all files of a pull request with the patterns of code owners',
    past: 'it is not merged where owners must approve; no review is requested from the owners of the rest',
  },
});
