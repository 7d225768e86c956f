import type { Interpreter } from '#openapi/interpreters.ts';

export const interpreters: readonly Interpreter[] = [
  {
    reads: 'custom patterns of secrets, and what is scanned for secrets',
    runs: 'steps',
    modules: ['custom-expressions.ts', 'custom-scanner.ts', 'scanner.ts'],
    bounds: ['secretScanning.customPatterns', 'secretScanning.fileSize', 'secretScanning.ofFile'],
  },
];
