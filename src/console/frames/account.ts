// The frame of the pages of a person or an organization: its name and its tabs.

import { localAddress, pagePath } from '#console/components/address.ts';
import { countBadge } from '#console/components/lists.ts';
import { avatar } from '#console/components/person.ts';
import { type Found, type Frame, type PageRequest, read, readOptional } from '#console/page.ts';
import { type IconName, icon } from '#html/icons.ts';
import { attribute, html } from '#html/template.ts';
import { getUser } from '#resources/identity/accounts/endpoints/accounts.ts';
import { getOwnMembership } from '#resources/identity/members/endpoints.ts';
import { footer, topBar } from './plain.ts';

const reads = ({ words, person }: PageRequest) => {
  const login = words.account ?? words.org ?? '';
  return {
    account: read(getUser, { words: { username: login } }),
    membership: person ? readOptional(getOwnMembership, { words: { org: login } }) : undefined,
  };
};
type AccountReads = ReturnType<typeof reads>;

/** What every page of a person or an organization has read. */
export type FoundAccount = Found<AccountReads>;

type Tab = 'overview' | 'repositories' | 'stars' | 'people' | 'teams' | 'settings' | 'none';

/** The frame of an account's pages, whose path begins with `{account}`, or names an `{org}`. `tab`: the current tab. */
export const ofAccount = (tab: Tab): Frame<AccountReads> => ({
  reads,
  render({ body }, { account, membership }, request) {
    const isMember = membership?.state === 'active';
    const isOrganization = account.type === 'Organization';
    const tabs: readonly (readonly [tab: Tab, icon: IconName, title: string, path: string, count?: number])[] = [
      ['overview', 'home', 'Overview', `/${account.login}`],
      ['repositories', 'book', 'Repositories', `/${account.login}?tab=repositories`, account.public_repos],
      ...(isOrganization
        ? ([
            ['people', 'people', 'People', `/orgs/${account.login}/people`],
            ...(isMember ? ([['teams', 'organization', 'Teams', `/orgs/${account.login}/teams`]] as const) : []),
            ...(isMember && membership.role === 'admin'
              ? ([['settings', 'settings', 'Settings', `/organizations/${account.login}/settings`]] as const)
              : []),
          ] as const)
        : ([['stars', 'star', 'Stars', `/${account.login}?tab=stars`]] as const)),
    ];
    const where = html`<span class="row">${avatar(account)}<a href="${pagePath(account.login)}">${account.login}</a></span>`;
    const shown = tabs.map(
      ([name, icons, title, path, count]) =>
        html`<a href="${path}"${attribute('aria-current', name === tab && 'page')}>
${icon(icons)}${title}${countBadge(count)}</a>`,
    );
    return html`${topBar(where, request)}
<nav class="tabs" aria-label="${isOrganization ? 'Organization' : 'Person'}">${shown}</nav>
<main id="main">${body}</main>${footer(localAddress(account.url, request.links.html))}`;
  },
});
