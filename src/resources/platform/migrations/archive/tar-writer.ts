import { createWriteStream } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Header, Pack } from 'tar-stream';
import { asError } from '#git/errors.ts';

/** A tar.gz that is written entry by entry. Only a few parts of it are in memory. */
export type TarWriter = {
  addBytes(name: string, bytes: Buffer): Promise<void>;
  addFolder(name: string): Promise<void>;
  /** Adds a file of `size` bytes. It fails where the stream has more of them, or fewer. */
  addStream(name: string, size: number, stream: Readable): Promise<void>;
  /** Adds a folder of the disk with all that is below it. What isn't a file or folder is left out. */
  addTree(name: string, path: string): Promise<void>;
  /** Writes the end. Without it, the file isn't whole. */
  finish(): Promise<void>;
  /** Closes the file, whether or not it is whole. */
  [Symbol.asyncDispose](): Promise<void>;
};

/** What is said of an entry, beside its size. */
type EntryHeader = Partial<Header> & Pick<Header, 'name'>;

const partSize = 256 * 1024;

/** Opens a new file for a tar.gz, whose entries have the time `now`. */
export async function openTarWriter(file: string, now: Date): Promise<TarWriter> {
  const { pack } = await import('tar-stream');
  const tar = pack();
  const gzip = createGzip({ chunkSize: partSize });
  const written = pipeline(tar, gzip, createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }));
  // Whoever adds an entry is told of it, or else who finishes.
  written.catch(() => undefined);
  const adding = async (work: Promise<void>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      tar.destroy(asError(error));
      await written; // it says what was first, as that the disk is full
      throw error;
    }
  };

  const writer: TarWriter = {
    addBytes: (name, bytes) => adding(addEntry(tar, { name, mtime: now, mode: 0o644 }, bytes)),
    addStream: (name, size, stream) => adding(addBytesOf(tar, { name, mtime: now, mode: 0o644, size }, stream)),
    addFolder: (name) => adding(addEntry(tar, { name: `${name}/`, type: 'directory', mtime: now, mode: 0o755 })),
    async addTree(name, path) {
      await writer.addFolder(name);
      const entries = await readdir(path, { withFileTypes: true });
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        const [inside, on] = [`${name}/${entry.name}`, join(path, entry.name)];
        if (entry.isDirectory()) await writer.addTree(inside, on);
        else if (entry.isFile()) await adding(addFile(tar, { name: inside, mtime: now, mode: 0o644 }, on));
      }
    },
    async finish() {
      tar.finalize();
      await written;
    },
    async [Symbol.asyncDispose]() {
      tar.destroy();
      await written.catch(() => undefined);
    },
  };
  return writer;
}

async function addEntry(tar: Pack, header: EntryHeader, bytes?: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const done = (error?: Error | null): void => (error ? reject(error) : resolve());
  const entry = bytes === undefined ? tar.entry(header, done) : tar.entry(header, bytes, done);
  entry.on('error', () => undefined); // `done` has it too
  await promise;
}

async function addFile(tar: Pack, header: EntryHeader, path: string): Promise<void> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size === 0) return await addEntry(tar, header, Buffer.alloc(0));
    const stream = file.createReadStream({ end: size - 1, highWaterMark: partSize, autoClose: false });
    await addBytesOf(tar, { ...header, size }, stream);
  } finally {
    await file.close();
  }
}

async function addBytesOf(tar: Pack, header: EntryHeader & { size: number }, stream: Readable): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const entry = tar.entry(header, (error) => (error ? reject(error) : resolve()));
  // Where the disk is full, both fail, one after the other.
  await Promise.all([pipeline(stream, entry), promise]);
}
