// The entry of the command line.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findBundle } from './code-bundle/record.ts';
import { traceToSources } from './code-bundle/stack-traces.ts';

// Loading the code takes most of the time of a short command. Node's compile cache is used if its folder is writable.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/node'));
const bundle = findBundle();
if (bundle !== undefined) traceToSources(bundle);
const { run }: typeof import('./program.ts') = await (bundle === undefined
  ? import('./program.ts')
  : import(pathToFileURL(join(bundle, 'program.mjs')).href));

// The reader of the output may close it, as `head` does. The command continues.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
await run(process.argv.slice(2));
