// The files of an artifact: a tar of a website's files, alone or in a zip archive. Its contents are untrusted.

import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { File } from '#endpoint/call.ts';
import type { IncomingFile } from '#git/objects/write-files.ts';
import { fixedValue, type LimitValues } from '#lib/limits.ts';
import { withShortHeaders } from '#lib/tar-headers.ts';
import { trimEndOf } from '#lib/trim.ts';
import { pagesLimits } from './limits.ts';
import { BuildError, siteMeasure } from './measure.ts';

/** The name of the tar in a zip archive, as workflows of the public API create it. */
const tarName = 'artifact.tar';
const maxEntries = fixedValue(pagesLimits.archiveEntries);
/** Headers of files take part of a tar's size. */
const headersOfEach = 2_048;

/**
 * The files of an artifact, which must be read in order.
 * @throws BuildError for an invalid archive, for links, and beyond the limits
 */
export async function* filesOfArtifact(file: File, limits: LimitValues<typeof pagesLimits>): AsyncGenerator<IncomingFile> {
  const measure = siteMeasure(limits);
  const { extract } = await import('tar-stream');
  const unpacked = extract();
  const feeding = openTar(file).then(
    (source) => pipeline(source, bounded(limits), withShortHeaders, unpacked),
    (error: Error) => void unpacked.destroy(error),
  );
  feeding.catch(() => undefined); // the reader of the entries gets the error
  try {
    for await (const entry of unpacked) {
      const { name, type, size = 0 } = entry.header;
      const path = trimEndOf(name.replace(/^(?:\.\/)+/, ''), '/');
      if (type === 'file' && path !== '') {
        measure(path, size);
        yield { path, size, bytes: explained(entry as AsyncIterable<Buffer>) }; // no encoding was set
      } else if (type !== 'directory' && type !== 'file')
        throw new BuildError(`The artifact contains ${path}, which is not a file.`);
      entry.resume();
    }
    await feeding;
  } catch (error) {
    throw reasonOf(error);
  } finally {
    unpacked.destroy();
  }
}

/** The bytes of a file, with this module's error messages. */
async function* explained(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* parts;
  } catch (error) {
    throw reasonOf(error);
  }
}

/** The publisher sees errors about invalid archives; other errors are the server's. */
function reasonOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof BuildError) return error;
  const code = 'code' in error ? String(error.code) : '';
  const isOfArchive =
    code.startsWith('Z_') || /tar|zip|central directory|compression|crc|bytes in the stream|end of/i.test(error.message);
  return isOfArchive ? new BuildError('The artifact is not an archive of a website, or is damaged.') : error;
}

/** Stops unpacking at the size limit of websites. */
async function* boundedParts(source: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const part of source) {
    bytes += part.length;
    if (bytes > most) throw new BuildError('The artifact is larger than a website may be.');
    yield part;
  }
}

const bounded =
  ({ size, files }: LimitValues<typeof pagesLimits>) =>
  (source: AsyncIterable<Buffer>) =>
    boundedParts(source, size + files * headersOfEach);

async function openTar(file: File): Promise<Readable> {
  const beginning = await readBeginning(file);
  if (beginning !== 'PK\x03\x04' && beginning !== 'PK\x05\x06') return opened(await file.open());
  const { default: yauzl } = await import('yauzl');
  class FileReader extends yauzl.RandomAccessReader {
    override _readStreamForRange(start: number, end: number): Readable {
      const stream = new PassThrough();
      file
        .open({ start, end: end - 1 })
        .then((found) => pipeline(opened(found), stream))
        .catch((error: Error) => stream.destroy(error));
      return stream;
    }
  }
  const zip = await yauzl.fromRandomAccessReaderPromise(new FileReader(), file.size, { lazyEntries: true, autoClose: false });
  // Each entry takes a look into the file, and an artifact has room for hundreds of millions.
  let entries = 0;
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName === tarName) return zip.openReadStreamPromise(entry);
    if (++entries >= maxEntries) throw new BuildError(`The artifact has no ${tarName} among its first ${maxEntries} files.`);
  }
  throw new BuildError(`The artifact holds no ${tarName}.`);
}

async function readBeginning(file: File): Promise<string> {
  if (file.size < 4) throw new BuildError('The artifact is empty.');
  return Buffer.concat((await Array.fromAsync(opened(await file.open({ start: 0, end: 3 })))) as Buffer[]).toString('latin1');
}

function opened(stream: Readable | undefined): Readable {
  if (!stream) throw new BuildError('The artifact is gone.');
  return stream;
}
