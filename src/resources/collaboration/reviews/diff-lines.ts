// Lines of diffs: which lines of a file a patch shows, and where a line of one version of a file is in another one.

/** LEFT: the file before the change; RIGHT: after it. */
export const sides = ['LEFT', 'RIGHT'] as const;
export type Side = (typeof sides)[number];

/**
 * A line that a patch shows, with its numbers in the file before and after. A removed line has the first alone, an added one the
 * second.
 */
export type DiffLine = { readonly position: number; readonly left?: number; readonly right?: number };

/**
 * The patch of one file, from its first `@@` on. A position is the number of lines below that one: headers of further hunks
 * count, and notes on a missing end of line.
 */
export type Patch = {
  readonly texts: readonly string[];
  /** By position, the number of the latest line of each side. A patch may have half a million lines, so these are no objects. */
  readonly numbers: { readonly [On in Side]: Int32Array };
  /** The positions of the headers of its hunks. */
  readonly hunks: readonly number[];
};

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

const minus = 0x2d;
const plus = 0x2b;
const space = 0x20;

/** Reads the patch of a file, as `git diff` writes it. */
export function parsePatch(patch: string): Patch {
  const texts = patch.split('\n');
  const numbers = { LEFT: new Int32Array(texts.length), RIGHT: new Int32Array(texts.length) };
  const hunks: number[] = [];
  let left = 0;
  let right = 0;
  for (let position = 0; position < texts.length; position++) {
    const text = texts[position] ?? '';
    const header = text.startsWith('@@') ? hunkHeader.exec(text) : null;
    const mark = text.charCodeAt(0);
    if (header) {
      hunks.push(position);
      left = Math.max(left, Number(header[1]) - 1);
      right = Math.max(right, Number(header[3]) - 1);
    } else {
      if (mark === minus || mark === space) left += 1;
      if (mark === plus || mark === space) right += 1;
    }
    numbers.LEFT[position] = left;
    numbers.RIGHT[position] = right;
  }
  return { texts, numbers, hunks };
}

/** The line of a file that a patch shows on one side; undefined where it doesn't show it. */
export function findLine(patch: Patch, side: Side, line: number): DiffLine | undefined {
  const numbers = patch.numbers[side];
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((numbers[middle] ?? 0) < line) from = middle + 1;
    else to = middle;
  }
  // The first position with this number is the line itself, or the header of a hunk where the line isn't shown.
  const found = findPosition(patch, from);
  return found && (side === 'LEFT' ? found.left : found.right) === line ? found : undefined;
}

/** The line at a position; undefined where there is a header or a note, or nothing. */
export function findPosition({ texts, numbers }: Patch, position: number): DiffLine | undefined {
  const mark = texts[position]?.charCodeAt(0);
  const [left, right] = [numbers.LEFT[position], numbers.RIGHT[position]];
  if (left === undefined || right === undefined) return undefined;
  if (mark === minus) return { position, left };
  if (mark === plus) return { position, right };
  return mark === space ? { position, left, right } : undefined;
}

/** The position of the header of the hunk that a position is in. */
const hunkOf = ({ hunks }: Patch, position: number): number => hunks.findLast((header) => header <= position) ?? 0;

export const areInOneHunk = (patch: Patch, one: DiffLine, other: DiffLine): boolean =>
  hunkOf(patch, one.position) === hunkOf(patch, other.position);

/**
 * A hunk from its header to the line at a position. Of a longer one than `most` characters, lines after the header are left out,
 * and at last the end of the line itself.
 */
export function hunkUntil(patch: Patch, position: number, most: number): string {
  const from = hunkOf(patch, position);
  const header = patch.texts[from] ?? '';
  let left = most - header.length;
  let first = position + 1;
  while (first > from + 1) {
    left -= (patch.texts[first - 1] ?? '').length + 1;
    if (left < 0 && first <= position) break;
    first--;
  }
  return [header, ...patch.texts.slice(first, position + 1)].join('\n').slice(0, most);
}

/** A change of lines, as the header of a hunk without context tells of it. */
type LineChange = { readonly from: number; readonly removed: number; readonly added: number };

/** Reads which lines a patch without context changes. */
export const parseChanges = (patch: string): LineChange[] =>
  patch.split('\n').flatMap((text) => {
    const header = hunkHeader.exec(text);
    if (!header) return [];
    const removed = Number(header[2] ?? 1);
    // Where nothing is removed, Git names the line before.
    return { from: Number(header[1]) + (removed === 0 ? 1 : 0), removed, added: Number(header[4] ?? 1) };
  });

/** Where lines of a file are after changes; undefined for those that were removed or changed. */
export function linesAfter(changes: readonly LineChange[]): (line: number) => number | undefined {
  const shifts = new Int32Array(changes.length + 1);
  for (const [at, { removed, added }] of changes.entries()) shifts[at + 1] = (shifts[at] ?? 0) + added - removed;
  return (line) => {
    let [from, to] = [0, changes.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((changes[middle]?.from ?? 0) <= line) from = middle + 1;
      else to = middle;
    }
    const before = changes[from - 1];
    return before && line < before.from + before.removed ? undefined : line + (shifts[from] ?? 0);
  };
}
