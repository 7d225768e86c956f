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
  /** Without headers and notes. */
  readonly lines: readonly DiffLine[];
  /** The positions of the headers of its hunks. */
  readonly hunks: readonly number[];
};

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Reads the patch of a file, as `git diff` writes it. */
export function parsePatch(patch: string): Patch {
  const texts = patch.split('\n');
  const lines: DiffLine[] = [];
  const hunks: number[] = [];
  let left = 0;
  let right = 0;
  for (const [position, text] of texts.entries()) {
    const header = hunkHeader.exec(text);
    if (header) {
      hunks.push(position);
      left = Number(header[1]);
      right = Number(header[3]);
    } else if (text.startsWith('-')) lines.push({ position, left: left++ });
    else if (text.startsWith('+')) lines.push({ position, right: right++ });
    else if (text.startsWith(' ')) lines.push({ position, left: left++, right: right++ });
  }
  return { texts, lines, hunks };
}

/** The line of a file that a patch shows on one side; undefined where it doesn't show it. */
export const findLine = ({ lines }: Patch, side: Side, line: number): DiffLine | undefined =>
  lines.find(({ left, right }) => (side === 'LEFT' ? left : right) === line);

/** The line at a position; undefined where there is a header or a note, or nothing. */
export const findPosition = ({ lines }: Patch, position: number): DiffLine | undefined =>
  lines.find((line) => line.position === position);

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

/** Where a line of a file is after changes; undefined where it was removed or changed. */
export function lineAfter(changes: readonly LineChange[], line: number): number | undefined {
  let shift = 0;
  for (const { from, removed, added } of changes) {
    if (line < from) break;
    if (line < from + removed) return undefined;
    shift += added - removed;
  }
  return line + shift;
}
