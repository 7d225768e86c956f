// Patterns of paths in files of code owners. They are matched in steps that grow with pattern times path, whatever is written in them.

/** What stands for any number of characters, or of folders. */
const star = Symbol('star');
type Starred<Part> = readonly (Part | typeof star)[];

/** What stands for any one character. */
const one = Symbol('one');

/** A folder or file name: as it is, or with wildcards. */
type Segment = string | Starred<string | typeof one>;

export type Pattern = Starred<Segment>;

/**
 * Whether parts match items one by one, where a star stands for any number of items. Only the last star that was passed is tried again:
 * an earlier one could take no items that the later one can't.
 */
function matches<Part, Item>(parts: Starred<Part>, items: readonly Item[], fits: (part: Part, item: Item) => boolean): boolean {
  let [part, item] = [0, 0];
  let again: { part: number; item: number } | undefined;
  while (item < items.length) {
    const wanted = parts[part];
    if (wanted === star) {
      part += 1;
      again = { part, item };
    } else if (part < parts.length && fits(wanted as Part, items[item] as Item)) {
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

/** A path as it is matched: its names, and the characters of each. */
export type Path = readonly { readonly name: string; readonly characters: readonly string[] }[];

export const pathOf = (path: string): Path => path.split('/').map((name) => ({ name, characters: [...name] }));

const fitsSegment = (segment: Segment, { name, characters }: Path[number]): boolean =>
  typeof segment === 'string'
    ? segment === name
    : matches(segment, characters, (wanted, found) => wanted === one || wanted === found);

export const matchesPath = (pattern: Pattern, path: Path): boolean => matches(pattern, path, fitsSegment);

/** A name with wildcards; a backslash takes the meaning from the next character, so that it is compared as it is. */
function segmentOf(text: string): Segment {
  const parts = [...text.matchAll(/\\(.)|(.)/gsu)].map(([, escaped, plain]) => {
    if (escaped !== undefined) return escaped;
    return plain === '*' ? star : plain === '?' ? one : (plain ?? '');
  });
  return parts.every((part) => typeof part === 'string') ? parts.join('') : parts;
}

/** Why a pattern can't be used; undefined for one that can. */
export function patternProblem(text: string): { suggestion: string | null } | undefined {
  if (text.startsWith('!') || text.startsWith('\\#') || /[[\]]/.test(text)) return { suggestion: null };
  if (/(?<!\\)\*{3}/.test(text)) return { suggestion: `Did you mean ${text.replaceAll(/\*{3,}/g, '**')}?` };
  return /^\/*$/.test(text) ? { suggestion: null } : undefined;
}

/**
 * A pattern as in gitignore: without a slash before its end, it matches at any depth, otherwise from the root; a folder stands for all
 * below it. Other than there, `*` as the last part matches files alone.
 */
export function patternOf(text: string): Pattern {
  const isFolder = text.endsWith('/');
  const bare = text.replace(/^\/+|\/+$/g, '');
  const isAnchored = text.startsWith('/') || bare.includes('/');
  const names = bare.split(/\/+/);
  const last = names.at(-1);
  const named = last === '**' ? names.slice(0, -1) : names;
  const segments = named.map((name) => (name === '**' ? star : segmentOf(name)));
  const oneOrMore = [[star], star] as const;
  const below = isFolder || last === '**' ? oneOrMore : last === '*' ? [] : [star];
  return [...(isAnchored ? [] : [star]), ...segments, ...below] as Pattern;
}
