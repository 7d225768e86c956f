// The frame of pages that belong to nothing: the bar at the top.

import { avatar } from '#console/components/person.ts';
import type { Frame, PageRequest } from '#console/page.ts';
import { brand } from '#html/brand.ts';
import { icon } from '#html/icons.ts';
import { html, type Insertable, type TrustedHtml } from '#html/template.ts';

/** The bar at the top of every page. `where`: the name of what is looked at, as links. */
export function topBar(where: Insertable, { person, address, csrf, query }: PageRequest): TrustedHtml {
  return html`<a class="skip" href="#main">Skip to content</a>
<header class="bar"><a class="brand" href="/" aria-label="Home" data-shortcut="g h">${brand}</a>
<nav class="where" aria-label="Location">${where}</nav>
<form class="find" action="/search" role="search"><label>${icon('search')}<span class="unseen">Search</span>
<input name="q" type="search" placeholder="Search" value="${query.q}" data-shortcut="/" autocomplete="off"></label></form>
${person ? personMenu(person, csrf) : signInLink(address)}</header>`;
}

const signInLink = (address: string): TrustedHtml =>
  html`<a class="button" href="/login?return_to=${encodeURIComponent(address)}">Sign in</a>`;

const personMenu = (person: NonNullable<PageRequest['person']>, csrf: string): TrustedHtml =>
  html`<a class="quiet" href="/notifications" aria-label="Notifications" data-shortcut="g n">${icon('bell')}</a>
<details class="menu"><summary aria-label="Account of ${person.login}">${avatar(person, 28)}</summary><div class="menu-items">
<a href="/${person.login}">${icon('person')}${person.login}</a>
<a href="/issues">${icon('circle-dot')}Your issues</a>
<a href="/pulls">${icon('pull')}Your pull requests</a>
<a href="/settings/sessions">${icon('settings')}Settings</a>
<form method="post" action="/logout"><input type="hidden" name="csrf" value="${csrf}">
<button>${icon('sign-out')}Sign out</button></form></div></details>`;

/** The end of every page: what server this is, and the address of the same in the API. */
export const footer = (api?: string): TrustedHtml =>
  html`<footer class="foot"><span>Hearth</span><a href="/docs/">API</a>
${api === undefined ? '' : html`<a href="${api}">This page as JSON</a>`}
<a href="/shortcuts" data-shortcut="?">Keyboard</a></footer>`;

/** The frame of pages that belong to no repository and no account. */
export const plainFrame: Frame<Record<never, never>> = {
  reads: () => ({}),
  render: ({ body }, _found, request) => html`${topBar('', request)}<main id="main">${body}</main>${footer()}`,
};
