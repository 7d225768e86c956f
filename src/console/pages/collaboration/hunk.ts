import { html, type TrustedHtml } from '#html/template.ts';

/** So many lines before the line that is talked about are shown. */
const shownLines = 6;

/** The last lines of a hunk of a diff, up to the line that is talked about. */
export function hunkTable(hunk: string): TrustedHtml {
  const [head = '', ...rest] = hunk.split('\n');
  const start = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(head);
  let [before, after] = [Number(start?.[1] ?? 0), Number(start?.[2] ?? 0)];
  const lines = (start ? rest : [head, ...rest])
    .filter((text) => text !== '' && !text.startsWith('\\'))
    .map((text) => {
      const kind = text.startsWith('+') ? 'add' : text.startsWith('-') ? 'del' : '';
      const numbers = [kind === 'add' ? '' : before++, kind === 'del' ? '' : after++] as const;
      return { kind, numbers, text: text.slice(1), sign: text.slice(0, 1) };
    });
  return html`<table class="hunk"><tbody>${lines.slice(-shownLines).map(
    ({ kind, numbers, text, sign }) =>
      html`<tr class="${kind}"><td class="n">${numbers[0]}</td><td class="n">${numbers[1]}</td>
<td><span class="sign">${sign}</span>${text}</td></tr>`,
  )}</tbody></table>`;
}
