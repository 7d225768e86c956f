// Rows of a log: lines with numbers, within groups that can be folded.
import { html, type TrustedHtml } from '#html/template.ts';
import { ansiHtml, withoutAnsi } from './ansi.ts';

export type ShownRow = { readonly row: number; readonly at: string; readonly text: string; readonly left: number };

type Within = {
  /** The number of the step, and its first row: lines are numbered within it. */
  readonly step: number;
  readonly first: number;
};

/** What a runner says to whoever shows the log, at the start of a line. */
const command = /^(?:##\[|::)(group|endgroup|error|warning|notice|debug|command|section)(?:\]| [^:]{0,4096}::|::)(.*)$/s;

const classes: Readonly<Record<string, string>> = {
  error: 'log-bad',
  warning: 'log-wait',
  notice: 'log-ok',
  debug: 'log-soft',
  command: 'log-command',
  section: 'log-section',
};

/** The lines of a step, as items of a list. Groups within it are folded. */
export function logRows(rows: readonly ShownRow[], within: Within): TrustedHtml {
  const parts: TrustedHtml[] = [];
  let group: { title: ShownRow; text: string; lines: TrustedHtml[] } | undefined;
  const endGroup = (): void => {
    if (!group) return;
    parts.push(html`<li id="g${group.title.row}"><details><summary>${line(group.title, group.text, within)}</summary>
<ol>${group.lines}</ol></details></li>`);
    group = undefined;
  };
  for (const row of rows) {
    const [, name, text = ''] = command.exec(withoutAnsi(row.text)) ?? [];
    if (name === 'group' || name === 'endgroup') {
      endGroup();
      if (name === 'group') group = { title: row, text, lines: [] };
      continue;
    }
    const shown = name === undefined ? row.text : text;
    const item = html`<li id="L${row.row + 1}"
class="${name === undefined ? '' : (classes[name] ?? '')}">${line(row, shown, within)}</li>`;
    if (group) group.lines.push(item);
    else parts.push(item);
  }
  endGroup();
  return html`${parts}`;
}

function line({ row, at, left }: ShownRow, text: string, { step, first }: Within): TrustedHtml {
  const id = `step:${step}:${row - first + 1}`;
  const more = left > 0 ? html`<i>… ${left} more characters in the whole log</i>` : '';
  return html`<a id="${id}" href="#${id}" title="${at}">${row - first + 1}</a><span>${ansiHtml(text)}${more}</span>`;
}
