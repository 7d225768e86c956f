// Finds secrets of custom patterns in bytes. One automaton of all of them says in one pass which match in a part of a file; only
// there, the places are looked for. It runs in a worker thread, since a file of 40 KB can take a minute: the time of RE2 grows
// with the text and with the patterns.

import { LRUCache } from 'lru-cache';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import {
  estimatedSize,
  expressionSet,
  type GroupFinder,
  groupFinder,
  regularExpression,
  type TextTest,
} from '#lib/regular-expression.ts';
import { secretScanningLimits } from '../limits.ts';
import { type Match, type Scanner, scannerInParts } from './scanner.ts';

/** What decides what a custom pattern finds: regular expressions of RE2, whose text are bytes. */
export type Expressions = {
  readonly expression: string;
  readonly start_delimiter: string;
  readonly end_delimiter: string;
  readonly must_match: readonly string[];
  readonly must_not_match: readonly string[];
};

export type CustomPattern = Expressions & {
  readonly id: Id<'secret_patterns'>;
  readonly name: string;
  /** `secret_type` of its alerts. */
  readonly slug: string;
};

/** The name of the group that the secret is. */
export const secretGroup = 'hearth_secret';

/** The whole of a pattern: the secret is a group, between its delimiters. */
export const wholeOf = ({ expression, start_delimiter, end_delimiter }: Expressions): string =>
  `(?:${start_delimiter})(?P<${secretGroup}>${expression})(?:${end_delimiter})`;

const maxLength = fixedValue(secretScanningLimits.customLength);
/** Bytes that are looked at together, with what stands before and after them. */
const partSize = 16_384;
const before = 64;
const after = 2 * maxLength;
/** Matches of one file that are looked at, those that are no secrets too. */
const maxCandidates = 400;

type Compiled = { readonly pattern: CustomPattern; readonly finder: GroupFinder; readonly accepts: TextTest };

/** Whether what a pattern found is a secret of it, by its further expressions. */
export function acceptanceOf({ must_match, must_not_match }: Expressions): TextTest {
  const [wanted, unwanted] = [must_match.map(testOf), must_not_match.map(testOf)];
  return (secret) => wanted.every((test) => test(secret)) && !unwanted.some((test) => test(secret));
}

function testOf(expression: string): TextTest {
  const test = regularExpression(expression);
  if (!test) throw new Error('An expression of a custom pattern is stored that RE2 does not know');
  return test;
}

/** A scanner of custom patterns. Building one takes about a millisecond for each. */
export function customScannerOf(patterns: readonly CustomPattern[]): Scanner {
  const compiled: Compiled[] = patterns.map((pattern) => ({
    pattern,
    finder: groupFinder(wholeOf(pattern), secretGroup),
    accepts: acceptanceOf(pattern),
  }));
  const matchesIn = expressionSet(patterns.map(wholeOf));
  return scannerInParts(function* (bytes, limit) {
    const budget = { candidates: maxCandidates };
    let left = limit;
    for (let from = 0; from < bytes.length && left > 0 && budget.candidates > 0; from += partSize) {
      const part = partOf(bytes, from);
      const found = matchesIn(part.text).flatMap((index) => {
        const one = compiled[index];
        return one ? [...matchesOf(one, part, budget)] : [];
      });
      yield found.slice(0, left);
      left -= found.length;
    }
  });
}

/** A part of a file: its text, which is longer at both ends, with where it begins and which places in it count. */
type Part = {
  readonly text: string;
  readonly offset: number;
  readonly first: number;
  readonly end: number;
  readonly isLast: boolean;
};

function partOf(bytes: Buffer, from: number): Part {
  const offset = Math.max(0, from - before);
  const to = Math.min(bytes.length, from + partSize + after);
  const text = bytes.toString('latin1', offset, to);
  return { text, offset, first: from - offset, end: from - offset + partSize, isLast: to === bytes.length };
}

function* matchesOf({ pattern, finder, accepts }: Compiled, part: Part, budget: { candidates: number }): Generator<Match> {
  const { text, offset, first, end, isLast } = part;
  let at = 0;
  while (budget.candidates > 0) {
    const span = finder.find(text, at);
    if (!span || span.start >= end) return;
    // What one match ends with, the next one may begin with.
    at = Math.max(span.end, at + 1);
    if (span.start < first) continue;
    budget.candidates--;
    const isCut = span.end === text.length && !isLast;
    const secret = text.slice(span.start, span.end);
    if (secret.length === 0 || secret.length > maxLength || isCut || !accepts(secret)) continue;
    yield {
      pattern: { type: pattern.slug, name: pattern.name, custom: pattern.id },
      secret,
      start: offset + span.start,
      end: offset + span.end,
    };
  }
}

/** The instructions of everything that a pattern consists of, without compiling it. */
export const sizeOfPattern = (pattern: Expressions): number =>
  [wholeOf(pattern), ...pattern.must_match, ...pattern.must_not_match].reduce((sum, one) => sum + estimatedSize(one), 0);

export const sizeOfPatterns = (patterns: readonly Expressions[]): number =>
  patterns.reduce((sum, pattern) => sum + sizeOfPattern(pattern), 0);

/** The most instructions of scanners that a thread keeps: each takes about a kilobyte. */
const maxKept = 4 * fixedValue(secretScanningLimits.customSize);

const scanners = new LRUCache<string, { scanner: Scanner; size: number }>({
  maxSize: maxKept,
  sizeCalculation: ({ size }) => size,
});

/** A scanner of custom patterns, which is built once for as long as it is used. */
function scannerOfCustom(patterns: readonly CustomPattern[]): Scanner {
  const key = JSON.stringify(patterns);
  const known = scanners.get(key);
  if (known) return known.scanner;
  const scanner = customScannerOf(patterns);
  scanners.set(key, { scanner, size: sizeOfPatterns(patterns) + 1 });
  return scanner;
}

type CustomScan = { readonly patterns: readonly CustomPattern[]; readonly bytes: Uint8Array; readonly limit: number };

/** The secrets of custom patterns in some bytes, up to a limit. */
export const scanCustom = ({ patterns, bytes, limit }: CustomScan): Match[] =>
  scannerOfCustom(patterns).scan(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), limit);
