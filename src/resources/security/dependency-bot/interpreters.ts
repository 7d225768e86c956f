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
  {
    reads: 'configuration files of the dependency bot, in YAML',
    runs: 'worker',
    modules: ['config/parser.ts'],
    bounds: [
      'dependencyBot.configSize',
      'dependencyBot.configTime',
      'dependencyBot.configDirectories',
      'workflows.fileNodes',
      'workflows.fileCharacters',
    ],
  },
  {
    reads: 'schedules and folders in configuration files of the dependency bot',
    runs: 'steps',
    modules: ['config/schedule.ts', 'config/directories.ts'],
    bounds: ['dependencyBot.scheduleLength', 'interpreters.patternSteps', 'interpreters.patternTotalSteps'],
  },
];
