// The people of an organization: all of them for members, for others those who say so.

import { pagePath, withQuery } from '#console/components/address.ts';
import { emptyState, pager } from '#console/components/lists.ts';
import { avatar } from '#console/components/person.ts';
import { ofAccount } from '#console/frames/account.ts';
import { type PageRequest, page, read } from '#console/page.ts';
import { attribute, html, type TrustedHtml } from '#html/template.ts';
import { listOrgMembers } from '#resources/identity/members/endpoints.ts';

const perPage = 50;
const roles = [
  [undefined, 'Everybody'],
  ['admin', 'Owners'],
  ['member', 'Members'],
] as const;

export const organizationPath = page({
  path: '/orgs/{org}',
  frame: ofAccount('overview'),
  render: ({ account }) => ({ redirect: pagePath(account.login) }),
});

export const peoplePage = page({
  path: '/orgs/{org}/people',
  frame: ofAccount('people'),
  reads: ({ query }) => ({
    people: read(listOrgMembers, { query: { per_page: perPage, page: query.page, role: roleOf(query.role) } }),
  }),
  render({ account, membership, people }, request, positions) {
    const isMember = membership?.state === 'active';
    return {
      title: `People · ${account.login}`,
      body: html`<div class="heading"><h1>People</h1>${
        isMember ? '' : html`<p class="soft">Those who show that they belong to ${account.login}.</p>`
      }</div>${roleLinks(request)}${
        people.length === 0
          ? emptyState({
              icon: 'people',
              title: 'People will be listed here.',
              hint: isMember ? 'Nobody has this role.' : 'Members decide themselves whether others see them here.',
            })
          : html`<ul class="rows panel">${people.map(
              (person) =>
                html`<li>${avatar(person, 34)}<a class="title grow" href="${pagePath(person.login)}">${person.login}</a></li>`,
            )}</ul>`
      }${pager(request, { position: positions.people, perPage })}`,
    };
  },
});

const roleOf = (wanted: string | undefined) => roles.find(([role]) => role === wanted)?.[0];

const roleLinks = ({ address, query }: PageRequest): TrustedHtml =>
  html`<nav class="tabs inner" aria-label="Roles">${roles.map(
    ([role, title]) =>
      html`<a href="${withQuery(address, { role, page: undefined })}"
${attribute('aria-current', roleOf(query.role) === role && 'page')}>${title}</a>`,
  )}</nav>`;
