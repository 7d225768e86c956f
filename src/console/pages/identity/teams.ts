// The teams of an organization, and one of them. Members alone see them.

import { pagePath } from '#console/components/address.ts';
import { counted, emptyState, pager } from '#console/components/lists.ts';
import { avatar, personLink } from '#console/components/person.ts';
import { repositoryList } from '#console/components/repository-list.ts';
import { factList } from '#console/components/table.ts';
import { timeAgo } from '#console/components/time.ts';
import { ofAccount } from '#console/frames/account.ts';
import { page, read } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import { listMembersBySlug } from '#resources/identity/teams/endpoints/members.ts';
import { getTeamBySlug, listOrgTeams, listTeamsBelowSlug } from '#resources/identity/teams/endpoints/teams.ts';
import { listReposBySlug } from '#resources/repositories/team-repositories/endpoints.ts';

const perPage = 100;
const perTeam = 50;

type ShownTeam = {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly description: string | null;
  readonly privacy: string;
  readonly parent: { readonly id: number } | null;
};

const teamPath = (login: string, slug: string): string => pagePath('orgs', login, 'teams', slug);

export const teamsPage = page({
  path: '/orgs/{org}/teams',
  frame: ofAccount('teams'),
  reads: ({ query }) => ({ teams: read(listOrgTeams, { query: { per_page: perPage, page: query.page } }) }),
  render: ({ account, teams }, request, positions) => ({
    title: `Teams · ${account.login}`,
    body: html`<div class="heading"><h1>Teams</h1></div>${
      teams.length === 0
        ? emptyState({
            icon: 'organization',
            title: 'Teams that you may see will be listed here.',
            hint: html`Create one by <code>POST /orgs/${account.login}/teams</code>. Teams get roles in repositories together.`,
          })
        : html`<div class="panel tree">${teamTree(account.login, teams)}</div>`
    }${pager(request, { position: positions.teams, perPage })}`,
  }),
});

/** Teams below their parents. A team whose parent is on another page stands at the top. */
function teamTree(login: string, teams: readonly ShownTeam[]): TrustedHtml {
  const known = new Set(teams.map(({ id }) => id));
  const below = new Map<number | undefined, ShownTeam[]>();
  for (const team of teams) {
    const parent = team.parent && known.has(team.parent.id) ? team.parent.id : undefined;
    below.set(parent, [...(below.get(parent) ?? []), team]);
  }
  const level = (parent: number | undefined): TrustedHtml =>
    html`<ul>${(below.get(parent) ?? []).map(
      (team) => html`<li>${teamRow(login, team)}${below.has(team.id) ? level(team.id) : ''}</li>`,
    )}</ul>`;
  return level(undefined);
}

const teamRow = (login: string, { name, slug, description, privacy }: ShownTeam): TrustedHtml =>
  html`<div class="team"><a class="title" href="${teamPath(login, slug)}" dir="auto">${name}</a>${secretBadge(privacy)}${
    description ? html`<p class="soft" dir="auto">${description}</p>` : ''
  }</div>`;

const secretBadge = (privacy: string): TrustedHtml =>
  privacy === 'secret' ? html`<span class="badge">${icon('lock')}secret</span>` : html``;

export const teamPage = page({
  path: '/orgs/{org}/teams/{team_slug}',
  frame: ofAccount('teams'),
  reads: ({ query }) => ({
    team: read(getTeamBySlug),
    maintainers: read(listMembersBySlug, { query: { role: 'maintainer', per_page: perTeam } }),
    members: read(listMembersBySlug, { query: { role: 'member', per_page: perTeam, page: query.page } }),
    repositories: read(listReposBySlug, { query: { per_page: perTeam } }),
    children: read(listTeamsBelowSlug, { query: { per_page: perTeam } }),
  }),
  render({ account, team, maintainers, members, repositories, children }, request, positions) {
    const { login } = account;
    const roles = new Map(repositories.map(({ full_name, role_name }) => [full_name, role_name]));
    const person = (role: string) => (one: (typeof members)[number]) =>
      html`<li>${avatar(one, 28)}<span class="grow">${personLink(one)}</span><span class="soft small">${role}</span></li>`;
    return {
      title: `${team.name} · ${login}`,
      body: html`<div class="heading"><h1 dir="auto">${team.name}</h1>${secretBadge(team.privacy)}</div>
${team.description ? html`<p class="lead" dir="auto">${team.description}</p>` : ''}
<div class="split"><div class="stack"><section class="stack"><h2>${counted(team.repos_count, 'repository', 'repositories')}</h2>${
        repositories.length === 0
          ? emptyState({ icon: 'book', title: 'Repositories in which the team has a role will be listed here.' })
          : repositoryList(repositories, request, { withOwner: true, end: ({ full_name }) => roles.get(full_name) ?? '' })
      }${moreThan(perTeam, team.repos_count, 'repositories')}</section>
<section class="stack"><h2>${counted(team.members_count, 'member')}</h2>${
        maintainers.length + members.length === 0
          ? emptyState({ icon: 'people', title: 'Members of the team will be listed here.' })
          : html`<ul class="rows panel">${maintainers.map(person('maintainer'))}${members.map(person(''))}</ul>`
      }${pager(request, { position: positions.members, perPage: perTeam })}</section></div>
<div class="side"><section>${factList([
        ['Mention', html`<code>@${login}/${team.slug}</code>`],
        ['Parent', team.parent ? html`<a href="${teamPath(login, team.parent.slug)}">${team.parent.name}</a>` : undefined],
        ['Notifications', team.notification_setting === 'notifications_enabled' ? 'on' : 'off'],
        ['Created', timeAgo(team.created_at, request.now)],
      ])}</section>${
        children.length > 0
          ? html`<section><h2>Teams below it</h2><ul>${children.map(
              ({ name, slug }) => html`<li><a class="inline" href="${teamPath(login, slug)}">${name}</a></li>`,
            )}</ul></section>`
          : ''
      }</div></div>`,
    };
  },
});

/** What is left of a list that isn't shown as a whole. */
const moreThan = (shown: number, total: number, noun: string): TrustedHtml =>
  total > shown ? html`<p class="soft small">The first ${shown} of ${total} ${noun} are shown.</p>` : html``;
