// The lists of a repository's issues and pull requests.
import { withQuery } from '#console/components/address.ts';
import { countText, emptyState, pager } from '#console/components/lists.ts';
import { inRepository, repositoryPath } from '#console/frames/repository.ts';
import { type PageRequest, page, read, readOptional } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { attribute, html, type TrustedHtml } from '#html/template.ts';
import { listAssignees } from '#resources/collaboration/issues/endpoints/assignees.ts';
import { listShownIssues } from '#resources/collaboration/issues/endpoints/page-lists.ts';
import { planList } from '#resources/collaboration/issues/list-query.ts';
import { listRepoMilestones } from '#resources/collaboration/milestones/endpoints.ts';
import { listPullStates } from '#resources/collaboration/reviews/endpoints/pull-states.ts';
import { searchIssuesEndpoint } from '#resources/platform/search/endpoints.ts';
import { listRepoLabels } from '#resources/repositories/labels/endpoints.ts';
import { filterMenu, searchBox, searchNotes, searchTypeOf } from './filters.ts';
import { issueRow, type ListedIssue, labelQuery } from './rows.ts';
import { quoted, type TermName, termsNamed, withLabel, withTerm } from './terms.ts';

const perPage = 30;

type Kind = 'issue' | 'pull';

/** What the two lists differ in. */
const kinds = {
  issue: { path: 'issues', title: 'Issues', is: 'is:issue', icon: 'circle-dot' },
  pull: { path: 'pulls', title: 'Pull requests', is: 'is:pr', icon: 'pull' },
} as const;

const startOf = (kind: Kind): string => `${kinds[kind].is} is:open`;

const queryOf = (kind: Kind, { query }: PageRequest<unknown>): string => query.q ?? startOf(kind);

type Named = PageRequest<{ readonly owner: string; readonly repo: string }>;

/** The search for the same: in the repository, and for issues or pull requests alone unless it says so itself. */
function searchIn(kind: Kind, request: Named): string {
  const q = queryOf(kind, request);
  const isOfKind = /(^|\s)-?is:(issue|pr|pull-request|merged|unmerged|draft)(\s|$)/i.test(q);
  return [q, ...(isOfKind ? [] : [kinds[kind].is]), `repo:${request.words.owner}/${request.words.repo}`].join(' ');
}

/** What the list shows: from the list of the repository, or from a search. */
function shownBy(kind: Kind, request: Named) {
  const paging = { per_page: perPage, page: request.query.page };
  const plan = planList(queryOf(kind, request), kind, request.person?.login);
  return plan.by === 'list'
    ? read(listShownIssues, { query: { ...plan.query, ...paging } })
    : readOptional(searchIssuesEndpoint, {
        query: { q: searchIn(kind, request), search_type: searchTypeOf(request), ...paging },
      });
}

type Label = { readonly name: string; readonly color: string; readonly description: string | null };

/** What the menus offer. */
type Choices = {
  readonly labels: readonly Label[];
  readonly milestones: readonly { readonly title: string }[];
  readonly people: readonly { readonly login: string }[];
};

function filters(kind: Kind, request: Named, { labels, milestones, people }: Choices): TrustedHtml {
  const q = queryOf(kind, request);
  const to = (changed: string) => withQuery(request.address, { q: changed, page: undefined });
  const one = (name: TermName, title: string, term: string | undefined) => ({
    title,
    address: to(withTerm(q, name, term)),
    isCurrent: term !== undefined && termsNamed(q, name).includes(term),
  });
  const logins = people.map(({ login }) => login);
  const me = request.person ? [['Me', '@me'] as const] : [];
  const persons = (name: 'author' | 'assignee') =>
    [...me, ...logins.map((login) => [login, login] as const)].map(([title, login]) => one(name, title, `${name}:${login}`));
  return html`<div class="filter-menus">${filterMenu('Author', [one('author', 'Anybody', undefined), ...persons('author')])}
${filterMenu('Label', [
  one('label', 'Any', undefined),
  one('label', 'No label', 'no:label'),
  ...labels.map(({ name }) => ({
    title: name,
    address: to(withLabel(q, name)),
    isCurrent: termsNamed(q, 'label').includes(`label:${quoted(name)}`),
  })),
])}
${filterMenu('Milestone', [
  one('milestone', 'Any', undefined),
  one('milestone', 'No milestone', 'no:milestone'),
  ...milestones.map(({ title }) => one('milestone', title, `milestone:${quoted(title)}`)),
])}
${filterMenu('Assignee', [
  one('assignee', 'Any', undefined),
  one('assignee', 'Nobody', 'no:assignee'),
  one('assignee', 'Somebody', 'assignee:*'),
  ...persons('assignee'),
])}
${
  kind === 'issue'
    ? ''
    : filterMenu('Reviews', [
        one('review', 'Any', undefined),
        one('review', 'No reviews', 'review:none'),
        one('review', 'Review required', 'review:required'),
        one('review', 'Approved', 'review:approved'),
        one('review', 'Changes requested', 'review:changes_requested'),
        ...(request.person ? [one('review', 'Waiting for my review', 'review-requested:@me')] : []),
      ])
}
${filterMenu('Sort', [
  one('sort', 'Newest', 'sort:created-desc'),
  one('sort', 'Oldest', 'sort:created-asc'),
  one('sort', 'Most commented', 'sort:comments-desc'),
  one('sort', 'Least commented', 'sort:comments-asc'),
  one('sort', 'Recently updated', 'sort:updated-desc'),
  one('sort', 'Least recently updated', 'sort:updated-asc'),
])}</div>`;
}

/** Links to what is open and what is closed, with their numbers where they are known. */
function stateLinks(q: string, address: string, counts: { readonly open: number; readonly closed: number } | undefined) {
  const states = termsNamed(q, 'state');
  const link = (state: 'open' | 'closed', word: string) =>
    html`<a href="${withQuery(address, { q: withTerm(q, 'state', `is:${state}`), page: undefined })}"${attribute(
      'aria-current',
      states.includes(`is:${state}`) && 'true',
    )}>${icon(state === 'open' ? 'circle-dot' : 'check')}${counts ? `${countText(counts[state])} ` : ''}${word}</a>`;
  return html`<nav class="states" aria-label="State">${link('open', 'open')}${link('closed', 'closed')}</nav>`;
}

const listPage = (kind: Kind) =>
  page({
    path: `/{owner}/{repo}/${kinds[kind].path}` as '/{owner}/{repo}/issues',
    frame: inRepository(kind === 'issue' ? 'issues' : 'pulls'),
    reads: (request) => ({
      shown: shownBy(kind, request),
      labels: read(listRepoLabels, { query: { per_page: 100 } }),
      milestones: readOptional(listRepoMilestones, { query: { per_page: 50 } }),
      people: readOptional(listAssignees, { query: { per_page: 50 } }),
    }),
    follows: ({ shown }) => ({
      states: read(listPullStates, {
        query: { numbers: (shown?.items ?? []).flatMap(({ number, pull_request }) => (pull_request ? [number] : [])).join(',') },
      }),
    }),
    render({ shown, labels, milestones = [], people = [], states, repository }, request, { shown: position }) {
      const { title, icon: name } = kinds[kind];
      const q = queryOf(kind, request);
      const plan = planList(q, kind, request.person?.login);
      const listAddress = repositoryPath(repository, kinds[kind].path);
      const counts = shown && 'open' in shown ? shown : undefined;
      const items: readonly ListedIssue[] = shown?.items ?? [];
      const options = {
        request,
        states: new Map(states.map((state) => [state.number, state])),
        labelAddress: (label: string) => `${listAddress}?q=${encodeURIComponent(labelQuery(kinds[kind].is, label))}`,
      };
      const isFiltered = q.trim() !== startOf(kind);
      const empty = isFiltered
        ? emptyState({
            icon: name,
            title: 'Nothing matches this search.',
            hint: html`<a href="${listAddress}">Show what is open</a>`,
          })
        : emptyState({
            icon: name,
            title: kind === 'issue' ? 'Open issues will be listed here.' : 'Open pull requests will be listed here.',
            hint: emptyHint(kind, repository.full_name),
          });
      return {
        title: `${title} · ${repository.full_name}`,
        body: html`<h1 class="unseen">${title}</h1><div class="list-head">${searchBox(request, {
          q,
          label: `Search ${title.toLowerCase()}`,
          action: listAddress,
        })}
<a class="button" href="${repositoryPath(repository, 'labels')}">${icon('label')}Labels</a>
<a class="button" href="${repositoryPath(repository, 'milestones')}">${icon('milestone')}Milestones</a></div>
${searchNotes(request, { plan, shown: shown && 'total_count' in shown ? shown : undefined, isRefused: shown === undefined })}
<div class="panel"><header class="list-bar">${stateLinks(q, request.address, counts)}${filters(kind, request, {
          labels,
          milestones,
          people,
        })}</header>
${items.length === 0 ? empty : html`<ul class="rows">${items.map((item) => issueRow(item, options))}</ul>`}</div>
${pager(request, { position, perPage })}`,
      };
    },
  });

/** What to do for the list to be filled. */
const emptyHint = (kind: Kind, name: string): TrustedHtml =>
  kind === 'issue'
    ? html`Open one with the API: <code>POST /repos/${name}/issues</code>`
    : html`Push a branch, and open one with the API: <code>POST /repos/${name}/pulls</code>`;

export const issuesPage = listPage('issue');
export const pullsPage = listPage('pull');
