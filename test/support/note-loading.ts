/** Imported into a process before its own code: writes what was loaded, when it ends, to the file that `LOADING_NOTES` names. */
import { statSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The files that a process has loaded, and the built-in modules of Node. */
export type Loading = { files: { path: string; bytes: number }[]; builtin: string[] };

const { LOADING_NOTES: notes } = process.env;
if (notes !== undefined) {
  const urls = new Set<string>();
  registerHooks({
    load(url, context, next) {
      urls.add(url);
      return next(url, context);
    },
  });
  process.on('exit', () => {
    const paths = [...urls].filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url));
    const files = paths.map((path) => ({ path, bytes: statSync(path).size }));
    // Node's own list, which is meant for its tests: what it loads for itself is nowhere else.
    const { moduleLoadList: builtin } = process as unknown as { moduleLoadList: string[] };
    writeFileSync(notes, JSON.stringify({ files, builtin } satisfies Loading));
  });
}
