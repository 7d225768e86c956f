import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Command } from '@commander-js/extra-typings';
import { makeBundle } from '../code-bundle/make.ts';
import { findBundle } from '../code-bundle/record.ts';

const results: Record<Awaited<ReturnType<typeof makeBundle>>, string> = {
  made: 'The code is bundled.',
  present: 'The bundle has the present code already.',
  impossible: 'node_modules is another folder: Hearth runs from its sources.',
};

export const bundleCodeCommand = new Command('bundle-code')
  .description('Bundle the code, so that Hearth starts faster. `npm ci` does this. After a change, Hearth runs from its sources.')
  .addHelpText('after', '\nExample:\n  hearth bundle-code')
  .action(async () => {
    process.stdout.write(`${results[await makeBundle()]}\n`);
    const folder = findBundle();
    // Node keeps what it compiles here, so that the first start of the server doesn't compile everything.
    if (folder !== undefined) await import(pathToFileURL(join(folder, 'serving.mjs')).href);
  });
