// The entry of the command line.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Loading the code takes most of a short command's time: what Node made of it is kept, if the folder can be written.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/node'));
await import('./program.ts');
