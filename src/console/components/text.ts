import { html, type TrustedHtml, trustHtml } from '#html/template.ts';
import type { RenderedHtml } from '#text/rendered-html.ts';

/** The boxes of task lists. Quotes in texts of people are escaped, so that these are nothing else. */
const taskBox = 'class="task-list-item-checkbox"';

/** Rendered Markdown; nothing where there is none. The boxes of task lists get a name for screen readers. */
export const rendered = (text: RenderedHtml | undefined): TrustedHtml =>
  text === undefined || text === ''
    ? html``
    : html`<div class="prose" dir="auto">${trustHtml(text.replaceAll(taskBox, `${taskBox} aria-label="Task"`))}</div>`;

/**
 * A long name, cut in the middle where its end matters, as in paths and branches. The whole is in the tooltip.
 * @param most the number of characters
 */
export function middleCut(text: string, most = 60): TrustedHtml {
  if (text.length <= most) return html`${text}`;
  const half = Math.floor((most - 1) / 2);
  return html`<span title="${text}">${text.slice(0, half)}…${text.slice(-half)}</span>`;
}
