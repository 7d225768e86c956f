import type { Interpreter } from '#openapi/interpreters.ts';

export const interpreters: readonly Interpreter[] = [
  {
    reads: 'what was stored of bodies and events as JSON',
    runs: 'steps',
    modules: ['planning/contexts.ts', 'events.ts', 'tasks/runtime-token.ts'],
    bounds: [],
  },
];
