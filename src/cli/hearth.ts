// The entry of the command line.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Loading the code takes most of the time of a short command. Node's compile cache is used if its folder is writable.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/node'));
const { run } = await import('./program.ts');

// The reader of the output may close it, as `head` does. The command continues.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
await run(process.argv.slice(2));
