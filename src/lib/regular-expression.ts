import { RE2JS, RE2Set } from 're2js';

/**
 * Whether a regular expression matches somewhere in a text. RE2 matches it in linear time, regardless of the expression (security
 * decision 10).
 */
export type TextTest = (text: string) => boolean;

/** The test of a regular expression; undefined if RE2 doesn't accept it. */
export function regularExpression(expression: string): TextTest | undefined {
  try {
    const compiled = RE2JS.compile(expression);
    return (text) => compiled.matcher(text).find();
  } catch {
    return undefined;
  }
}

/** Tests whether a regular expression matches an entire text; undefined if RE2 doesn't accept it. */
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
 * The approximate number of a regular expression's instructions, without compiling it. RE2 expands repetitions before its size is
 * known, and a thousand characters can make a hundred thousand instructions. Each character and each class counts one, and each
 * group two, multiplied by its repetitions.
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

/**
 * A test of a regular expression, and the number of its instructions. Together with a text's length, that bounds the time of a
 * test.
 */
type SizedTest = { readonly size: number; readonly test: TextTest };

/** The estimate may be too high. Above this multiple of a bound, the expression certainly exceeds the bound. */
const margin = 4;

/** Whether a regular expression has far more than `most` instructions, so that it shouldn't even be compiled. */
export const isFarAbove = (expression: string, most: number): boolean => estimatedSize(expression) > margin * most;

/**
 * The test of a regular expression with its size; undefined if RE2 doesn't accept it. If its size is far above `most`, there is
 * no test.
 */
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
 * Finds where a group of this name matches, at or after `from`, with the text before `from` as context. `size` is the number of
 * the expression's instructions.
 */
export type GroupFinder = { readonly size: number; find(text: string, from: number): Span | undefined };

/** @throws if RE2 doesn't accept the expression, or it has no such group */
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

/** Finds which of some expressions match somewhere in a text, in one pass. The result has their indexes in the list. */
export function expressionSet(expressions: readonly string[]): (text: string) => readonly number[] {
  const set = new RE2Set();
  for (const expression of expressions) set.add(expression);
  return (text) => set.match(text);
}
