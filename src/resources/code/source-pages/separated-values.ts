import { fixedValue } from '#lib/limits.ts';
import { sourcePageLimits } from './limits.ts';
import type { TableRows } from './schemas.ts';

const maxCells = fixedValue(sourcePageLimits.tableCells);
const maxColumns = 200;

/**
 * The rows of a file of comma-separated values (RFC 4180), or of tab-separated ones. Undefined if a quote isn't closed, since it
 * is something else then.
 */
export function readTable(text: string, separator: ',' | '\t' | ';'): TableRows | undefined {
  const rows: string[][] = [];
  let row: string[] = [];
  let cells = 0;
  let isCut = false;
  const add = (cell: string): void => {
    if (row.length < maxColumns) {
      row.push(cell);
      cells++;
    } else isCut = true;
  };
  let at = 0;
  while (at < text.length) {
    const { cell, end } = text.charAt(at) === '"' ? quoted(text, at) : unquoted(text, at, separator);
    if (end < 0) return undefined;
    add(cell);
    const next = text.charAt(end);
    at = end + 1;
    if (next === separator && at < text.length) continue;
    if (next === separator) add('');
    rows.push(row);
    row = [];
    if (cells >= maxCells && at < text.length) return { rows, is_cut: true };
  }
  return { rows, is_cut: isCut };
}

type Cell = { cell: string; end: number };

/** A cell up to the separator or the end of its line. */
function unquoted(text: string, from: number, separator: string): Cell {
  let end = from;
  while (end < text.length && text.charAt(end) !== separator && text.charAt(end) !== '\n') end++;
  return { cell: text.slice(from, end).replace(/\r$/, ''), end };
}

/** A cell in quotes, in which two quotes are one. `end` is negative if it isn't closed, or something follows it. */
function quoted(text: string, from: number): Cell {
  let cell = '';
  for (let at = from + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return { cell, end: -1 };
    cell += text.slice(at, quote);
    if (text.charAt(quote + 1) !== '"') {
      const end = text.charAt(quote + 1) === '\r' ? quote + 2 : quote + 1;
      return { cell, end: end >= text.length || /[,;\t\n]/.test(text.charAt(end)) ? end : -1 };
    }
    cell += '"';
    at = quote + 2;
  }
}

/** The separator of a file: the one that its first line has most often. */
export function separatorOf(path: string, text: string): ',' | '\t' | ';' {
  if (/[.]tsv$/i.test(path)) return '\t';
  const line = text.slice(0, 2_000).split('\n', 1)[0] ?? '';
  return line.split(';').length > line.split(',').length ? ';' : ',';
}
