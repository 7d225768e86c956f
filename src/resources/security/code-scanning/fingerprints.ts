// What tells one result from another in runs that come after each other, though lines move.

import { createHash } from 'node:crypto';
import { isGitError } from '#git/errors.ts';
import type { ObjectReader } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { pathProblem } from '#git/objects/paths.ts';
import { chunks, grouped } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { codeScanningLimits } from './limits.ts';
import type { ReadResult } from './results.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * What names the alert of each result, in their order: tool, rule, file and the hash of its line. The hash is the tool's; where it gives
 * none, it is that of the text of the line, and how many lines before it are equal.
 * @param commit the commit that was analysed
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

/** Files that are read at the same time. */
const filesInParallel = 8;

async function hashLines(reader: ObjectReader, commit: Oid, results: readonly ReadResult[]): Promise<Map<ReadResult, string>> {
  const hashes = new Map<ReadResult, string>();
  const byPath = [...grouped(results, ({ path }) => path)];
  for (const some of chunks(byPath, filesInParallel))
    await Promise.all(
      some.map(async ([path, all]) => {
        const text = await findText(reader, commit, path);
        if (text === undefined) return;
        const lines = linesOf(text, new Set(all.map(({ startLine }) => startLine)));
        for (const result of all) {
          const hash = lines.get(result.startLine);
          if (hash !== undefined) hashes.set(result, hash);
        }
      }),
    );
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

/** The hashes of some lines of a text, by their numbers from 1. */
export function linesOf(text: string, wanted: ReadonlySet<number>): Map<number, string> {
  const seen = new Map<string, number>();
  const hashes = new Map<number, string>();
  for (const [at, line] of text.split('\n').entries()) {
    const key = line.replace(/\s+/g, '');
    const number = (seen.get(key) ?? 0) + 1;
    seen.set(key, number);
    if (wanted.has(at + 1)) hashes.set(at + 1, `${sha256(key).slice(0, 16)}:${number}`);
  }
  return hashes;
}
