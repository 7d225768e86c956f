import type { Interpreter } from '#openapi/interpreters.ts';

export const interpreters: readonly Interpreter[] = [
  {
    reads: 'patterns of refs, paths and names in rulesets, environments, reviews and settings of actions',
    runs: 'steps',
    modules: ['check.ts', 'conditions.ts'],
    bounds: ['rules.patterns'],
  },
  {
    reads: 'regular expressions of rulesets',
    runs: 'steps',
    modules: ['patterns.ts'],
    bounds: ['interpreters.expressionSize', 'interpreters.expressionSteps'],
  },
];
