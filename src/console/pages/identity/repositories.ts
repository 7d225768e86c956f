// The repositories of an account, with the filters of their list.

import { pagePath } from '#console/components/address.ts';
import { emptyState, pager } from '#console/components/lists.ts';
import { type ListedRepository, repositoryList } from '#console/components/repository-list.ts';
import { ofAccount } from '#console/frames/account.ts';
import { type PageQuery, type PageRequest, page, read } from '#console/page.ts';
import type { ListPosition } from '#endpoint/paging.ts';
import { flag, html, type TrustedHtml } from '#html/template.ts';
import { searchRepositoriesEndpoint } from '#resources/platform/search/endpoints.ts';
import { listOrgRepositories, listUserRepositories } from '#resources/repositories/repositories/endpoints/lists.ts';

const perPage = 30;
const shownFirst = 6;

type Option = readonly [value: string, title: string];

/** The types that each list can be narrowed to. */
export const repositoryTypes: Record<'person' | 'organization', readonly Option[]> = {
  person: [
    ['', 'All of theirs'],
    ['member', 'Where they collaborate'],
  ],
  organization: [
    ['', 'All types'],
    ['public', 'Public'],
    ['private', 'Private'],
    ['internal', 'Internal'],
    ['sources', 'Sources'],
    ['forks', 'Forks'],
  ],
};

const sorts: readonly Option[] = [
  ['', 'Latest push'],
  ['updated', 'Last changed'],
  ['created', 'Newest'],
  ['full_name', 'Name'],
];

const chosen = (options: readonly Option[], wanted: string | undefined): string | undefined =>
  options.find(([value]) => value !== '' && value === wanted)?.[0];

const filtersOf = (query: PageQuery) => ({ text: query.q?.trim() ?? '', language: query.language?.trim() ?? '' });

/** Words of a query of the search: quoted, so that no word of them is a qualifier. */
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, ' ')}"`;

/** The query of the search for repositories of an account. */
function searchQuery(login: string, { text, language }: ReturnType<typeof filtersOf>, type: string | undefined): string {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return [
    ...words.map(quoted),
    `user:${login}`,
    `fork:${type === 'forks' ? 'only' : type === 'sources' ? 'false' : 'true'}`,
    ...(type === 'public' || type === 'private' || type === 'internal' ? [`is:${type}`] : []),
    ...(language === '' ? [] : [`language:${quoted(language)}`]),
  ].join(' ');
}

type Owner = { readonly login: string; readonly isOrganization: boolean };

/** Reads the list, or searches it where words or a language are given. A search counts as one. */
export function readRepositories(
  { login, isOrganization }: Owner,
  { query, isOverview }: { query: PageQuery; isOverview: boolean },
) {
  const filters = filtersOf(query);
  const types = repositoryTypes[isOrganization ? 'organization' : 'person'];
  const type = isOverview ? undefined : chosen(types, query.type);
  const sort = isOverview ? 'pushed' : (chosen(sorts, query.sort) ?? 'pushed');
  const paging = isOverview ? { per_page: shownFirst } : { per_page: perPage, page: query.page };
  const isSearched = !isOverview && (filters.text !== '' || filters.language !== '');
  const order = sort === 'updated' || sort === 'pushed' ? ({ sort: 'updated' } as const) : {};
  const listed = { query: { sort, type, ...paging } };
  const list = () =>
    isOrganization
      ? read(listOrgRepositories, { ...listed, words: { org: login } })
      : read(listUserRepositories, { ...listed, words: { username: login } });
  return {
    search: isSearched
      ? read(searchRepositoriesEndpoint, { query: { q: searchQuery(login, filters, type), ...order, ...paging } })
      : undefined,
    repositories: isSearched ? undefined : list(),
  };
}

type ShownLists = {
  readonly repositories?: readonly ListedRepository[] | undefined;
  readonly search?: { readonly items: readonly ListedRepository[] } | undefined;
};

type Surroundings = {
  readonly position: ListPosition | undefined;
  /** Where the filters lead. */
  readonly path: string;
  readonly hidden?: TrustedHtml;
  readonly types: readonly Option[];
  /** Whether the viewer's own repositories are listed. */
  readonly isOwn: boolean;
};

/** The filters and the list. */
export function repositoriesBody(
  { repositories, search }: ShownLists,
  request: PageRequest,
  { position, path, hidden, types, isOwn }: Surroundings,
): TrustedHtml {
  const { query } = request;
  const shown = search?.items ?? repositories ?? [];
  const isFiltered = search !== undefined || query.type !== undefined;
  const empty = isFiltered
    ? emptyState({ icon: 'filter', title: 'No repository matches.', hint: html`<a class="inline" href="${path}">Show all</a>` })
    : emptyState({
        icon: 'book',
        title: 'Repositories will be listed here.',
        hint: isOwn ? html`Create one with <code>gh repo create</code>, and push to it.` : undefined,
      });
  return html`<form class="list-filters row" action="${path}">${hidden}
<label class="grow"><span class="unseen">Find a repository</span>
<input type="text" name="q" value="${query.q}" placeholder="Find a repository" autocomplete="off"></label>
${choice('type', 'Type', types, query.type)}
<label><span class="unseen">Language</span>
<input type="text" name="language" value="${query.language}" placeholder="Language" size="12" autocomplete="off"></label>
${choice('sort', 'Order', sorts, query.sort)}<button>Show</button></form>
${shown.length === 0 ? empty : repositoryList(shown, request)}${pager(request, { position, perPage })}`;
}

const choice = (name: string, title: string, options: readonly Option[], current: string | undefined): TrustedHtml =>
  html`<label><span class="unseen">${title}</span><select name="${name}">${options.map(
    ([value, text]) => html`<option value="${value}"${flag('selected', value !== '' && value === current)}>${text}</option>`,
  )}</select></label>`;

export const organizationRepositoriesPage = page({
  path: '/orgs/{org}/repositories',
  frame: ofAccount('repositories'),
  follows: ({ account }, { query }) =>
    readRepositories({ login: account.login, isOrganization: true }, { query, isOverview: false }),
  render({ account, repositories, search }, request, positions) {
    return {
      title: `Repositories · ${account.login}`,
      body: html`<h1 class="unseen">Repositories of ${account.login}</h1>${repositoriesBody({ repositories, search }, request, {
        position: positions.repositories ?? positions.search,
        path: pagePath('orgs', account.login, 'repositories'),
        types: repositoryTypes.organization,
        isOwn: false,
      })}`,
    };
  },
});
