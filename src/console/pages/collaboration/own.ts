// One's own issues and pull requests, in all repositories.
import { withQuery } from '#console/components/address.ts';
import { emptyState, pager } from '#console/components/lists.ts';
import { plainFrame } from '#console/frames/plain.ts';
import { type PageRequest, page, read } from '#console/page.ts';
import { attribute, html, type TrustedHtml } from '#html/template.ts';
import { listIssues } from '#resources/collaboration/issues/endpoints/lists.ts';
import { searchIssuesEndpoint } from '#resources/platform/search/endpoints.ts';
import { searchNotes } from './filters.ts';
import { issueRow, labelQuery } from './rows.ts';

const perPage = 30;

type Request = PageRequest<unknown>;

const stateIn = ({ query }: Request): 'open' | 'closed' => (query.state === 'closed' ? 'closed' : 'open');

/** A row of links that choose what is shown. */
function choices(
  { address }: Request,
  name: 'filter' | 'state',
  label: string,
  all: readonly (readonly [value: string, title: string])[],
  current: string,
): TrustedHtml {
  const [usual = ['']] = all;
  return html`<nav class="states" aria-label="${label}">${all.map(
    ([value, title]) =>
      html`<a href="${withQuery(address, { [name]: value === usual[0] ? undefined : value, page: undefined })}"${attribute(
        'aria-current',
        value === current && 'true',
      )}>${title}</a>`,
  )}</nav>`;
}

const openOrClosed = [
  ['open', 'Open'],
  ['closed', 'Closed'],
] as const;

/** The full name of the repository of something, by its address in the API. */
const repositoryOf = ({ repository_url }: { readonly repository_url: string }): string =>
  repository_url.split('/').slice(-2).join('/');

const labelAddress = (kind: 'is:issue' | 'is:pr') => (name: string) =>
  `/search?type=issues&q=${encodeURIComponent(labelQuery(kind, name))}`;

const issueFilters = [
  ['assigned', 'Assigned to me'],
  ['created', 'Opened by me'],
  ['mentioned', 'Mentioning me'],
] as const;

const issueFilterIn = ({ query }: Request) => issueFilters.find(([one]) => one === query.filter)?.[0] ?? 'assigned';

export const ownIssuesPage = page({
  path: '/issues',
  frame: plainFrame,
  isForPeople: true,
  reads: (request) => ({
    issues: read(listIssues, {
      query: {
        filter: issueFilterIn(request),
        state: stateIn(request),
        pulls: false,
        per_page: perPage,
        page: request.query.page,
      },
    }),
  }),
  render({ issues }, request, { issues: position }) {
    const rows = issues.map((issue) =>
      issueRow(issue, { request, labelAddress: labelAddress('is:issue'), repository: repositoryOf(issue) }),
    );
    return {
      title: 'Your issues',
      body: html`<div class="heading"><h1>Your issues</h1></div><div class="panel"><header class="list-bar">${choices(
        request,
        'filter',
        'Which issues',
        issueFilters,
        issueFilterIn(request),
      )}${choices(request, 'state', 'State', openOrClosed, stateIn(request))}</header>${
        rows.length === 0
          ? emptyState({
              icon: 'circle-dot',
              title: 'Your issues in all repositories will be listed here.',
              hint: 'Issues come here when somebody assigns them to you, when you open them, or when they mention you.',
            })
          : html`<ul class="rows">${rows}</ul>`
      }</div>${pager(request, { position, perPage })}`,
    };
  },
});

const pullFilters = [
  ['created', 'Opened by me', 'author:@me'],
  ['review-requested', 'Waiting for my review', 'review-requested:@me'],
  ['assigned', 'Assigned to me', 'assignee:@me'],
  ['mentioned', 'Mentioning me', 'mentions:@me'],
] as const;

const pullFilterIn = ({ query }: Request) => pullFilters.find(([one]) => one === query.filter) ?? pullFilters[0];

export const ownPullsPage = page({
  path: '/pulls',
  frame: plainFrame,
  isForPeople: true,
  reads: (request) => ({
    pulls: read(searchIssuesEndpoint, {
      query: {
        q: `is:pr is:${stateIn(request)} ${pullFilterIn(request)[2]}`,
        sort: 'updated',
        per_page: perPage,
        page: request.query.page,
      },
    }),
  }),
  render({ pulls }, request, { pulls: position }) {
    const [filter] = pullFilterIn(request);
    const rows = pulls.items.map((pull) =>
      issueRow(pull, { request, labelAddress: labelAddress('is:pr'), repository: repositoryOf(pull) }),
    );
    return {
      title: 'Your pull requests',
      body: html`<div class="heading"><h1>Your pull requests</h1></div>${
        pulls.incomplete_results ? searchNotes(request, { plan: { by: 'search' }, shown: pulls, isRefused: false }) : ''
      }<div class="panel"><header class="list-bar">${choices(
        request,
        'filter',
        'Which pull requests',
        pullFilters.map(([value, title]) => [value, title] as const),
        filter,
      )}${choices(request, 'state', 'State', openOrClosed, stateIn(request))}</header>${
        rows.length === 0
          ? emptyState({
              icon: 'pull',
              title: 'Your pull requests in all repositories will be listed here.',
              hint: 'Those that wait for your review have a list of their own.',
            })
          : html`<ul class="rows">${rows}</ul>`
      }</div>${pager(request, { position, perPage })}`,
    };
  },
});
