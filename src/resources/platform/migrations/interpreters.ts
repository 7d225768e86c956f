import type { Interpreter } from '#openapi/interpreters.ts';

export const interpreters: readonly Interpreter[] = [
  {
    reads: 'archives of migrations and of websites',
    runs: 'steps',
    modules: ['archive/protection.ts', 'archive/tar-writer.ts', 'import/unpack.ts', 'import/pages.ts'],
    bounds: [
      'migrations.importPage',
      'interpreters.archiveHeader',
      'interpreters.archiveSharedHeader',
      'interpreters.archiveValues',
      'migrations.importEntries',
    ],
  },
];
