import type { Interpreter } from '#openapi/interpreters.ts';

export const interpreters: readonly Interpreter[] = [
  {
    reads: 'files of code owners',
    runs: 'steps',
    modules: ['parse.ts', 'pattern.ts', 'owners.ts'],
    bounds: [
      'reviewers.codeOwnersFile',
      'reviewers.codeOwnersWords',
      'reviewers.codeOwnersLine',
      'reviewers.codeOwnersErrors',
      'interpreters.codeOwnersSteps',
    ],
  },
];
