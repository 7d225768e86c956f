// Patterns of paths and refs, with wildcards. The number of steps is bounded by the product of the lengths of pattern and path,
// for any input.
import { interpreterLimits } from './limits/interpreters.ts';
import { fixedValue } from './limits.ts';
import type { Steps } from './pattern-steps.ts';
import { Refusal } from './refusal.ts';

/** Matches any number of characters, or of folders. */
export const star = Symbol('star');
type Starred<Part> = readonly (Part | typeof star)[];

/** Matches any one character. */
const one = Symbol('one');

/** Matches one of a set of characters, or any other character if negated. Ranges are by code point. */
type CharacterClass = { readonly isNegated: boolean; readonly ranges: readonly (readonly [from: string, to: string])[] };

/** A folder or file name: literal, or with wildcards. */
export type Segment = string | Starred<string | typeof one | CharacterClass>;

export type Pattern = Starred<Segment>;

const maxSteps = fixedValue(interpreterLimits.patternSteps);

/** Takes the steps of matching one pattern with one path from those of the whole work. */
function matchWithin(work: Steps, match: (steps: Steps) => boolean): boolean {
  const most = Math.min(maxSteps, work.left);
  const steps = { left: most, limit: most < maxSteps ? work.limit : 'interpreters.patternSteps' };
  try {
    return match(steps);
  } finally {
    work.left -= most - Math.max(0, steps.left);
  }
}

/**
 * Whether parts match items one by one, where a star matches any number of items. Only the latest star is tried again, since an
 * earlier one couldn't match any items that the later one can't.
 */
function matches<Part, Item>(
  parts: Starred<Part>,
  items: readonly Item[],
  steps: Steps,
  fits: (part: Part, item: Item, steps: Steps) => boolean,
): boolean {
  let [part, item] = [0, 0];
  let again: { part: number; item: number } | undefined;
  while (item < items.length) {
    take(steps, 1);
    const wanted = parts[part];
    if (wanted === star) {
      part += 1;
      again = { part, item };
    } else if (part < parts.length && fits(wanted as Part, items[item] as Item, steps)) {
      part += 1;
      item += 1;
    } else if (again) {
      again.item += 1;
      ({ part, item } = again);
    } else return false;
  }
  while (parts[part] === star) part += 1;
  return part === parts.length;
}

/** @throws Refusal 413 if too few steps are left */
function take(steps: Steps, count: number): void {
  steps.left -= count;
  if (steps.left < 0) throw tooManySteps(steps);
}

const tooManySteps = ({ limit }: Steps): Refusal =>
  new Refusal('too_large', `Matching patterns with paths takes too many steps (${limit})`, [], { limit });

/** A path prepared for matching: its names, and the characters of each. */
export type Path = readonly { readonly name: string; readonly characters: readonly string[] }[];

export const pathOf = (path: string): Path => path.split('/').map((name) => ({ name, characters: [...name] }));

function fitsCharacter(wanted: string | typeof one | CharacterClass, found: string): boolean {
  if (wanted === one) return true;
  if (typeof wanted === 'string') return wanted === found;
  const point = found.codePointAt(0) ?? 0;
  const isIn = wanted.ranges.some(([from, to]) => (from.codePointAt(0) ?? 0) <= point && point <= (to.codePointAt(0) ?? 0));
  return isIn !== wanted.isNegated;
}

const fitsSegment = (segment: Segment, { name, characters }: Path[number], steps: Steps): boolean =>
  typeof segment === 'string' ? segment === name : matches(segment, characters, steps, fitsCharacter);

/** @throws Refusal 413 if it takes too many steps */
export const matchesPath = (pattern: Pattern, path: Path, steps: Steps): boolean => matches(pattern, path, steps, fitsSegment);

/** The same for one of several patterns. `work`: the steps of all of them. @throws Refusal 413 if it takes too many steps */
export const matchesPathWithin = (pattern: Pattern, path: Path, work: Steps): boolean =>
  matchWithin(work, (steps) => matchesPath(pattern, path, steps));

/** An escaped character, a class (which may contain a bracket as its first character), or any other character. */
const tokens = /\\(?<escaped>.)|\[(?<class>[!^]?\]?(?:\\.|[^\]\\])*)\]|(?<plain>.)/gsu;

/** What makes a name more than its characters. */
const special = /[\\[*?]/;

/**
 * A name with wildcards: `*` matches any characters, `?` any one, `[a-z]` and `[!a-z]` one of a class. A backslash makes the next
 * character literal.
 */
export function segmentOf(text: string): Segment {
  if (!special.test(text)) return text;
  const parts = [...text.matchAll(tokens)].map(({ groups: { escaped, class: characters, plain } = {} }) => {
    if (escaped !== undefined) return escaped;
    if (characters !== undefined) return classOf(characters);
    return plain === '*' ? star : plain === '?' ? one : (plain ?? '');
  });
  return parts.every((part) => typeof part === 'string') ? parts.join('') : parts;
}

function classOf(text: string): CharacterClass {
  const isNegated = /^[!^]/.test(text);
  const ranges = [...text.slice(isNegated ? 1 : 0).matchAll(/(?<from>\\?.)(?:-(?<to>\\?.))?/gsu)].map(({ groups = {} }) => {
    const from = bare(groups.from ?? '');
    return [from, groups.to === undefined ? from : bare(groups.to)] as const;
  });
  return { isNegated, ranges };
}

const bare = (character: string): string => (character.length > 1 && character.startsWith('\\') ? character.slice(1) : character);

/** The maximum number of alternatives that braces in a pattern may expand to. */
const maxAlternatives = 100;

/** A pattern of `fnmatch`: it matches if any of these matches. */
export type Fnmatch = readonly Pattern[];

/** How many steps of matching take the time of reading one character of a name with wildcards. */
const stepsPerCharacter = 20;

const stepsToRead = (name: string): number => (special.test(name) ? name.length * stepsPerCharacter : name.length);

/**
 * The alternatives that a text stands for; undefined if there are too many. Reading them takes steps.
 * @throws Refusal 413 if too few are left
 */
function alternativesOf(text: string, work: Steps): string[] | undefined {
  const alternatives = expandBraces(text, maxAlternatives, work);
  for (const alternative of alternatives ?? []) for (const name of alternative.split('/')) take(work, stepsToRead(name));
  return alternatives;
}

/**
 * Why a text isn't a valid pattern of `fnmatch`; undefined if it is. `work`: the steps of checking all patterns of a request.
 * @throws Refusal 413 if it takes too many steps
 */
export function fnmatchProblem(text: string, work: Steps): string | undefined {
  const alternatives = alternativesOf(text, work);
  if (!alternatives) return `stands for more than ${maxAlternatives} patterns`;
  const names = alternatives.flatMap((one) => one.split('/'));
  if (names.some((name) => name.replaceAll(tokens, (token) => (token === '[' ? token : '')).includes('[')))
    return 'has a class of characters that does not end';
  return names.some((name) => name === '') ? 'has a name that is empty' : undefined;
}

/**
 * Parses a pattern like the public API's `fnmatch` with `FNM_PATHNAME`: `*`, `?` and classes don't match a slash, `**` before one
 * matches any number of folders, and `{a,b}` matches either. `work`: the steps of all patterns that are read together.
 * @throws Refusal 413 if it takes too many steps
 */
export const fnmatchOf = (text: string, work: Steps): Fnmatch =>
  (alternativesOf(text, work) ?? []).map((alternative) => {
    const names = alternative.split('/');
    return names.map((name, at) => (name === '**' && at < names.length - 1 ? star : segmentOf(name)));
  });

/** Parses the patterns of a list. @throws Refusal 413 if it takes too many steps */
export const fnmatchesOf = (texts: readonly string[], work: Steps): Fnmatch[] => texts.map((text) => fnmatchOf(text, work));

/** `work`: the steps of all patterns that are matched together. @throws Refusal 413 if it takes too many steps */
export const matchesFnmatch = (pattern: Fnmatch, path: Path, work: Steps): boolean =>
  matchWithin(work, (steps) => pattern.some((alternative) => matchesPath(alternative, path, steps)));

/**
 * The alternatives that a text with braces expands to; undefined if there are more than `most`. An unmatched brace is literal.
 */
function expandBraces(text: string, most: number, work: Steps): string[] | undefined {
  take(work, text.length);
  const braces = outermostBraces(text);
  if (!braces) return [text];
  const all: string[] = [];
  for (const alternative of braces.alternatives) {
    const expanded = expandBraces(braces.before + alternative + braces.after, most - all.length, work);
    if (!expanded || all.length + expanded.length > most) return undefined;
    all.push(...expanded);
  }
  return all;
}

/** The first braces of a text, with the text around them. */
function outermostBraces(text: string): { before: string; alternatives: string[]; after: string } | undefined {
  let depth = 0;
  let begin = 0;
  const ends: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (character === '{') {
      if (depth === 0) begin = at;
      depth += 1;
    } else if (character === ',' && depth === 1) ends.push(at);
    else if (character === '}' && depth > 0) {
      depth -= 1;
      if (depth > 0) continue;
      const bounds = [begin, ...ends, at];
      const alternatives = bounds.slice(1).map((end, index) => text.slice((bounds[index] ?? 0) + 1, end));
      return { before: text.slice(0, begin), alternatives, after: text.slice(at + 1) };
    }
  }
  return undefined;
}
