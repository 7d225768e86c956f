// One pattern of a filter. Matching takes at most two steps for each part of the pattern and each character of the name.
import { holdsText } from './text-search.ts';

type Range = readonly [from: number, to: number];

/** A part of a pattern: the characters that it matches, and how many. */
type Part = {
  readonly ranges: readonly Range[] | 'all' | 'but slashes';
  readonly least: 0 | 1;
  readonly most: 1 | 'any number';
  /** `**` before a slash: nothing, or any text that ends with a slash. */
  readonly isFolders?: true;
};

/** A compiled pattern. */
export type NamePattern = {
  /** The beginning and end of every matching name. Without `parts`, `begin` is the whole name. */
  readonly begin: string;
  readonly end: string;
  /** The longest literal text that every matching name contains. */
  readonly within?: string;
  readonly parts?: readonly Part[];
};

/** The remaining number of steps. */
export type Steps = { left: number };

const slash = 0x2f;
const codeOf = (character: string): number => character.codePointAt(0) ?? 0;

const token =
  /(?<folders>(?<=^|\/)\*\*\/)|(?<any>\*\*)|(?<some>\*)|(?<repeat>[?+])|(?<class>\[[\w-]+\])|\\(?<escaped>.)|(?<plain>.)/gsu;

/**
 * Compiles a pattern: `*` matches characters except `/`, and `**` any characters. `?` and `+` make the previous character
 * optional or repeatable (the public API's rule). Undefined for an invalid pattern, which matches nothing.
 */
export function compilePattern(text: string): NamePattern | undefined {
  const parts: Part[] = [];
  let isRepeated = false;
  for (const { groups = {}, index } of text.matchAll(token)) {
    const { folders, any, some, repeat, class: characters, escaped, plain = '' } = groups;
    const last = parts.at(-1);
    if (repeat && index > 0 && last) {
      if (isRepeated && repeat === '+') return undefined;
      if (!isRepeated) parts[parts.length - 1] = repeat === '?' ? { ...last, least: 0 } : { ...last, most: 'any number' };
      isRepeated = true;
      continue;
    }
    isRepeated = Boolean(folders ?? any ?? some);
    if (folders) parts.push({ ranges: 'all', least: 0, most: 'any number', isFolders: true });
    else if (any || some) parts.push({ ranges: any ? 'all' : 'but slashes', least: 0, most: 'any number' });
    else {
      const ranges = characters ? rangesOf(characters) : [rangeOf(escaped ?? repeat ?? plain)];
      if (!ranges) return undefined;
      parts.push({ ranges, least: 1, most: 1 });
    }
  }
  return withEnds(parts);
}

function rangeOf(character: string, last = character): Range {
  return [codeOf(character), codeOf(last)];
}

/** The ranges of a class such as `[a-z_]`; undefined if a range ends before it begins. */
function rangesOf(text: string): Range[] | undefined {
  const ranges = [...text.slice(1, -1).matchAll(/(.)-(.)|(.)/gsu)].map(([, from, to, single]) =>
    rangeOf(from ?? single ?? '', to ?? single),
  );
  return ranges.every(([from, to]) => from <= to) ? mergeRanges(ranges) : undefined;
}

/**
 * The same characters in as few ranges as possible, so that a class that repeats a character costs no more than one that doesn't.
 */
function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last && from <= last[1] + 1) merged[merged.length - 1] = [last[0], Math.max(last[1], to)];
    else merged.push([from, to]);
  }
  return merged;
}

/** The only character that a part matches. */
function characterOf({ ranges, least, most }: Part): string | undefined {
  const [range] = ranges;
  if (least === 0 || most !== 1 || ranges.length > 1 || typeof range !== 'object' || range[0] !== range[1]) return undefined;
  return String.fromCodePoint(range[0]);
}

function withEnds(parts: readonly Part[]): NamePattern {
  const characters = parts.map(characterOf);
  const first = characters.indexOf(undefined);
  if (first < 0) return { begin: characters.join(''), end: '' };
  const last = characters.lastIndexOf(undefined);
  return {
    begin: characters.slice(0, first).join(''),
    end: characters.slice(last + 1).join(''),
    within: longestRun(characters.slice(first, last + 1)),
    parts: parts.slice(first, last + 1),
  };
}

function longestRun(characters: readonly (string | undefined)[]): string {
  let [longest, run] = ['', ''];
  for (const character of characters) {
    run = character === undefined ? '' : run + character;
    if (run.length > longest.length) longest = run;
  }
  return longest;
}

function isIn(ranges: Part['ranges'], code: number): boolean {
  if (ranges === 'all') return true;
  if (ranges === 'but slashes') return code !== slash;
  for (const [from, to] of ranges) if (from <= code && code <= to) return true;
  return false;
}

/** The states at one position of a text: twice the index of the next part, plus one if that part has begun. */
type Front = {
  readonly parts: readonly Part[];
  /** The position at which each state was last reached. */
  readonly reached: Int32Array;
  position: number;
  states: Int32Array;
  count: number;
};

/** Adds a state, and the states that follow it without a character. */
function reach(front: Front, to: number): void {
  const { parts, reached, position, states } = front;
  for (let state = to; reached[state] !== position; state += 2 - (state % 2)) {
    reached[state] = position;
    states[front.count++] = state;
    const part = parts[state >> 1];
    if (!part || (state % 2 === 0 ? part.least === 1 : part.isFolders)) return;
  }
}

/**
 * Whether a whole name matches. It follows all possible matches in parallel (Thompson's method), so that no name is read twice.
 * @returns undefined if there weren't enough steps
 */
export function matchesPattern(pattern: NamePattern, name: string, steps: Steps): boolean | undefined {
  const { begin, end, within = '', parts } = pattern;
  steps.left -= 1;
  if (!parts) return name === begin;
  if (name.length < begin.length + end.length || !name.startsWith(begin) || !name.endsWith(end)) return false;
  const middle = name.slice(begin.length, name.length - end.length);
  return holdsText(middle, within) && follow(parts, middle, steps);
}

function follow(parts: readonly Part[], text: string, steps: Steps): boolean | undefined {
  const final = 2 * parts.length;
  const [reached, states] = [new Int32Array(final + 1), new Int32Array(final + 1)];
  const front: Front = { parts, reached, position: 1, states, count: 0 };
  let spare: Int32Array = new Int32Array(final + 1);
  reach(front, 0);
  for (const character of text) {
    const { states: before, count } = front;
    steps.left -= count;
    if (steps.left < 0) return undefined;
    [front.states, spare] = [spare, before];
    front.count = 0;
    front.position += 1;
    const code = codeOf(character);
    for (let at = 0; at < count; at++) {
      const state = before[at] ?? final;
      const part = parts[state >> 1];
      if (!part || !isIn(part.ranges, code)) continue;
      if (part.most === 'any number') reach(front, state | 1);
      if (part.most === 1 || (part.isFolders && code === slash)) reach(front, (state | 1) + 1);
    }
    if (front.count === 0) return false;
  }
  return reached[final] === front.position;
}
