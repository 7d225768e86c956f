import type { Interpreter } from '#openapi/interpreters.ts';

export const interpreters: readonly Interpreter[] = [
  {
    reads: 'custom patterns of secrets, and what is scanned for them',
    runs: 'worker',
    modules: ['custom-patterns/expressions.ts', 'detection/custom-scanner.ts'],
    bounds: [
      'secretScanning.customPatterns',
      'secretScanning.customSize',
      'secretScanning.customTime',
      'secretScanning.fileSize',
    ],
  },
  {
    reads: 'what is scanned for secrets of known forms',
    runs: 'steps',
    modules: ['detection/scanner.ts'],
    bounds: ['secretScanning.fileSize', 'secretScanning.ofFile'],
  },
];
