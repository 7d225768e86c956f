// What may be a custom pattern: expressions that RE2 knows, that find their own test string, no ordinary text, and that are fast.
// All of that is tried out in a worker thread.
import type { FieldError } from '#lib/refusal.ts';
import { expressionSet, groupFinder, isFarAbove, sizedExpression, wholeExpression } from '#lib/regular-expression.ts';
import {
  acceptanceOf,
  type CustomPattern,
  customScannerOf,
  type Expressions,
  secretGroup,
  wholeOf,
} from '../detection/custom-scanner.ts';

export const resource = 'CustomPattern';

/** Ordinary lines of code and prose. What finds secrets in half of them finds them everywhere. */
const ordinaryLines = [
  'The quick brown fox jumps over the lazy dog.',
  "import { readFile } from 'node:fs/promises';",
  'const total = items.reduce((sum, item) => sum + item.price, 0);',
  '# Getting started',
  '2026-01-15 10:30:00 INFO server started on port 8080',
  '<a href="https://docs.engine.test/index.html">Read more</a>',
  'for (int i = 0; i < 10; i++) {',
  '    return None',
];

/**
 * Instructions of a pattern, and of its further expressions together: each costs memory, and time where an automaton of all grows
 * too large.
 */
const maxSize = 2_500;
/** The least bytes a second of processor time. Usual expressions reach fifty times as much. */
const slowest = 8e6;
const sampleSize = 8_192;
/** Non-ASCII characters have several bytes, and an expression would match each byte by itself. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: bytes of ASCII
const ascii = /^[\x00-\x7f]*$/;

type Wanted = Expressions & { readonly test_string: string | null };

/** Patterns that a request wants, and those that they will be looked for with. */
export type Trial = {
  /** Each with its place in the request, as `patterns.0.`. */
  readonly wanted: readonly { readonly pattern: Wanted; readonly at: string }[];
  readonly others: readonly Expressions[];
  /** The field that names all of them. */
  readonly field: string;
};

/**
 * What is wrong with the first pattern that can't be one: expressions that are unknown to RE2, empty, slow, or find ordinary
 * text, a test string that isn't found, or patterns that are slow together though each by itself isn't.
 */
export function findErrors({ wanted, others, field }: Trial): FieldError[] {
  for (const { pattern, at } of wanted) {
    const errors = expressionErrors(pattern, at);
    if (errors.length > 0) return errors;
    const problem = problemOf(pattern);
    if (problem) return [errorOf(`${at}${problem.field}`, problem.message)];
  }
  const isTooSlow = isSlow([...others, ...wanted.map(({ pattern }) => pattern)]);
  return isTooSlow ? [errorOf(field, `${field} are too slow together with the patterns that exist`)] : [];
}

const errorOf = (field: string, message: string): FieldError => ({ resource, field, code: 'invalid', message });

/** Expressions that are none, by their fields. */
function expressionErrors(
  { expression, start_delimiter, end_delimiter, must_match, must_not_match }: Wanted,
  at: string,
): FieldError[] {
  const fields: [string, string][] = [
    ['pattern', expression],
    ['start_delimiter', start_delimiter],
    ['end_delimiter', end_delimiter],
    ...must_match.map((one, index): [string, string] => [`must_match.${index}`, one]),
    ...must_not_match.map((one, index): [string, string] => [`must_not_match.${index}`, one]),
  ];
  let left = maxSize;
  return fields.flatMap(([field, text]) => {
    const wrong = (message: string): FieldError[] => [errorOf(`${at}${field}`, `${field} ${message}`)];
    if (!ascii.test(text)) return wrong('may hold ASCII characters only');
    const sized = sizedExpression(text, maxSize);
    if (!sized) return wrong('is no regular expression that RE2 knows');
    if (sized === 'too large') return wrong('is too large');
    if (!field.includes('.')) return [];
    left -= sized.size;
    return left < 0 ? wrong('is too large, together with those before it') : [];
  });
}

type Problem = { readonly field: string; readonly message: string };

/** What is wrong with a pattern as a whole. Its expressions are known to be some. */
function problemOf(wanted: Wanted): Problem | undefined {
  const of = (message: string): Problem => ({ field: 'pattern', message });
  if (wholeExpression(wanted.expression)?.('')) return of('pattern matches an empty text');
  if (sizeOf(wanted) > maxSize) return of('pattern is too large');
  const scanner = customScannerOf([{ ...wanted, ...nameless }]);
  const found = ordinaryLines.filter((line) => scanner.scan(Buffer.from(line), 1).length > 0);
  if (2 * found.length >= ordinaryLines.length) return of('pattern matches ordinary text');
  if (isSlow([wanted])) return of('pattern is too slow: it has too many repetitions of what matches much');
  const { test_string } = wanted;
  if (test_string !== null && scanner.scan(Buffer.from(test_string), 1).length === 0)
    return { field: 'test_string', message: 'test_string is not found by the pattern' };
  return undefined;
}

const nameless = { id: 0 as CustomPattern['id'], name: '', slug: '' };

/** Instructions; that of an expression which RE2 can't compile as a part of a whole is beyond every bound. */
function sizeOf(wanted: Expressions): number {
  if (isFarAbove(wholeOf(wanted), maxSize)) return Number.POSITIVE_INFINITY;
  try {
    return groupFinder(wholeOf(wanted), secretGroup).size;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Whether an automaton of patterns is slow at texts of their own characters, whichever these are. A pause of the process isn't
 * it.
 */
function isSlow(patterns: readonly Expressions[]): boolean {
  const matchesIn = expressionSet(patterns.map(wholeOf));
  const alphabet = `${patterns.map(({ expression }) => expression.replace(/\W/g, '')).join('')}abcxyzABC019 _-="\n`;
  matchesIn(sampleOf(alphabet, 1));
  return [2, 3, 4].every((seed) => {
    const text = sampleOf(alphabet, seed);
    const begin = process.threadCpuUsage();
    matchesIn(text);
    const { user, system } = process.threadCpuUsage(begin);
    return (sampleSize * 1e6) / Math.max(1, user + system) < slowest;
  });
}

/** A text of a pseudo-random sequence of characters, the same for the same seed. */
function sampleOf(alphabet: string, seed: number): string {
  let state = seed;
  return Array.from({ length: sampleSize }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return alphabet.charAt((state >>> 8) % alphabet.length);
  }).join('');
}

/** Whether a secret that a pattern once found, without what stands around it, would still be one. */
export function wouldFind(expressions: Expressions): (secret: string) => boolean {
  const isWhole = wholeExpression(expressions.expression) ?? (() => false);
  const accepts = acceptanceOf(expressions);
  return (secret) => isWhole(secret) && accepts(secret);
}
