import type { PageRequest } from '#console/page.ts';
import type { ListPosition } from '#endpoint/paging.ts';
import { type IconName, icon } from '#html/icons.ts';
import { html, type Insertable, type TrustedHtml } from '#html/template.ts';
import { withQuery } from './address.ts';

/** Larger numbers are shown as this one with a plus. */
const mostShown = 10_000;

const grouped = new Intl.NumberFormat('en');

/** A number for people, such as "1,204" or "10,000+". */
export const countText = (count: number): string => (count > mostShown ? `${grouped.format(mostShown)}+` : grouped.format(count));

/** A number with its noun, such as "1 branch" or "12 branches". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`;

/** The number beside the name of a list; nothing for none. */
export const countBadge = (count: number | undefined): TrustedHtml =>
  count ? html`<span class="count">${countText(count)}</span>` : html``;

type EmptyState = {
  readonly icon: IconName;
  readonly title: string;
  /** What to do next. */
  readonly hint?: Insertable;
};

/** What stands in the place of an empty list: what would stand here, and what to do next. */
export const emptyState = ({ icon: name, title, hint }: EmptyState): TrustedHtml =>
  html`<div class="empty">${icon(name, 'large')}<p><b>${title}</b></p>
${hint === undefined ? '' : html`<p class="soft">${hint}</p>`}</div>`;

type Pager = { readonly position: ListPosition | undefined; readonly perPage: number };

/** Links to the neighbouring pages of a list; nothing if one page holds everything. */
export function pager({ address, query }: PageRequest<unknown>, { position, perPage }: Pager): TrustedHtml {
  if (!position) return html``;
  const { total, next, previous } = position;
  const byCursor = total === undefined || query.after !== undefined || query.before !== undefined;
  if (byCursor)
    return pagerLinks(
      previous === undefined ? undefined : withQuery(address, { after: undefined, before: String(previous), page: undefined }),
      next === undefined ? undefined : withQuery(address, { before: undefined, after: String(next), page: undefined }),
    );
  const number = Math.max(1, Number(query.page ?? 1) || 1);
  const last = Math.max(1, Math.ceil(total / perPage));
  if (last === 1 && number === 1) return html``;
  return pagerLinks(
    number > 1 ? withQuery(address, { page: number - 1 === 1 ? undefined : number - 1 }) : undefined,
    number < last ? withQuery(address, { page: number + 1 }) : undefined,
    `Page ${grouped.format(number)} of ${grouped.format(last)}`,
  );
}

/** Links to the neighbours of a page, where there are any. */
export const pagerLinks = (previous: string | undefined, next: string | undefined, text?: string): TrustedHtml =>
  previous === undefined && next === undefined
    ? html``
    : html`<nav class="pager" aria-label="Pages">${
        previous === undefined ? '' : html`<a class="button" rel="prev" href="${previous}">${icon('previous')}Previous</a>`
      }${text === undefined ? '' : html`<span class="soft">${text}</span>`}${
        next === undefined ? '' : html`<a class="button" rel="next" href="${next}">Next${icon('next')}</a>`
      }</nav>`;
