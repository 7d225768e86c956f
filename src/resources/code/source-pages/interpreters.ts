import type { Interpreter } from '#openapi/interpreters.ts';

export const interpreters: readonly Interpreter[] = [
  {
    reads: 'notebooks, in JSON',
    runs: 'worker',
    modules: ['notebook-cells.ts'],
    bounds: ['sourcePages.notebook', 'sourcePages.notebookTime'],
  },
];
