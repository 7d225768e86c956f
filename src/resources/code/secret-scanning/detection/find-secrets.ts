// Secrets in the files of commits.

import type { CommitFile } from '#git/history/commit-files.ts';
import type { ObjectReader } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Caller } from '#lib/caller.ts';
import { oncePerObject } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { periodicYield } from '#lib/turns.ts';
import { secretScanningLimits } from '../limits.ts';
import type { CustomPattern } from './custom-scanner.ts';
import { type CustomSearch, customSearch } from './custom-search.ts';
import { genericPatterns, patternsVersion, providerPatterns } from './patterns.ts';
import { type Match, type Scanner, scannerOf } from './scanner.ts';

/** A secret, with what found it. */
export type Secret = {
  readonly type: string;
  /** The name of its type. */
  readonly name: string;
  /** The custom pattern that found it. */
  readonly custom: Id<'secret_patterns'> | undefined;
  readonly secret: string;
};

/** A secret at its place in a file: lines and columns from 1, columns in bytes; the last column is that of the last byte. */
export type FoundSecret = Secret & {
  readonly commit: Oid;
  readonly path: string;
  readonly blob: Oid;
  readonly start_line: number;
  readonly end_line: number;
  readonly start_column: number;
  readonly end_column: number;
};

/** Larger files aren't scanned. */
const maxSize = fixedValue(secretScanningLimits.fileSize);
/** Of one file, so many secrets are found. */
const maxFound = fixedValue(secretScanningLimits.ofFile);
/** A file with a zero byte among its first ones is no text (git's rule). */
const sniffed = 8_000;

const providerScanner = scannerOf(providerPatterns);
const wholeScanner = scannerOf([...providerPatterns, ...genericPatterns]);

/** The name of some patterns, together with those of no provider. */
export const withGeneric = (name: string): string => `${name}, generic`;

/** What looks for secrets: known forms in process, and custom patterns in a worker thread. */
export type SecretSearch = { readonly known: Scanner; readonly findCustom: CustomSearch };

/** The name of the known forms that a repository looks for, which changes with them. */
export const nameOfForms = (repo: SearchingRepository): string =>
  repo.secret_scanning_non_provider_patterns ? withGeneric(String(patternsVersion)) : String(patternsVersion);

type SearchingRepository = { readonly secret_scanning_non_provider_patterns: boolean };

/** What a repository looks for. */
export const searchFor = (repo: SearchingRepository, custom: readonly CustomPattern[], caller: Caller): SecretSearch => ({
  known: repo.secret_scanning_non_provider_patterns ? wholeScanner : providerScanner,
  findCustom: customSearch(custom, caller),
});

/**
 * What push protection looks for: the forms of providers, which hardly ever match what is no secret, and the custom patterns
 * given.
 */
export const protectedSearch = (custom: readonly CustomPattern[], caller: Caller): SecretSearch => ({
  known: providerScanner,
  findCustom: customSearch(custom, caller),
});

/** The secrets in files, each blob being read once. */
export async function* findSecrets(
  reader: ObjectReader,
  search: SecretSearch,
  files: readonly CommitFile[],
): AsyncGenerator<FoundSecret> {
  const byBlob = new Map<Oid, CommitFile>();
  for (const file of files) if (file.blob !== undefined && !byBlob.has(file.blob)) byBlob.set(file.blob, file);
  const yieldNow = periodicYield();
  for await (const read of reader.readMany([...byBlob.keys()], { maxSize })) {
    const file = byBlob.get(read.oid);
    if (!file || !('object' in read) || read.object.type !== 'blob') continue;
    const { data } = read.object;
    if (data.subarray(0, sniffed).includes(0)) continue;
    for await (const match of matchesIn(data, search, yieldNow))
      yield { ...secretOf(match), commit: file.commit, path: file.path, blob: read.oid, ...locationOf(match, lineBegins(data)) };
  }
}

/** The secrets in some bytes; between their parts, other work has its turn. */
export async function* matchesIn(
  bytes: Buffer,
  { known, findCustom }: SecretSearch,
  yieldNow: ReturnType<typeof periodicYield>,
): AsyncGenerator<Match> {
  let left = maxFound;
  for (const found of known.scanInParts(bytes, maxFound)) {
    yield* found;
    left -= found.length;
    await yieldNow();
  }
  yield* await findCustom(bytes, left);
}

/** A secret without its place. */
export const secretOf = ({ pattern: { type, name, custom }, secret }: Match): Secret => ({ type, name, custom, secret });

const newline = 10;

/** Where the lines of some bytes begin, looked up once for all secrets of a file. */
const lineBegins = oncePerObject((bytes: Buffer): readonly number[] => {
  const begins = [0];
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) begins.push(at + 1);
  return begins;
});

function locationOf({ start, end }: Match, begins: readonly number[]) {
  const first = lineOf(start, begins);
  const last = lineOf(end - 1, begins);
  return { start_line: first.line, end_line: last.line, start_column: first.column, end_column: last.column };
}

/** The line and column of a byte: of the last line that begins at it or before. */
function lineOf(at: number, begins: readonly number[]): { line: number; column: number } {
  let [low, high] = [0, begins.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((begins[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: at - (begins[low] ?? 0) + 1 };
}
