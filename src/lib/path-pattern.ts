// Patterns of paths and refs, with wildcards. The number of steps is bounded by the product of the lengths of pattern and path,
// for any input.
import { interpreterLimits } from './limits/interpreters.ts';
import { fixedValue } from './limits.ts';
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

/** The remaining number of steps, and the name of their limit. */
export type Steps = { left: number; readonly limit: string };

const maxSteps = fixedValue(interpreterLimits.patternSteps);

/** The steps of matching one pattern with one path. */
const stepsOfMatch = (): Steps => ({ left: maxSteps, limit: 'interpreters.patternSteps' });

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
    steps.left -= 1;
    if (steps.left < 0) throw tooManySteps(steps);
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

const tooManySteps = ({ limit }: Steps): Refusal =>
  new Refusal('invalid', `Matching patterns with paths takes too many steps (${limit})`, [], { limit });

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

/** @throws Refusal 422 if it takes too many steps */
export const matchesPath = (pattern: Pattern, path: Path, steps = stepsOfMatch()): boolean =>
  matches(pattern, path, steps, fitsSegment);

/** An escaped character, a class (which may contain a bracket as its first character), or any other character. */
const tokens = /\\(?<escaped>.)|\[(?<class>[!^]?\]?(?:\\.|[^\]\\])*)\]|(?<plain>.)/gsu;

/**
 * A name with wildcards: `*` matches any characters, `?` any one, `[a-z]` and `[!a-z]` one of a class. A backslash makes the next
 * character literal.
 */
export function segmentOf(text: string): Segment {
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

/** Why a text isn't a valid pattern of `fnmatch`; undefined if it is. */
export function fnmatchProblem(text: string): string | undefined {
  const alternatives = expandBraces(text, maxAlternatives);
  if (!alternatives) return `stands for more than ${maxAlternatives} patterns`;
  const names = alternatives.flatMap((one) => one.split('/'));
  if (names.some((name) => name.replaceAll(tokens, (token) => (token === '[' ? token : '')).includes('[')))
    return 'has a class of characters that does not end';
  return names.some((name) => name === '') ? 'has a name that is empty' : undefined;
}

/**
 * Parses a pattern like the public API's `fnmatch` with `FNM_PATHNAME`: `*`, `?` and classes don't match a slash, `**` before one
 * matches any number of folders, and `{a,b}` matches either.
 */
export const fnmatchOf = (text: string): Fnmatch =>
  (expandBraces(text, maxAlternatives) ?? []).map((alternative) => {
    const names = alternative.split('/');
    return names.map((name, at) => (name === '**' && at < names.length - 1 ? star : segmentOf(name)));
  });

/** @throws Refusal 422 if it takes too many steps */
export function matchesFnmatch(pattern: Fnmatch, path: Path): boolean {
  const steps = stepsOfMatch();
  return pattern.some((alternative) => matchesPath(alternative, path, steps));
}

/**
 * The alternatives that a text with braces expands to; undefined if there are more than `most`. An unmatched brace is literal.
 */
function expandBraces(text: string, most: number): string[] | undefined {
  const braces = outermostBraces(text);
  if (!braces) return [text];
  const all: string[] = [];
  for (const alternative of braces.alternatives) {
    const expanded = expandBraces(braces.before + alternative + braces.after, most - all.length);
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
