// Unchanged lines around the changes of a file, which its patch doesn't have.
import { isGitError } from '#git/errors.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { GitRepository } from '#git/repo.ts';
import { fixedValue } from '#lib/limits.ts';
import { diffLimits } from '../limits.ts';
import { shownText } from './rows.ts';
import type { DiffRow } from './schemas.ts';

type Range = { readonly from: number; readonly to: number };

const maxLines = fixedValue(diffLimits.expanded);
const maxFile = fixedValue(diffLimits.expandedFile);

/** The ranges of a text such as `10-30,55-80`, in their order and without overlaps, up to the limit. */
export function parseRanges(text: string): Range[] {
  const given = text.split(',').map((part) => part.split('-').map(Number));
  const ordered = given.map(([from = 0, to = 0]) => ({ from: Math.max(1, from), to })).toSorted((a, b) => a.from - b.from);
  const ranges: Range[] = [];
  let left = maxLines;
  for (const { from, to } of ordered) {
    const start = Math.max(from, (ranges.at(-1)?.to ?? 0) + 1);
    const end = Math.min(to, start + left - 1);
    if (end < start) continue;
    ranges.push({ from: start, to: end });
    left -= end - start + 1;
  }
  return ranges;
}

/** The lines of a file in these ranges, by number, and the number of its last line. */
async function readLines(
  gitRepository: GitRepository,
  blob: Oid,
  ranges: readonly Range[],
): Promise<{ lines: Map<number, string>; last: number } | undefined> {
  await using reader = await openObjects(gitRepository);
  const data = await reader.get(blob, { type: 'blob', maxSize: maxFile }).then(
    (found) => found.data,
    (error: unknown) => {
      if (isGitError(error, 'too-large') || isGitError(error, 'not-found')) return undefined;
      throw error;
    },
  );
  if (!data) return undefined;
  const lines = new Map<number, string>();
  let number = 0;
  for (let start = 0; start < data.length; ) {
    const found = data.indexOf(10, start);
    const end = found < 0 ? data.length : found;
    number++;
    if (ranges.some(({ from, to }) => from <= number && number <= to)) lines.set(number, data.toString('utf8', start, end));
    start = end + 1;
  }
  return { lines, last: number };
}

/** Adds the unchanged lines of these ranges to the rows of a file. */
export async function expandRows(
  gitRepository: GitRepository,
  rows: readonly DiffRow[],
  { blob, ranges }: { blob: Oid; ranges: readonly Range[] },
): Promise<{ rows: DiffRow[]; last?: number }> {
  const read = await readLines(gitRepository, blob, ranges);
  if (!read) return { rows: [...rows] };
  const { lines, last } = read;
  const expanded: DiffRow[] = [];
  // The numbers of the next line on either side.
  let [left, right] = [1, 1];
  const addUntil = (end: number): void => {
    for (; right < end; left++, right++) {
      const text = lines.get(right);
      if (text === undefined) continue;
      if (isGap(expanded.at(-1), right)) expanded.push({ kind: 'hunk', left, right, text: '' });
      expanded.push({ kind: 'context', left, right, ...shownText(text) });
    }
  };
  for (const row of rows) {
    if (row.kind === 'hunk') {
      // Of a hunk without lines on one side, Git names the line before them.
      const [nextLeft, nextRight] = [row.left ?? 1, row.right ?? 1];
      addUntil(nextRight);
      [left, right] = [nextLeft, nextRight];
      if (isGap(expanded.at(-1), nextRight)) expanded.push(row);
    } else {
      expanded.push(row);
      if (row.left !== undefined) left = row.left + 1;
      if (row.right !== undefined) right = row.right + 1;
    }
  }
  addUntil(last + 1);
  return { rows: expanded, last };
}

/** Whether lines are missing between the last row and the line with this number. */
function isGap(row: DiffRow | undefined, next: number): boolean {
  if (!row) return next !== 1;
  if (row.kind !== 'context') return row.kind !== 'hunk';
  return row.right !== next - 1;
}
