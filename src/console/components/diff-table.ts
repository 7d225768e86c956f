// The lines of a file's diff as a table: one column, or two beside each other.
import { html, type Insertable, type TrustedHtml } from '#html/template.ts';
import { withQuery } from './address.ts';
import { type DiffOptions, isSplit, type LineRenderer, type ShownFile, type ShownRow } from './diff-parts.ts';
import { counted } from './lists.ts';

/** So many unchanged lines are shown at the next click. */
const step = 20;

/** The code of a line as plain text, with its changed words marked. */
const plainLine: LineRenderer = (_path, { text, marks, cut }) => {
  const rest = cut === undefined ? '' : html` <span class="soft">… ${counted(cut, 'more character')}</span>`;
  if (!marks) return cut === undefined ? html`${text}` : html`${text}${rest}`;
  const parts: Insertable[] = [];
  let at = 0;
  for (let index = 0; index < marks.length; index += 2) {
    const [from = 0, to = 0] = [marks[index], marks[index + 1]];
    parts.push(text.slice(at, from), html`<mark>${text.slice(from, to)}</mark>`);
    at = to;
  }
  return html`${parts}${text.slice(at)}${rest}`;
};

type TableContext = {
  readonly file: ShownFile;
  readonly id: string;
  readonly options: DiffOptions;
  readonly line: LineRenderer;
  readonly columns: 3 | 4;
};

// The first row may be a header of a hunk, whose cells span several columns.
const unifiedColumns = html`<colgroup><col class="n"><col class="n"><col></colgroup>`;
const splitColumns = html`<colgroup><col class="n"><col><col class="n"><col></colgroup>`;

/** The table of a file that is open. */
export function diffTable(file: ShownFile, id: string, options: DiffOptions): TrustedHtml {
  const split = isSplit(options.request);
  const context: TableContext = { file, id, options, line: options.line ?? plainLine, columns: split ? 4 : 3 };
  const rows = file.rows ?? [];
  const more = file.next === undefined ? '' : moreRow(context, file.next);
  const cut =
    file.is_cut && file.next === undefined
      ? html`<tr class="hunk"><td colspan="${context.columns}">The rest of the change is too large to be shown.</td></tr>`
      : '';
  return html`<table class="diff${split ? ' split-diff' : ''}" aria-label="Changes of ${file.path}">
${split ? splitColumns : unifiedColumns}<tbody>${
    split ? splitRows(rows, context) : unifiedRows(rows, context)
  }${tailRow(rows, context)}${more}${cut}</tbody></table>`;
}

function unifiedRows(rows: readonly ShownRow[], context: TableContext): Insertable[] {
  const { file, line } = context;
  return rows.map((row, at) => {
    const { kind, left, right } = row;
    if (kind === 'hunk') return hunkRow(rows, at, context);
    if (kind === 'note')
      return html`<tr class="note"><td class="n"></td><td class="n"></td><td class="code">${row.text}</td></tr>`;
    const code = html`<td class="code">${line(file.path, row)}</td>`;
    const thread = threadRow(context, row);
    if (kind === 'added') return html`<tr class="add"><td class="n"></td>${numberCell(context, 'R', right)}${code}</tr>${thread}`;
    if (kind === 'removed')
      return html`<tr class="del">${numberCell(context, 'L', left)}<td class="n"></td>${code}</tr>${thread}`;
    return html`<tr><td class="n">${left}</td>${numberCell(context, 'R', right)}${code}</tr>${thread}`;
  });
}

/** Removed lines stand beside the added ones after them. */
function splitRows(rows: readonly ShownRow[], context: TableContext): Insertable[] {
  const shown: Insertable[] = [];
  const { file, line } = context;
  for (let at = 0; at < rows.length; ) {
    const row = rows[at];
    if (!row) break;
    if (row.kind === 'removed' || row.kind === 'added') {
      const [removed, added] = changeAt(rows, at);
      for (let index = 0; index < Math.max(removed.length, added.length); index++) {
        const [before, after] = [removed[index], added[index]];
        shown.push(
          html`<tr>${halfOf(context, before, 'L')}${halfOf(context, after, 'R')}</tr>
${before && threadRow(context, before)}${after && threadRow(context, after)}`,
        );
      }
      at += removed.length + added.length;
      continue;
    }
    if (row.kind === 'hunk') shown.push(hunkRow(rows, at, context));
    else if (row.kind === 'note')
      shown.push(html`<tr class="note"><td class="n"></td><td class="code" colspan="3">${row.text}</td></tr>`);
    else {
      const code = html`<td class="code">${line(file.path, row)}</td>`;
      shown.push(
        html`<tr><td class="n">${row.left}</td>${code}${numberCell(context, 'R', row.right)}${code}</tr>
${threadRow(context, row)}`,
      );
    }
    at++;
  }
  return shown;
}

/** The removed lines from here on, and the added ones after them. */
function changeAt(rows: readonly ShownRow[], start: number): readonly [ShownRow[], ShownRow[]] {
  const [removed, added]: [ShownRow[], ShownRow[]] = [[], []];
  let at = start;
  for (let row = rows[at]; row?.kind === 'removed'; row = rows[++at]) removed.push(row);
  for (let row = rows[at]; row?.kind === 'added'; row = rows[++at]) added.push(row);
  return [removed, added];
}

function halfOf(context: TableContext, row: ShownRow | undefined, side: 'L' | 'R'): TrustedHtml {
  if (!row) return html`<td class="n none"></td><td class="code none"></td>`;
  const className = side === 'L' ? 'del' : 'add';
  const number = numberCell(context, side, side === 'L' ? row.left : row.right, className);
  return html`${number}<td class="code ${className}">${context.line(context.file.path, row)}</td>`;
}

/** The number of a line, which is a permanent link to it. */
function numberCell({ id }: TableContext, side: 'L' | 'R', number: number | undefined, className = ''): TrustedHtml {
  const anchor = `${id}${side}${number}`;
  return html`<td class="n${className === '' ? '' : ` ${className}`}" id="${anchor}"><a href="#${anchor}">${number}</a></td>`;
}

function threadRow({ file, options, columns }: TableContext, row: ShownRow): Insertable {
  const thread = options.threads?.ofRow?.(file.path, row);
  return thread && html`<tr class="thread"><td colspan="${columns}">${thread}</td></tr>`;
}

/** Unchanged lines exist around the changes of a file that was there before. Pages that begin later in a file offer none. */
const canExpand = ({ file, options: { request } }: TableContext): boolean =>
  file.old !== null && file.new !== null && file.next === undefined && request.query.row === undefined && file.is_cut !== true;

/** A link that shows unchanged lines: on a page of the file alone, or within this page by the script. */
function expandLink({ file, id, options: { request } }: TableContext, from: number, to: number, sign: string): TrustedHtml {
  const { query, address } = request;
  const before = query.file === file.path && query.expand !== undefined ? `${query.expand},` : '';
  const href = withQuery(address, { file: file.path, page: undefined, row: undefined, expand: `${before}${from}-${to}` });
  return html`<a href="${href}#${id}" data-diff="file" aria-label="Show lines ${from} to ${to} of ${file.path}">${sign}</a>`;
}

function hunkRow(rows: readonly ShownRow[], at: number, context: TableContext): TrustedHtml {
  const row = rows[at];
  const { left = 0, right = 0, text = '' } = row ?? {};
  const [from, to] = [lastRight(rows, at) + 1, right - 1];
  const hidden = to - from + 1;
  const links: TrustedHtml[] = [];
  if (canExpand(context) && hidden > 0) {
    if (hidden <= step) links.push(expandLink(context, from, to, '↕'));
    else {
      if (at > 0) links.push(expandLink(context, from, from + step - 1, '↓'));
      links.push(expandLink(context, to - step + 1, to, '↑'));
    }
  }
  const numbers = context.columns === 3 ? html`<td class="n" colspan="2">${links}</td>` : html`<td class="n">${links}</td>`;
  return html`<tr class="hunk">${numbers}<td class="code"
colspan="${context.columns === 3 ? 1 : 3}">@@ −${left} +${right} @@ ${text}</td></tr>`;
}

/** The number of the last line before a row, in the file after the change. */
const lastRight = (rows: readonly ShownRow[], at: number): number =>
  rows.findLast((row, index) => index < at && row.kind !== 'hunk' && row.right !== undefined)?.right ?? 0;

/** Git shows so many unchanged lines after a change, if there are as many. */
const linesAfter = 3;

/** Offers the lines after the last ones that are shown. */
function tailRow(rows: readonly ShownRow[], context: TableContext): Insertable {
  const { file, columns } = context;
  const isAtEnd = rows.slice(-linesAfter).some(({ kind }) => kind !== 'context');
  const last = lastRight(rows, rows.length);
  if (!canExpand(context) || isAtEnd || (file.last_line !== undefined && last >= file.last_line)) return '';
  const link = expandLink(context, last + 1, last + step, '↓');
  return html`<tr class="hunk"><td class="n" colspan="${columns === 3 ? 2 : 1}">${link}</td><td class="code"
colspan="${columns === 3 ? 1 : 3}"></td></tr>`;
}

/** Leads to the lines that have no room on the page. */
function moreRow({ file, id, columns, options: { request } }: TableContext, next: number): TrustedHtml {
  const href = withQuery(request.address, { file: file.path, row: next, page: undefined, expand: undefined });
  return html`<tr class="more"><td colspan="${columns}"><a class="button" href="${href}#${id}"
data-diff="more">Show more lines<span class="unseen"> of ${file.path}</span></a></td></tr>`;
}
