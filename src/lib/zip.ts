import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/** A file of a zip archive. It is opened after the previous files are written. */
export type ZipEntry = { readonly name: string; readonly modified: Date; open(): AsyncIterable<Buffer | string> };

/** A zip archive as a stream. It reads one file after the other, at the speed of the archive's reader. A read error aborts it. */
export function zipOf(entries: readonly ZipEntry[]): Readable {
  const zip = new ZipFile();
  const archive = Readable.from(zip.outputStream, { objectMode: false });
  let current: Readable | undefined;
  zip.once('error', (error) => archive.destroy(error));
  for (const { name, modified, open } of entries)
    zip.addReadStreamLazy(name, { mtime: modified, mode: 0o100644 }, (give) => {
      current = Readable.from(open(), { objectMode: false });
      current.once('error', (error) => archive.destroy(error));
      give(null, current);
    });
  archive.once('close', () => current?.destroy());
  zip.end();
  return archive;
}
