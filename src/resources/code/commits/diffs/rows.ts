// The rows of a file's diff, as pages show them: headers of hunks, lines with their numbers, and notes.
import { fixedValue } from '#lib/limits.ts';
import { periodicYield } from '#lib/turns.ts';
import { diffLimits } from '../limits.ts';
import type { DiffRow } from './schemas.ts';
import { markWords } from './words.ts';

const hunkHeader = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/s;

const maxRows = fixedValue(diffLimits.rows);
const maxLine = fixedValue(diffLimits.line);
const maxCharacters = fixedValue(diffLimits.page);

type Rows = {
  readonly rows: DiffRow[];
  /** The position of the first row that was left out; undefined if none was. */
  readonly next: number | undefined;
};

/**
 * The rows of a patch from a position on, up to the limits of a page. The position of a row is the number of lines above it in
 * the patch, whose first line is the header of a hunk.
 */
export async function parseRows(
  patch: string,
  { from = 0, limit = maxRows }: { from?: number; limit?: number } = {},
): Promise<Rows> {
  const rows: DiffRow[] = [];
  const yieldTurn = periodicYield();
  let [left, right, characters] = [0, 0, 0];
  let lastHeader: DiffRow | undefined;
  let position = 0;
  for (let start = 0; start <= patch.length; position++) {
    const end = patch.indexOf('\n', start);
    const text = patch.slice(start, end < 0 ? patch.length : end);
    if (rows.length >= limit || characters > maxCharacters) return { rows: await marked(rows), next: position };
    const header = hunkHeader.exec(text);
    const numbers = { left, right };
    if (header) [left, right] = [Number(header[1]), Number(header[2])];
    else {
      if (!text.startsWith('+') && !text.startsWith('\\')) left++;
      if (!text.startsWith('-') && !text.startsWith('\\')) right++;
    }
    const row = header ? headerRow(position, header[3] ?? '', { left, right }) : lineRow(position, text, numbers);
    if (header) lastHeader = row;
    if (position >= from) {
      // A page that begins within a hunk repeats its header, without an offer of the lines before it.
      if (rows.length === 0 && !header && lastHeader) rows.push({ ...lastHeader, left: numbers.left, right: numbers.right });
      rows.push(row);
      characters += row.text.length;
    }
    await yieldTurn();
    start = end < 0 ? patch.length + 1 : end + 1;
  }
  return { rows: await marked(rows), next: undefined };
}

const headerRow = (position: number, text: string, numbers: { left: number; right: number }): DiffRow => ({
  kind: 'hunk',
  position,
  ...numbers,
  ...shownText(text.slice(0, 200)),
});

function lineRow(position: number, line: string, { left, right }: { left: number; right: number }): DiffRow {
  const text = shownText(line.slice(1));
  if (line.startsWith('+')) return { kind: 'added', position, right, ...text };
  if (line.startsWith('-')) return { kind: 'removed', position, left, ...text };
  if (line.startsWith('\\')) return { kind: 'note', position, ...text };
  return { kind: 'context', position, left, right, ...text };
}

/** A line without its end, cut to the limit. */
export function shownText(line: string): { text: string; cut?: number } {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return text.length <= maxLine ? { text } : { text: text.slice(0, maxLine), cut: text.length - maxLine };
}

/** So many removed lines are compared with the added ones after them. */
const maxPairs = 30;

/** Marks the changed words of removed lines and of those that were added for them. */
async function marked(rows: DiffRow[]): Promise<DiffRow[]> {
  const yieldTurn = periodicYield();
  for (let at = 0; at < rows.length; ) {
    const removed = runOf(rows, at, 'removed');
    const added = runOf(rows, at + removed, 'added');
    const pairs = removed === added ? Math.min(removed, maxPairs) : Math.min(removed, added, 3);
    for (let index = 0; index < pairs; index++) {
      const [before, after] = [rows[at + index], rows[at + removed + index]];
      const marks = before && after && markWords(before.text, after.text);
      if (marks && before && after) {
        if (marks.before.length > 0) rows[at + index] = { ...before, marks: [...marks.before] };
        if (marks.after.length > 0) rows[at + removed + index] = { ...after, marks: [...marks.after] };
      }
      await yieldTurn();
    }
    at += Math.max(1, removed + added);
  }
  return rows;
}

function runOf(rows: readonly DiffRow[], start: number, kind: DiffRow['kind']): number {
  let end = start;
  while (rows[end]?.kind === kind) end++;
  return end - start;
}
