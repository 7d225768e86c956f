import { afterAll } from 'vitest';
import { cleanUp } from './end-of-file.ts';

// A file whose tests were all skipped doesn't reach its end.
await cleanUp();
afterAll(cleanUp);
