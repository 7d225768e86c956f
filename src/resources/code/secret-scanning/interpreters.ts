import type { Interpreter } from '#openapi/interpreters.ts';

export const interpreters: readonly Interpreter[] = [
  {
    reads: 'custom patterns of secrets, and what is scanned for secrets',
    runs: 'steps',
    modules: ['custom-patterns/expressions.ts', 'detection/custom-scanner.ts', 'detection/scanner.ts'],
    bounds: ['secretScanning.customPatterns', 'secretScanning.fileSize', 'secretScanning.ofFile'],
  },
];
