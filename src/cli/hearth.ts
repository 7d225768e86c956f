// The entry of the command line.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Loading the code takes most of a short command's time: what Node made of it is kept, if the folder can be written.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/node'));
const { run } = await import('./program.ts');

// Whoever read the output may have gone, as `head` does. The work and its clean-up go on.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
await run(process.argv.slice(2));
