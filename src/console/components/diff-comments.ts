// Comments that stand between the lines of a diff.
import { html, type Insertable, type TrustedHtml } from '#html/template.ts';
import type { RenderedHtml } from '#text/rendered-html.ts';
import { counted } from './lists.ts';
import { avatar, personLink, type ShownAccount } from './person.ts';
import { rendered } from './text.ts';
import { timeAgo } from './time.ts';

export type InlineComment = {
  readonly id: number;
  readonly user: ShownAccount | null;
  readonly created_at: string;
  readonly body_html?: RenderedHtml;
};

/** One comment. `anchor`: the id of its element, to which its address leads. */
const inlineComment = ({ user, created_at, body_html }: InlineComment, anchor: string, now: Date): TrustedHtml =>
  html`<article id="${anchor}"><header>${user ? avatar(user) : ''}${personLink(user)}
<a class="soft small" href="#${anchor}">${timeAgo(created_at, now)}</a></header>${rendered(body_html)}</article>`;

type Thread = {
  readonly comments: readonly InlineComment[];
  readonly anchorOf: (comment: InlineComment) => string;
  /** Why it is folded, such as "Resolved"; open if there is nothing to say. */
  readonly folded?: Insertable;
};

/** The comments of a conversation below each other. */
export function inlineThread({ comments, anchorOf, folded }: Thread, now: Date): TrustedHtml {
  const all = html`${comments.map((comment) => inlineComment(comment, anchorOf(comment), now))}`;
  if (folded === undefined) return html`<div class="panel thread">${all}</div>`;
  const who = comments[0]?.user?.login ?? 'ghost';
  return html`<details class="panel thread"><summary>${folded}<span
class="soft"> · ${counted(comments.length, 'comment')}, begun by
${who}</span></summary>${all}</details>`;
}
