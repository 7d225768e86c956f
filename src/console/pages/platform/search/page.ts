import { withQuery } from '#console/components/address.ts';
import { countText, emptyState, pager } from '#console/components/lists.ts';
import { plainFrame } from '#console/frames/plain.ts';
import { isRefused, type PageRequest, page, type ReadRefusal, type Reads } from '#console/page.ts';
import type { ListPosition } from '#endpoint/paging.ts';
import { icon } from '#html/icons.ts';
import { attribute, flag, html, type TrustedHtml } from '#html/template.ts';
import { queryHints, wayText } from './help.ts';
import { type ResultType, resultTypes, typeOf, wayOf, ways } from './query.ts';
import { type Hits, perPage, resultKinds } from './results.ts';

/** Searches reach so many hits, however many there are. */
const mostReached = 1_000;

type Asked = PageRequest<unknown>;

const queryOf = ({ query }: Asked): string => (query.q ?? '').trim();

/** Whether the kind of search is for people who are signed in. */
const needsSignIn = (type: ResultType, request: Asked): boolean =>
  type === 'code' || (isAboutIssues(type) && wayOf(request.query) !== 'lexical');

const isAboutIssues = (type: ResultType): type is 'issues' | 'pulls' => type === 'issues' || type === 'pulls';

const canSearch = (request: Asked): boolean =>
  queryOf(request) !== '' && (request.person !== undefined || !needsSignIn(typeOf(request.query), request));

export const searchPage = page({
  path: '/search',
  frame: plainFrame,
  reads: (request): Reads => (canSearch(request) ? { hits: resultKinds[typeOf(request.query)].read(request) } : {}),
  render(found, request, positions) {
    const { hits } = found as { hits?: Hits | ReadRefusal };
    const { hits: position } = positions as { hits?: ListPosition };
    const type = typeOf(request.query);
    const q = queryOf(request);
    return {
      title: q === '' ? 'Search' : `${q} · Search`,
      body: html`<h1 class="unseen">Search</h1>${searchForm(request, type)}
<div class="split start"><nav class="kinds" aria-label="Kinds of results">${resultTypes.map(([one, name, title]) => {
        const count =
          one === type && hits && !isRefused(hits) ? html`<span class="count">${countText(hits.total_count)}</span>` : '';
        const address = withQuery('/search', { q, type: one });
        return html`<a href="${address}"${attribute('aria-current', one === type && 'page')}>${icon(name)}${title}${count}</a>`;
      })}</nav><div class="stack">${content(hits, { request, type, position })}</div></div>`,
    };
  },
});

function searchForm({ query, person }: Asked, type: ResultType): TrustedHtml {
  const way = wayOf(query);
  const choice = isAboutIssues(type)
    ? html`<fieldset class="row"><legend class="unseen">How to search</legend>${ways.map(
        ([one, title]) =>
          html`<label><input type="radio" name="search_type"
value="${one}"${flag('checked', one === way)}${flag('disabled', one !== 'lexical' && !person)}> ${title}</label>`,
      )}${person ? '' : html`<span class="soft small">Sign in to search by meaning.</span>`}</fieldset>`
    : '';
  return html`<form class="search" action="/search"><input type="hidden" name="type" value="${type}">
<label class="grow"><span class="unseen">Query</span><input name="q" value="${query.q ?? ''}" autocomplete="off"
 placeholder="Words, and filters such as is:open or language:go"></label><button
class="first">${icon('search')}Search</button>${choice}</form>`;
}

type Shown = { readonly request: Asked; readonly type: ResultType; readonly position: ListPosition | undefined };

const noQuery = emptyState({ icon: 'search', title: 'What was found will be listed here.', hint: 'Write a few words above.' });

function content(hits: Hits | ReadRefusal | undefined, { request, type, position }: Shown): TrustedHtml {
  const q = queryOf(request);
  if (q === '') return html`${noQuery}${queryHints(type)}`;
  if (!hits) return signInNotice(request, type);
  if (isRefused(hits))
    return html`<div class="notice bad" role="alert"><p><b>This query can’t be searched for</b></p>
${hits.refused.map((message) => html`<p>${message}</p>`)}</div>${queryHints(type)}`;
  const { total_count: total, items, incomplete_results: isCut } = hits;
  const cut = isCut
    ? html`<p class="notice">The search took too long, so there may be more results than these. A narrower query finds them.</p>`
    : '';
  const way = isAboutIssues(type) ? html`<p class="soft small">${wayText(hits)}</p>` : '';
  if (items.length === 0)
    return html`${cut}${way}${emptyState({
      icon: 'search',
      title: `Nothing of this kind matches “${q}”.`,
      hint: 'Fewer words, or another kind of result, may find it.',
    })}${queryHints(type)}`;
  const reached = position && { ...position, total: Math.min(position.total ?? total, mostReached) };
  const note = total > mostReached ? html`<p class="soft small">The first ${countText(mostReached)} can be looked at.</p>` : '';
  const { row } = resultKinds[type];
  return html`${cut}${way}<ol class="rows panel">${items.map((item) => row(item, request))}</ol>
${pager(request, { position: reached, perPage })}${note}<details><summary>How to narrow a
search</summary>${queryHints(type)}</details>`;
}

const signInNotice = ({ address }: Asked, type: ResultType): TrustedHtml =>
  emptyState({
    icon: 'sign-in',
    title:
      type === 'code' ? 'Code is searched by people who are signed in.' : 'Search by meaning is for people who are signed in.',
    hint: html`<a class="button first" href="/login?return_to=${encodeURIComponent(address)}">Sign in</a>`,
  });

/** The search within a repository, which is a search with a filter. */
export const repositorySearchPage = page({
  path: '/{owner}/{repo}/search',
  frame: plainFrame,
  render: (_found, { words: { owner, repo }, query: { q = '', type } }) => ({
    redirect: withQuery('/search', { q: `repo:${owner}/${repo} ${q}`.trim(), type: type ?? 'code' }),
  }),
});
