// Reading an archive that may come from anybody: what is taken out of it, and what makes it be refused.

import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { ExtractEvents, Header } from 'tar-stream';
import type { LimitValues } from '#lib/limits.ts';
import { unprocessable } from '#lib/refusal.ts';
import { withShortHeaders } from '#lib/tar-headers.ts';
import type { migrationLimits } from '../limits.ts';

export type OnProgress = (phase: string, done: number, total: number) => void;

type Limits = Pick<LimitValues<typeof migrationLimits>, 'importSize' | 'importRatio' | 'importEntries' | 'importPage'>;

type Reading = { file: string; folder: string; limits: Limits; onProgress: OnProgress };

/** Why an archive isn't imported. */
export const refused = (reason: string) => unprocessable(`The archive is refused, and nothing was imported: ${reason}`);

/**
 * Unpacks the JSON files, the Git data and the files of releases of an archive into a folder, and returns the names of its files.
 * All of it is checked on the way: names that lead elsewhere, links and devices, more than the limits allow, and a cut end make
 * it be refused.
 */
export async function unpackArchive({ file, folder, limits, onProgress }: Reading): Promise<Set<string>> {
  const { size } = await stat(file).catch((error: Error) => {
    throw refused(`it can't be read (${error.message})`);
  });
  const read = { packed: 0, unpacked: 0 };
  const names = new Set<string>();
  const { extract } = await import('tar-stream');
  const tar = extract();
  const measurePacked = counting((bytes) => {
    read.packed += bytes;
    onProgress('Reading', read.packed, size);
  });
  const measure = measuring(limits, read);
  let taking: Promise<void> = Promise.resolve();
  let current: Source | undefined;
  let failure: unknown;
  tar.on('entry', (header, source, next) => {
    current = source;
    source.on('error', () => undefined); // whoever reads the archive is told of it
    taking = take(header, source, { names, folder, limits }).then(
      () => next(),
      (error: Error) => {
        failure ??= error;
        tar.destroy(error);
      },
    );
  });
  try {
    await pipeline(createReadStream(file), measurePacked, createGunzip(), measure.stream, withShortHeaders, tar);
    await taking;
  } catch (error) {
    current?.destroy();
    throw reasonOf(failure ?? error);
  }
  if (failure) throw reasonOf(failure);
  if (!measure.isWhole()) throw refused('its end is missing');
  return names;
}

/** What the streams say of a file that isn't an archive, or not all of one. */
function reasonOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (/unexpected end/i.test(error.message)) return refused('its end is missing');
  if (code.startsWith('Z_') || /tar header|Invalid/.test(error.message)) return refused('it is not a tar.gz, or it is damaged');
  return error;
}

const counting = (count: (bytes: number) => void): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      count(chunk.length);
      done(undefined, chunk);
    },
  });

const mebi = 1024 * 1024;
const endLength = 1024;
const blockLength = 512;

/** Bounds what an archive unpacks to, and notes whether it has the end of a tar: two blocks of zeros. */
function measuring({ importSize, importRatio }: Limits, read: { packed: number; unpacked: number }) {
  let tail: Buffer = Buffer.alloc(0);
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      read.unpacked += chunk.length;
      tail = chunk.length >= endLength ? chunk.subarray(-endLength) : Buffer.concat([tail, chunk]).subarray(-endLength);
      if (read.unpacked > importSize) return done(refused(`it holds more than ${importSize} bytes (migrations.importSize)`));
      if (read.unpacked > mebi && read.unpacked > importRatio * read.packed)
        return done(refused(`it unpacks to more than ${importRatio} times its size (migrations.importRatio)`));
      done(undefined, chunk);
    },
  });
  const isWhole = (): boolean =>
    tail.length === endLength && tail.every((byte) => byte === 0) && read.unpacked % blockLength === 0;
  return { stream, isWhole };
}

type Source = ExtractEvents['entry'][1];
type Taking = { names: Set<string>; folder: string; limits: Limits };

async function take({ type, size = 0, name: given }: Header, source: Source, { names, folder, limits }: Taking): Promise<void> {
  const name = checkedName(given);
  if (type !== 'file' && type !== 'contiguous-file' && type !== 'directory')
    throw refused(`${shown(name)} is neither a file nor a folder, but a ${type}`);
  if (names.has(name)) throw refused(`${shown(name)} is in it twice`);
  names.add(name);
  if (names.size > limits.importEntries)
    throw refused(`it has more than ${limits.importEntries} files and folders (migrations.importEntries)`);
  const isPage = pageFile.test(name);
  if (isPage && size > limits.importPage)
    throw refused(`${shown(name)} has more than ${limits.importPage} bytes (migrations.importPage)`);
  if (type === 'directory' || !(isPage || isGitFile(name) || releaseFile.test(name))) {
    source.resume();
    return;
  }
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  // What git takes for a repository has these folders, even where they are empty.
  if (name.endsWith('.git/HEAD'))
    for (const part of ['objects', 'refs']) await mkdir(join(dirname(path), part), { recursive: true });
  await pipeline(source, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
}

/** A name that stays below the folder of the archive, without `./` before it and `/` behind it. */
function checkedName(given: string): string {
  const name = given.replace(/^(?:\.\/)+/, '').replace(/\/$/, '');
  if (name === '' || name === '.') return '.';
  const parts = name.split('/');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  if (/[\\\u0000-\u001f]/.test(name) || parts.some((part) => part === '' || part === '.' || part === '..'))
    throw refused(`${shown(given)} is a name that leads out of it`);
  return name;
}

const shown = (name: string): string => JSON.stringify(name.slice(0, 200));

const pageFile = /^(?:schema|[a-z_]+_\d{6})\.json$/;
const releaseFile = /^releases\/[^/]+\/[^/]+\/\d{1,16}$/;
const gitFile = /^repositories\/[^/]+\/[^/]+\.git\/(.+)$/;
/**
 * Of a repository, HEAD, branches, tags, heads of pull requests and objects. Configuration, hooks and references to other
 * repositories aren't taken.
 */
const wantedOfGit =
  /^(?:HEAD|packed-refs|refs\/(?:heads|tags)\/.+|refs\/pull\/\d+\/head|objects\/[0-9a-f]{2}\/[0-9a-f]{38}|objects\/pack\/pack-[0-9a-f]{40}\.(?:pack|idx))$/;

const isGitFile = (name: string): boolean => wantedOfGit.test(gitFile.exec(name)?.[1] ?? '');
