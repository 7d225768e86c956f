import { afterAll } from 'vitest';
import { cleanUp } from './end-of-file.ts';

// In a file whose tests are all skipped, `afterAll` doesn't run.
await cleanUp();
afterAll(cleanUp);
