import { attribute, html, type TrustedHtml, trustHtml } from '#html/template.ts';
import type { RenderedHtml } from '#text/rendered-html.ts';

/** The boxes of task lists. The same words in a text only get a few more words, since no tag begins there. */
const taskBox = 'class="task-list-item-checkbox"';

/** Rendered Markdown; nothing where there is none. The boxes of task lists get a name for screen readers. */
export const rendered = (text: RenderedHtml | undefined): TrustedHtml =>
  text === undefined || text === ''
    ? html``
    : html`<div class="prose" dir="auto">${trustHtml(text.replaceAll(taskBox, `${taskBox} aria-label="Task"`))}</div>`;

type CodeBlock = {
  /** The number of the first line. */
  readonly from: number;
  readonly lines: readonly RenderedHtml[];
  /** The name of the block for screen readers. */
  readonly label: string;
  /** The number of lines of the whole file. A page may show a part of them. */
  readonly total?: number;
};

/**
 * Lines of code with their numbers, which aren't copied with a selection. Each line is the target of a link, as `#L3`. Screen
 * readers skip the numbers.
 */
export function codeBlock({ from, lines, label, total }: CodeBlock): TrustedHtml {
  let text = '';
  for (const [at, line] of lines.entries()) {
    const number = from + at;
    const link = `<a href="#L${number}" data-n="${number}" aria-hidden="true" tabindex="-1"></a>`;
    text += `<span class="line" id="L${number}">${link}${line}\n</span>`;
  }
  const position = html`${attribute('data-lines', total)}${attribute('data-from', total !== undefined && from)}`;
  return html`<pre class="code" tabindex="0" role="region"
aria-label="${label}"${position}><code>${trustHtml(text)}</code></pre>`;
}

/** Lines of code without numbers. */
export const codeText = (lines: readonly RenderedHtml[]): TrustedHtml =>
  html`<pre class="code bare"><code>${trustHtml(lines.join('\n'))}</code></pre>`;

/**
 * A long name, cut in the middle where its end matters, as in paths and branches. The whole is in the tooltip.
 * @param most the number of characters
 */
export function middleCut(text: string, most = 60): TrustedHtml {
  if (text.length <= most) return html`${text}`;
  const half = Math.floor((most - 1) / 2);
  return html`<span title="${text}">${text.slice(0, half)}…${text.slice(-half)}</span>`;
}
