// The box with the search language, its filters as links, and what is said of a search.
import { withQuery } from '#console/components/address.ts';
import { countText } from '#console/components/lists.ts';
import type { PageRequest } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { attribute, html, type TrustedHtml } from '#html/template.ts';
import type { ListPlan } from '#resources/collaboration/issues/list-query.ts';
import { termsOf } from './terms.ts';

const searchTypes = ['semantic', 'hybrid'] as const;

/** How a search is made besides by words, as the address asks for it. */
export const searchTypeOf = ({ query }: PageRequest<unknown>): (typeof searchTypes)[number] | undefined =>
  searchTypes.find((one) => one === query.search_type);

/** The box with a search. */
export const searchBox = (
  request: PageRequest<unknown>,
  { q, label, action }: { q: string; label: string; action: string },
): TrustedHtml =>
  html`<form class="query" action="${action}" role="search" aria-label="${label}"><label>${icon('filter')}
<span class="unseen">${label}</span><input name="q" type="search" value="${q}" autocomplete="off" spellcheck="false"></label>
${searchTypeOf(request) === undefined ? '' : html`<input type="hidden" name="search_type" value="${searchTypeOf(request)}">`}
<button>Search</button></form>`;

type Choice = { readonly title: string; readonly address: string; readonly isCurrent: boolean };

/** A menu of links, each of which sets a filter. */
export const filterMenu = (title: string, choices: readonly Choice[]): TrustedHtml =>
  html`<details class="menu"><summary>${title}${icon('down')}</summary><div class="menu-items">${choices.map(
    ({ title: name, address, isCurrent }) =>
      html`<a href="${address}"${attribute('aria-current', isCurrent && 'true')}>${
        isCurrent ? icon('check') : ''
      }<span class="cut" title="${name}">${name}</span></a>`,
  )}</div></details>`;

type Searched = {
  readonly total_count: number;
  readonly incomplete_results: boolean;
  readonly search_type?: string;
  readonly lexical_fallback_reason?: readonly string[];
};

const typeWords: Readonly<Record<string, string>> = {
  lexical: 'by words',
  semantic: 'by meaning',
  hybrid: 'by words and by meaning',
};

type Noted = { readonly plan: ListPlan; readonly shown: Searched | undefined; readonly isRefused: boolean };

/** What is said of a search: how it was made, whether it is complete, or why it can't be read. */
export function searchNotes(request: PageRequest<unknown>, { plan, shown, isRefused }: Noted): TrustedHtml {
  if (plan.by === 'nothing') return html`<p class="notice bad" role="alert">${plan.problem}</p>`;
  if (isRefused) return html`<p class="notice bad" role="alert">This server can’t answer this search.</p>`;
  if (!shown) return html``;
  const { total_count, incomplete_results, search_type: made = 'lexical', lexical_fallback_reason: fallback } = shown;
  const wanted = searchTypeOf(request);
  const hasWords = termsOf(request.query.q ?? '').some((term) => !/^-?[\w.-]+:/.test(term));
  const other = (type: string | undefined, title: string) =>
    html`<a href="${withQuery(request.address, { search_type: type, page: undefined })}"${attribute(
      'aria-current',
      wanted === type && 'true',
    )}>${title}</a>`;
  return html`<p class="row soft small search-notes"><span>${countText(total_count)} found ${typeWords[made] ?? ''}${
    incomplete_results ? '. The search took too long and isn’t complete' : ''
  }${fallback && fallback.length > 0 ? '. A search by meaning wasn’t possible' : ''}.</span>${
    hasWords
      ? html`<span>Search ${other(undefined, 'by words')},
${other('semantic', 'by meaning')} or ${other('hybrid', 'both')}</span>`
      : ''
  }</p>`;
}
