import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/each-file.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Files are independent by databases of their own; importing everything anew for each took a third of the time.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Node runs the tests as it runs Hearth, from its sources: nothing has to be transformed, and what was compiled is kept.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // These end what hangs. No test proves a time by them, so they hold on a busy machine too.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
