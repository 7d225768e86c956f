// The rows of each kind of result.
import { localAddress } from '#console/components/address.ts';
import { counted } from '#console/components/lists.ts';
import { markedFragment, markedText, type ShownMatch } from '#console/components/matches.ts';
import { avatar, personLink, personWithAvatar } from '#console/components/person.ts';
import { timeAgo } from '#console/components/time.ts';
import { type PageRequest, type Read, readOrExplain } from '#console/page.ts';
import type { Endpoint, EndpointTypes } from '#endpoint/endpoint.ts';
import { icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import {
  searchCodeEndpoint,
  searchCommitsEndpoint,
  searchIssuesEndpoint,
  searchRepositoriesEndpoint,
  searchUsersEndpoint,
} from '#resources/platform/search/endpoints.ts';
import { ofKind, type ResultType, wayOf } from './query.ts';

export const perPage = 20;

type Asked = PageRequest<unknown>;

/** A page of hits, of any kind. */
export type Hits = {
  readonly total_count: number;
  readonly incomplete_results: boolean;
  readonly items: readonly unknown[];
  readonly search_type?: string;
  readonly lexical_fallback_reason?: readonly string[];
};

type ResultKind = {
  // biome-ignore lint/suspicious/noExplicitAny: `kind` has checked that the row belongs to the endpoint
  readonly read: (request: Asked) => Read<any, false>;
  readonly row: (item: unknown, request: Asked) => TrustedHtml;
};

type ItemOf<Types extends EndpointTypes> = Extract<Types['reply'], { readonly status: 200 }>['body'] extends {
  items: readonly (infer Item)[];
}
  ? Item
  : never;

function kind<Types extends EndpointTypes>(
  endpoint: Endpoint<Types>,
  row: (item: ItemOf<Types>, request: Asked) => TrustedHtml,
  queryOf: (request: Asked) => Readonly<Record<string, string | undefined>> = ({ query: { q } }) => ({ q }),
): ResultKind {
  const read = (request: Asked) => {
    const query = { ...queryOf(request), per_page: perPage, page: request.query.page };
    return readOrExplain(endpoint, { media: 'text-match', query });
  };
  return { read, row: row as ResultKind['row'] }; // the parameters have checked that they belong together
}

const issues = (type: 'issues' | 'pulls') =>
  kind(
    searchIssuesEndpoint,
    (issue, request) => {
      const address = localAddress(issue.html_url, request.links.html);
      const repository = issue.repository_url.split('/').slice(-2).join('/');
      const name = issue.pull_request ? (issue.state === 'open' ? 'pull' : 'pull-closed') : 'circle-dot';
      const wasMerged = issue.pull_request?.merged_at != null;
      const tone = issue.state === 'open' ? 'ok' : wasMerged || !issue.pull_request ? 'done' : 'bad';
      const state = wasMerged ? 'merged' : issue.state;
      return html`<li class="hit"><span class="${tone}">${icon(wasMerged ? 'merge' : name)}<span
class="unseen">${state}</span></span>
<div class="grow"><a class="title" href="${address}" dir="auto">${markedText(issue.title, 'title', issue.text_matches)}</a>
<p class="soft small"><a href="/${repository}">${repository}</a> #${issue.number} · by ${personLink(issue.user)} ·
${timeAgo(issue.created_at, request.now)} · ${counted(issue.comments, 'comment')}</p>
${fragments(issue.text_matches, ({ property }) => property !== 'title')}</div></li>`;
    },
    ({ query }) => {
      const way = wayOf(query);
      const search_type = way === 'lexical' ? undefined : way;
      return { q: ofKind(query.q ?? '', type), advanced_search: 'true', search_type };
    },
  );

/** How each kind of result is searched for and shown. */
export const resultKinds: Readonly<Record<ResultType, ResultKind>> = {
  code: kind(
    searchCodeEndpoint,
    (file, request) => html`<li class="hit">${icon('file')}<div class="grow">
<a class="title" href="${localAddress(file.html_url, request.links.html)}">${markedText(file.path, 'path', file.text_matches)}</a>
<p class="soft small"><a href="${localAddress(file.repository.html_url, request.links.html)}">${file.repository.full_name}</a>
${file.language === null ? '' : html` · ${file.language}`}</p>
${codeFragments(file.text_matches)}</div></li>`,
  ),
  repositories: kind(
    searchRepositoriesEndpoint,
    (repository, request) => html`<li class="hit">${icon(repository.visibility === 'public' ? 'book' : 'lock')}<div class="grow">
<a class="title" href="${localAddress(repository.html_url, request.links.html)}">${repository.full_name}</a>
${repository.archived ? html`<span class="badge">${icon('archive')}archived</span>` : ''}
<p dir="auto">${described(repository.description, repository.text_matches)}</p>
<p class="soft small row">${repository.language === null ? '' : html`<span>${repository.language}</span>`}
<span>${icon('star')} ${repository.stargazers_count}</span><span>${icon('fork')} ${repository.forks_count}</span>
${repository.pushed_at === null ? '' : html`<span>pushed ${timeAgo(repository.pushed_at, request.now)}</span>`}</p></div></li>`,
  ),
  issues: issues('issues'),
  pulls: issues('pulls'),
  commits: kind(searchCommitsEndpoint, ({ commit, author, sha, html_url, repository, text_matches }, request) => {
    const [subject = ''] = commit.message.split('\n');
    const found = text_matches?.find(({ property }) => property === 'message');
    const isWhole = found?.fragment === subject;
    return html`<li class="hit">${icon('commit')}<div class="grow">
<a class="title" href="${localAddress(html_url, request.links.html)}" dir="auto">${isWhole ? markedFragment(found) : subject}</a>
<p class="soft small"><a href="${localAddress(repository.html_url, request.links.html)}">${repository.full_name}</a>
<code>${sha.slice(0, 10)}</code> · ${author ? personWithAvatar(author) : commit.author?.name} ·
${timeAgo(commit.committer?.date, request.now)}</p>${isWhole ? '' : fragments(text_matches, () => true)}</div></li>`;
  }),
  users: kind(
    searchUsersEndpoint,
    (user) => html`<li class="hit">${avatar(user, 34)}<div class="grow"><a class="title" href="/${user.login}">
${markedText(user.login, 'login', user.text_matches)}</a><p class="soft small">${user.type === 'User' ? 'Person' : user.type}</p>
${fragments(user.text_matches, ({ property }) => property !== 'login')}</div></li>`,
  ),
};

/** The number of fragments of a hit. */
const mostFragments = 2;

const fragments = (matches: readonly ShownMatch[] | undefined, filter: (match: ShownMatch) => boolean): TrustedHtml =>
  html`${(matches ?? [])
    .filter(filter)
    .slice(0, mostFragments)
    .map((match) => html`<p class="fragment" dir="auto">${markedFragment(match)}</p>`)}`;

const codeFragments = (matches: readonly ShownMatch[] | undefined): TrustedHtml =>
  html`${(matches ?? [])
    .filter(({ property }) => property === 'content')
    .slice(0, mostFragments)
    .map((match) => html`<pre class="fragment"><code>${markedFragment(match)}</code></pre>`)}`;

function described(description: string | null, matches: readonly ShownMatch[] | undefined): TrustedHtml {
  const found = matches?.find(({ property }) => property === 'description');
  return found && description !== null && description.length <= found.fragment.length
    ? markedFragment(found)
    : html`${description}`;
}
