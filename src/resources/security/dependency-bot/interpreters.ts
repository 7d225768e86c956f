import type { Interpreter } from '#openapi/interpreters.ts';

export const interpreters: readonly Interpreter[] = [
  {
    reads: 'results of the dependency bot’s jobs, in compressed JSON',
    runs: 'steps',
    modules: ['updates/contract.ts'],
    bounds: [
      'dependencyBot.resultSize',
      'dependencyBot.resultContent',
      'dependencyBot.resultValues',
      'dependencyBot.resultDepth',
    ],
  },
];
