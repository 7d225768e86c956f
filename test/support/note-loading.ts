/**
 * Imported into a process before its own code. When the process ends, it writes what was loaded to the file in `LOADING_NOTES`.
 */
import { statSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The files that a process has loaded, and Node's built-in modules. */
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
    // Node's own list, which is intended for its tests. Modules that Node loads for itself are only listed there.
    const { moduleLoadList: builtin } = process as unknown as { moduleLoadList: string[] };
    writeFileSync(notes, JSON.stringify({ files, builtin } satisfies Loading));
  });
}
