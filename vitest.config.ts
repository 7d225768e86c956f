import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/each-file.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Files are independent by databases of their own; importing everything anew for each took a third of the time.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
