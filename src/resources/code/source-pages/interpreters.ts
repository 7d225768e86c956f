import type { Interpreter } from '#openapi/interpreters.ts';

export const interpreters: readonly Interpreter[] = [
  {
    reads: 'notebooks, in JSON',
    runs: 'worker',
    modules: ['resources/code/source-pages/notebook-cells.ts'],
    bounds: ['sourcePages.notebook', 'sourcePages.notebookTime'],
  },
];
