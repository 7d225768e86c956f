// Rows of a log for pages: some of them, beginning with any row, and those that have a text.
import type { Readable } from 'node:stream';
import type { Db } from '#database/connect.ts';
import type { Needs, Scope } from '#endpoint/scope.ts';
import { fixedValue, mebi } from '#lib/limits.ts';
import { periodicYield } from '#lib/turns.ts';
import { runLimits } from '../limits.ts';
import { findJob, type JobRow } from '../store.ts';
import { sourceOf } from './logs.ts';
import { findPosition, type LogPart, listPartsFrom } from './store.ts';

/** A row of a log. `at`: its time; `left`: the number of characters that aren't shown. */
type ShownLogRow = { readonly row: number; readonly at: string; readonly text: string; readonly left: number };

export const mostRows = fixedValue(runLimits.shownRows);
const mostBytes = fixedValue(runLimits.shownBytes);
const longestRow = fixedValue(runLimits.shownRowLength);
const mostSearched = fixedValue(runLimits.searchedLogBytes);
const mostMatches = fixedValue(runLimits.logMatches);

type Parts = Scope & Needs<'objects'>;
type Logged = Pick<JobRow, 'id' | 'carried_from'>;

/** Some rows of a job's log. There are fewer than `count` at its end, and where they are long. */
export async function readLogRows(
  parts: Parts,
  job: Logged,
  { from, count }: { from: number; count: number },
): Promise<ShownLogRow[]> {
  const rows: ShownLogRow[] = [];
  let bytes = 0;
  await eachRow(parts, job, from, (row, line) => {
    rows.push(shownRow(row, line));
    bytes += Math.min(line.length, longestRow);
    return rows.length < Math.min(count, mostRows) && bytes < mostBytes;
  });
  return rows;
}

/** Rows that have a text, regardless of case. `next`: the row with which the search goes on, if it isn't over. */
export async function findLogRows(
  parts: Parts,
  job: Logged,
  { text, from }: { text: string; from: number },
): Promise<{ rows: ShownLogRow[]; next: number | undefined }> {
  const wanted = text.toLowerCase();
  const rows: ShownLogRow[] = [];
  let bytes = 0;
  let next: number | undefined;
  await eachRow(parts, job, from, (row, line) => {
    bytes += line.length;
    const shown = textOf(line);
    if (plainText(shown).toLowerCase().includes(wanted)) rows.push(shownRow(row, line));
    if (rows.length < mostMatches && bytes < mostSearched) return true;
    next = row + 1;
    return false;
  });
  return { rows, next };
}

/** A text without the sequences that colour it. */
const plainText = (text: string): string => (text.includes('\x1b') ? text.replace(sequences, '') : text);

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape starts these sequences
const sequences = /\x1b\[[0-9;:?]*[ -/]*[@-~]/g;

/** The number of characters of the time and the space before a text. */
const timeLength = 29;

const textOf = (line: Buffer): string => line.toString('utf8', timeLength);

function shownRow(row: number, line: Buffer): ShownLogRow {
  const text = textOf(line);
  const left = Math.max(0, text.length - longestRow);
  return {
    row,
    at: line.toString('latin1', 0, timeLength - 1),
    text: left > 0 ? text.slice(0, longestRow).toWellFormed() : text,
    left,
  };
}

const newline = 10;

/** Visits the rows of a log, beginning with one, until `visit` returns false. */
async function eachRow(parts: Parts, job: Logged, from: number, visit: (row: number, line: Buffer) => boolean): Promise<void> {
  const turn = periodicYield();
  const { row: first, bytes } = await openLogAt(parts, job, from);
  let row = first;
  let rest: Buffer = Buffer.alloc(0);
  for await (const part of bytes) {
    const text = rest.length > 0 ? Buffer.concat([rest, part]) : part;
    let start = 0;
    for (let end = text.indexOf(newline); end >= 0; end = text.indexOf(newline, start)) {
      if (row >= from) {
        if (!visit(row, text.subarray(start, end))) return;
        await turn();
      }
      row++;
      start = end + 1;
    }
    rest = text.subarray(start);
    await turn();
  }
}

type OpenedLog = { readonly row: number; readonly bytes: AsyncIterable<Buffer> };

/** Opens a log at a row, or at one before it. */
async function openLogAt({ db, services: { objects } }: Parts, job: Logged, from: number): Promise<OpenedLog> {
  const id = sourceOf(job);
  const found = await findJob(db, id);
  if (!found) return { row: 0, bytes: none() };
  if (found.log_key === null) {
    const parts = await listPartsFrom(db, id, { row: from }, batch);
    const [first] = parts;
    if (first) return { row: first.first_row, bytes: partsAfter(db, id, parts) };
    // It may have been stored since.
  }
  const { log_key, log_bytes } = found.log_key === null ? ((await findJob(db, id)) ?? found) : found;
  if (log_key === null || log_bytes === 0) return { row: 0, bytes: none() };
  const { row, byte } = (await findPosition(db, id, from)) ?? { row: 0, byte: 0 };
  const stored = byte < log_bytes ? await objects.open(log_key, { start: byte, end: log_bytes - 1 }) : undefined;
  return { row, bytes: stored ? streamed(stored) : none() };
}

const batch = { parts: mostRows, bytes: mebi };

async function* partsAfter(db: Db, id: JobRow['id'], first: readonly LogPart[]): AsyncGenerator<Buffer> {
  for (let parts = first; ; ) {
    for (const { text } of parts) yield Buffer.from(text);
    const last = parts.at(-1);
    if (!last) return;
    parts = await listPartsFrom(db, id, { after: last.first_row }, batch);
  }
}

/** Reading ends with the one who reads. */
async function* streamed(stream: Readable): AsyncGenerator<Buffer> {
  yield* stream as AsyncIterable<Buffer>;
}

async function* none(): AsyncGenerator<Buffer> {
  // A log without rows has no bytes.
}
