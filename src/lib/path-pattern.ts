// Patterns of paths and of refs, with wildcards. They are matched in steps that grow with pattern times path, whatever is written
// in them.
import { interpreterLimits } from './limits/interpreters.ts';
import { fixedValue } from './limits.ts';
import { Refusal } from './refusal.ts';

/** What stands for any number of characters, or of folders. */
export const star = Symbol('star');
type Starred<Part> = readonly (Part | typeof star)[];

/** What stands for any one character. */
const one = Symbol('one');

/** One of a set of characters, or of all others; ranges are by code point. */
type CharacterClass = { readonly isNegated: boolean; readonly ranges: readonly (readonly [from: string, to: string])[] };

/** A folder or file name: as it is, or with wildcards. */
export type Segment = string | Starred<string | typeof one | CharacterClass>;

export type Pattern = Starred<Segment>;

/** How many more steps may be taken, and the name of the limit that says so. */
export type Steps = { left: number; readonly limit: string };

const maxSteps = fixedValue(interpreterLimits.patternSteps);

/** The steps of matching one pattern with one path. */
const stepsOfMatch = (): Steps => ({ left: maxSteps, limit: 'interpreters.patternSteps' });

/**
 * Whether parts match items one by one, where a star stands for any number of items. Only the last star that was passed is tried
 * again: an earlier one could take no items that the later one can't.
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

/** A path as it is matched: its names, and the characters of each. */
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

/** An escaped character, a class (of which a bracket right at its beginning is a part), or any other character. */
const tokens = /\\(?<escaped>.)|\[(?<class>[!^]?\]?(?:\\.|[^\]\\])*)\]|(?<plain>.)/gsu;

/**
 * A name with wildcards: `*` stands for any characters, `?` for one, `[a-z]` and `[!a-z]` for one of a class. A backslash takes
 * the meaning from the next character, so that it is compared as it is.
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

/** The number of patterns that the braces of one may stand for. */
const maxAlternatives = 100;

/** A pattern of `fnmatch`: it matches what any of these do. */
export type Fnmatch = readonly Pattern[];

/** Why a text can't be a pattern of `fnmatch`; undefined if it can. */
export function fnmatchProblem(text: string): string | undefined {
  const alternatives = expandBraces(text, maxAlternatives);
  if (!alternatives) return `stands for more than ${maxAlternatives} patterns`;
  const names = alternatives.flatMap((one) => one.split('/'));
  if (names.some((name) => name.replaceAll(tokens, (token) => (token === '[' ? token : '')).includes('[')))
    return 'has a class of characters that does not end';
  return names.some((name) => name === '') ? 'has a name that is empty' : undefined;
}

/**
 * A pattern as the public API's `fnmatch` with `FNM_PATHNAME` reads it: `*`, `?` and classes don't match a slash, `**` before one
 * stands for any number of folders, and `{a,b}` for either.
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
 * The texts that a text with braces stands for; undefined if there are more than `most`. A brace without its other is itself.
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

/** The first braces of a text, with what stands around them. */
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
