// Makes stack traces of a bundle refer to its sources. Node's own support reads all source maps at the start, which takes a tenth
// of a second.
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Makes the stack traces of errors refer to the sources of a bundle. A source map is read for the first trace that needs it. */
export function traceToSources(folder: string): void {
  const address = `${pathToFileURL(folder).href}/`;
  const plain = Error.prepareStackTrace;
  Error.prepareStackTrace = (error, sites) =>
    String(plain?.(error, sites)).replace(position, (written, parent: string, file: string, line: string, column: string) => {
      const source = parent === address && mapOf(folder, file)?.findOrigin(Number(line), Number(column));
      return source && 'fileName' in source
        ? `${new URL(source.fileName, address).href}:${source.lineNumber}:${source.columnNumber}`
        : written;
    });
}

const position = /(file:\/\/[^\s()]*\/)([^\s()/]+\.mjs):(\d+):(\d+)/g;

/** The loaded source maps. A large one takes 30 MB. */
const maps = new Map<string, WeakRef<SourceMap>>();

function mapOf(folder: string, file: string): SourceMap | undefined {
  const known = maps.get(file)?.deref();
  if (known) return known;
  try {
    const map = new SourceMap(JSON.parse(readFileSync(join(folder, `${file}.map`), 'utf8')));
    maps.set(file, new WeakRef(map));
    return map;
  } catch {
    return undefined; // the bundle was replaced since the start
  }
}
