// Recognizes the same result in successive runs, even if its line moves.

import { createHash } from 'node:crypto';
import { isGitError } from '#git/errors.ts';
import type { ObjectReader } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { pathProblem } from '#git/objects/paths.ts';
import { chunks, grouped } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { periodicYield } from '#lib/turns.ts';
import { codeScanningLimits } from './limits.ts';
import type { ReadResult } from './results.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * What identifies the alert of each result, in order: tool, rule, file and the hash of its line. The hash comes from the tool;
 * otherwise it covers the text of the line, and the number of equal lines before it.
 * @param commit the analysed commit
 */
export async function fingerprintsOf(
  reader: ObjectReader,
  commit: Oid,
  tool: string,
  results: readonly ReadResult[],
): Promise<string[]> {
  const without = results.filter(({ lineHash }) => lineHash === undefined);
  const hashes = await hashLines(reader, commit, without);
  return results.map((result) => {
    const hash = result.lineHash ?? hashes.get(result) ?? `at ${result.startLine}: ${sha256(result.message)}`;
    return sha256(JSON.stringify([tool, result.rule.id, result.path, hash]));
  });
}

/** The number of files that are read at the same time. */
const filesInParallel = 8;

async function hashLines(reader: ObjectReader, commit: Oid, results: readonly ReadResult[]): Promise<Map<ReadResult, string>> {
  const hashes = new Map<ReadResult, string>();
  const byPath = [...grouped(results, ({ path }) => path)];
  let left = fixedValue(codeScanningLimits.sourcesSize);
  for (const some of chunks(byPath, filesInParallel)) {
    const texts = await Promise.all(some.map(([path]) => findText(reader, commit, path)));
    for (const [at, [, all]] of some.entries()) {
      const text = texts[at];
      if (text === undefined) continue;
      left -= text.length;
      if (left < 0) return hashes;
      const lines = await linesOf(text, new Set(all.map(({ startLine }) => startLine)));
      for (const result of all) {
        const hash = lines.get(result.startLine);
        if (hash !== undefined) hashes.set(result, hash);
      }
    }
  }
  return hashes;
}

async function findText(reader: ObjectReader, commit: Oid, path: string): Promise<string | undefined> {
  if (pathProblem(path)) return undefined;
  try {
    const found = await reader.find(commit, { path, maxSize: fixedValue(codeScanningLimits.sourceSize) });
    return found?.type === 'blob' ? found.data.toString('utf8') : undefined;
  } catch (error) {
    if (isGitError(error, 'too-large')) return undefined;
    throw error;
  }
}

/** The hashes of some lines of a text, by line number, starting at 1. */
export async function linesOf(text: string, wanted: ReadonlySet<number>): Promise<Map<number, string>> {
  const last = wanted.size === 0 ? 0 : [...wanted].reduce((most, number) => Math.max(most, number));
  // Only lines that equal a wanted one need to be counted.
  const seen = new Map<string, number>();
  for await (const [number, key] of keysOfLines(text, last)) if (wanted.has(number)) seen.set(key, 0);
  const hashes = new Map<number, string>();
  for await (const [number, key] of keysOfLines(text, last)) {
    const before = seen.get(key);
    if (before === undefined) continue;
    seen.set(key, before + 1);
    if (wanted.has(number)) hashes.set(number, `${sha256(key).slice(0, 16)}:${before + 1}`);
  }
  return hashes;
}

/** The first lines of a text without white space, with their numbers, starting at 1. It yields to the event loop. */
async function* keysOfLines(text: string, last: number): AsyncGenerator<[number, string]> {
  const yieldNow = periodicYield();
  let at = 0;
  for (let number = 1; number <= last && at <= text.length; number++) {
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end;
    yield [number, text.slice(at, next).replace(/\s+/g, '')];
    at = next + 1;
    await yieldNow();
  }
}
