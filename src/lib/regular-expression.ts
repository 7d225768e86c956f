import { RE2JS, RE2Set } from 're2js';

/**
 * Whether a regular expression matches somewhere in a text. It is matched by RE2, in a time that is linear in the text, whatever is written
 * in it (security decision 10).
 */
export type TextTest = (text: string) => boolean;

/** The test of a regular expression; undefined where RE2 knows none such. */
export function regularExpression(expression: string): TextTest | undefined {
  try {
    const compiled = RE2JS.compile(expression);
    return (text) => compiled.matcher(text).find();
  } catch {
    return undefined;
  }
}

/** The test whether a regular expression matches a whole text; undefined where RE2 knows none such. */
export function wholeExpression(expression: string): TextTest | undefined {
  try {
    const compiled = RE2JS.compile(expression);
    return (text) => compiled.testExact(text);
  } catch {
    return undefined;
  }
}

const parts =
  /(?<open>\((?:\?(?:P?<\w*>|[a-zA-Z-]*:))?)|(?<close>\))|\{(?<least>\d+)(?:,(?<most>\d*))?\}|\\(?:[pPx]\{[^{}]*\}|.)|\[(?:\\.|[^\\\]])*\]|./gsu;

/**
 * About how many instructions a regular expression makes, without compiling it: RE2 writes out what is repeated before its size is known,
 * and a thousand characters make a hundred thousand of them. Each character and each class is one, and each group two, as often as it is repeated.
 */
export function estimatedSize(expression: string): number {
  const groups: { size: number; last: number }[] = [{ size: 0, last: 0 }];
  for (const { groups: { open, close, least, most } = {} } of expression.matchAll(parts)) {
    if (open !== undefined) {
      groups.push({ size: 0, last: 0 });
      continue;
    }
    const inner = close !== undefined && groups.length > 1 ? groups.pop() : undefined;
    const group = groups[groups.length - 1];
    if (!group) break;
    if (least === undefined) group.last = inner ? inner.size + 2 : 1;
    group.size += group.last * (least === undefined ? 1 : Math.max(Number(least), Number(most ?? 0)) - 1);
  }
  return groups.reduce((sum, { size }) => sum + size, 0);
}

/** A test of a regular expression, and the number of its instructions: with the length of a text, they tell what a test of it may take. */
type SizedTest = { readonly size: number; readonly test: TextTest };

/** An estimate may be too high: what is above this many times a bound is beyond it. */
const margin = 4;

/** Whether a regular expression has far more than `most` instructions, so that it isn't even compiled. */
export const isFarAbove = (expression: string, most: number): boolean => estimatedSize(expression) > margin * most;

/** The test of a regular expression with its size; undefined where RE2 knows none such. One that is far above `most` has no test. */
export function sizedExpression(expression: string, most: number): SizedTest | 'too large' | undefined {
  if (isFarAbove(expression, most)) return 'too large';
  try {
    const compiled = RE2JS.compile(expression);
    return { size: compiled.programSize(), test: (text) => compiled.matcher(text).find() };
  } catch {
    return undefined;
  }
}

type Span = { readonly start: number; readonly end: number };

/**
 * Finds where a group of this name matches, at `from` or after it, with what stands before `from` as its context. `size` is the number of
 * instructions that the expression has.
 */
export type GroupFinder = { readonly size: number; find(text: string, from: number): Span | undefined };

/** @throws where RE2 knows no such expression, or it has no such group */
export function groupFinder(expression: string, group: string): GroupFinder {
  const compiled = RE2JS.compile(expression);
  return {
    size: compiled.programSize(),
    find(text, from) {
      const matcher = compiled.matcher(text);
      return matcher.find(from) ? { start: matcher.start(group), end: matcher.end(group) } : undefined;
    },
  };
}

/** Tells which of some expressions, by their places in the list, match somewhere in a text: all of them in one pass. */
export function expressionSet(expressions: readonly string[]): (text: string) => readonly number[] {
  const set = new RE2Set();
  for (const expression of expressions) set.add(expression);
  return (text) => set.match(text);
}
