// The page of a person or an organization.

import { pagePath, withQuery } from '#console/components/address.ts';
import { emptyState, pager } from '#console/components/lists.ts';
import { avatar } from '#console/components/person.ts';
import { type ListedRepository, repositoryList } from '#console/components/repository-list.ts';
import { factList } from '#console/components/table.ts';
import { rendered } from '#console/components/text.ts';
import { timeAgo } from '#console/components/time.ts';
import { type FoundAccount, ofAccount } from '#console/frames/account.ts';
import { type Frame, type PageRequest, page, read, readOptional } from '#console/page.ts';
import { attribute, html, type TrustedHtml } from '#html/template.ts';
import { getProfileReadme } from '#resources/code/source-pages/endpoints/readme.ts';
import { listOrgMembers } from '#resources/identity/members/endpoints.ts';
import { getOrganization, listUserOrganizations } from '#resources/identity/organizations/endpoints.ts';
import { listTeamsOfViewer } from '#resources/identity/teams/endpoints/own.ts';
import { listUserStarred } from '#resources/repositories/stars/endpoints.ts';
import { readRepositories, repositoriesBody, repositoryTypes } from './repositories.ts';

const perPage = 30;
const shownPeople = 24;

const tabs = ['repositories', 'stars', 'followers', 'following'] as const;
type Tab = (typeof tabs)[number] | 'overview';

const tabOf = ({ tab }: PageRequest['query']): Tab => tabs.find((name) => name === tab) ?? 'overview';

const frames = {
  overview: ofAccount('overview'),
  repositories: ofAccount('repositories'),
  stars: ofAccount('stars'),
  followers: ofAccount('none'),
  following: ofAccount('none'),
} as const;

/** The frame with the tab that the query names. */
const frame: Frame<ReturnType<typeof frames.overview.reads>> = {
  reads: frames.overview.reads,
  render: (content, found, request) => frames[tabOf(request.query)].render(content, found, request),
};

/** What each kind of account reads for each tab. */
const readsFor = ({ login, type }: FoundAccount['account'], { query, person }: PageRequest) => {
  const tab = tabOf(query);
  const isOrganization = type === 'Organization';
  const isOverview = tab === 'overview';
  const own = { words: { username: login } };
  return {
    ...(isOverview && isOrganization
      ? {
          organization: read(getOrganization, { words: { org: login } }),
          people: readOptional(listOrgMembers, { words: { org: login }, query: { per_page: shownPeople } }),
        }
      : {}),
    ...(isOverview && !isOrganization
      ? { organizations: read(listUserOrganizations, { ...own, query: { per_page: shownPeople } }) }
      : {}),
    ...(isOverview && person?.login === login
      ? { teams: readOptional(listTeamsOfViewer, { query: { per_page: shownPeople } }) }
      : {}),
    ...(isOverview
      ? {
          readme: isOrganization
            ? readOptional(getProfileReadme, { words: { owner: login, repo: '.github' }, query: { folder: 'profile' } })
            : readOptional(getProfileReadme, { words: { owner: login, repo: login } }),
        }
      : {}),
    ...(tab === 'stars' ? { starred: read(listUserStarred, { ...own, query: { per_page: perPage, page: query.page } }) } : {}),
    ...(isOverview || tab === 'repositories' ? readRepositories({ login, isOrganization }, { query, isOverview }) : {}),
  };
};

export const profilePage = page({
  path: '/{account}',
  frame,
  follows: ({ account }, request) => readsFor(account, request),
  render(found, request, positions) {
    const { account } = found;
    const { login, type } = account;
    if (type === 'Bot') return { redirect: pagePath('apps', login.replace(/\[bot\]$/, '')) };
    const tab = tabOf(request.query);
    const title = account.name ? `${account.name} (${login})` : login;
    const lists = { repositories: found.repositories, search: found.search, type };
    if (tab === 'repositories')
      return {
        title: `Repositories · ${login}`,
        body: html`<h1 class="unseen">Repositories of ${login}</h1>${repositoriesBody(lists, request, {
          position: positions.repositories ?? positions.search,
          path: pagePath(login),
          hidden: html`<input type="hidden" name="tab" value="repositories">`,
          types: type === 'Organization' ? repositoryTypes.organization : repositoryTypes.person,
          isOwn: request.person?.login === login,
        })}`,
      };
    if (tab === 'stars') return { title: `Stars · ${login}`, body: starsBody(found.starred ?? [], request, positions.starred) };
    if (tab === 'followers' || tab === 'following') return { title: login, body: withoutFollowers(login, tab) };
    return { title, ...(account.bio ? { description: account.bio } : {}), body: overviewBody(found, request) };
  },
});

type FoundProfile = FoundAccount & {
  readonly organization?: { readonly description: string | null; readonly is_verified: boolean } | undefined;
  readonly people?: readonly { readonly login: string; readonly id: number }[] | undefined;
  readonly organizations?: readonly { readonly login: string; readonly id: number }[] | undefined;
  readonly teams?:
    | readonly { readonly name: string; readonly slug: string; readonly organization: { readonly login: string } }[]
    | undefined;
  readonly readme?: { readonly path: string; readonly html: Parameters<typeof rendered>[0] | null } | undefined;
  readonly repositories?: readonly ListedRepository[] | undefined;
};

const overviewBody = (found: FoundProfile, request: PageRequest): TrustedHtml =>
  html`<div class="split start profile"><div class="side">${sideOf(found, request)}</div><div class="stack">${
    found.readme ? html`<section class="panel" aria-label="README">${rendered(found.readme.html ?? undefined)}</section>` : ''
  }<section class="stack"><div class="row"><h2>Repositories</h2>
<a class="push small" href="${withQuery(pagePath(found.account.login), { tab: 'repositories' })}">All repositories</a></div>${
    found.repositories === undefined || found.repositories.length === 0
      ? emptyState({
          icon: 'book',
          title: 'Repositories will be listed here, the one with the latest push first.',
          hint:
            request.person?.login === found.account.login
              ? html`Create one with <code>gh repo create</code>, and push to it.`
              : undefined,
        })
      : repositoryList(found.repositories, request)
  }</section></div></div>`;

function sideOf(
  { account, organization, people, organizations, teams, membership }: FoundProfile,
  { now }: PageRequest,
): TrustedHtml {
  const about = organization ? organization.description : account.bio;
  const name = account.name && account.name !== account.login ? account.name : undefined;
  return html`<section class="stack about">${avatar(account, 160)}<div><h1 dir="auto">${name ?? account.login}</h1>${
    name ? html`<p class="soft">${account.login}</p>` : ''
  }</div>${about ? html`<p dir="auto">${about}</p>` : ''}${factList([
    [
      'Role',
      membership?.state === 'active' ? (membership.role === 'admin' ? 'You are an owner' : 'You are a member') : undefined,
    ],
    ['Verified', organization?.is_verified ? 'yes' : undefined],
    ['Company', account.company],
    ['Location', account.location],
    ['E-mail', account.email ? html`<a href="mailto:${account.email}">${account.email}</a>` : undefined],
    [
      'Website',
      account.blog ? html`<a rel="nofollow noopener" href="${webAddress(account.blog)}">${account.blog}</a>` : undefined,
    ],
    [organization ? 'Since' : 'Joined', timeAgo(account.created_at, now)],
  ])}</section>${accountsSection('People', people, organization && pagePath('orgs', account.login, 'people'))}${accountsSection(
    'Organizations',
    organizations,
  )}${
    teams && teams.length > 0
      ? html`<section><h2>Teams</h2><ul>${teams.map(
          ({ name: team, slug, organization: { login } }) =>
            html`<li><a class="inline" href="${pagePath('orgs', login, 'teams', slug)}">${team}</a>
<span class="soft small">${login}</span></li>`,
        )}</ul></section>`
      : ''
  }`;
}

/** A website as people write it: without a scheme, it is one of HTTPS. */
const webAddress = (text: string): string => (/^[a-z][a-z\d+.-]*:/i.test(text) ? text : `https://${text}`);

const accountsSection = (title: string, accounts: FoundProfile['people'], path?: string): TrustedHtml =>
  accounts && accounts.length > 0
    ? html`<section><h2>${path ? html`<a href="${path}">${title}</a>` : title}</h2><p class="row faces">${accounts.map(
        (account) =>
          html`<a href="${pagePath(account.login)}" aria-label="${account.login}"
${attribute('title', account.login)}>${avatar(account, 34)}</a>`,
      )}</p></section>`
    : html``;

/** Lists of stars have the repositories themselves, or the repositories with the time of the star. */
const starsBody = (
  starred: readonly (ListedRepository | { readonly repo: ListedRepository })[],
  request: PageRequest,
  position: Parameters<typeof pager>[1]['position'],
): TrustedHtml =>
  html`<h1 class="unseen">Stars</h1>${
    starred.length === 0
      ? emptyState({
          icon: 'star',
          title: 'Repositories with a star will be listed here.',
          hint: 'A star keeps a repository in this list.',
        })
      : repositoryList(
          starred.map((one) => ('repo' in one ? one.repo : one)),
          request,
          { withOwner: true },
        )
  }${pager(request, { position, perPage })}`;

const withoutFollowers = (login: string, tab: 'followers' | 'following'): TrustedHtml =>
  html`<h1 class="unseen">${tab === 'followers' ? 'Followers' : 'Following'}</h1>${emptyState({
    icon: 'people',
    title: 'People can’t follow each other on this server.',
    hint: html`<a class="inline" href="${pagePath(login)}">Back to ${login}</a>`,
  })}`;
