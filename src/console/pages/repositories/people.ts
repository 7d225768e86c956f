// The people who star and watch a repository, its forks, and those who wrote it.
import { localAddress } from '#console/components/address.ts';
import { countBadge, counted, emptyState, pager } from '#console/components/lists.ts';
import { avatar, personLink, personWithAvatar } from '#console/components/person.ts';
import { timeAgo } from '#console/components/time.ts';
import { inRepository, repositoryPath, type ShownRepository } from '#console/frames/repository.ts';
import { page, read, readOptional } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { attribute, html, type TrustedHtml } from '#html/template.ts';
import { listContributors } from '#resources/code/commits/endpoints.ts';
import { listRepositoryForks } from '#resources/repositories/repositories/endpoints/copies.ts';
import { listRepoStargazers } from '#resources/repositories/stars/endpoints.ts';
import { listRepoSubscribers } from '#resources/repositories/watching/endpoints.ts';

const perPage = 50;

const insights = [
  ['graphs/contributors', 'Contributors'],
  ['network/dependencies', 'Dependencies'],
  ['forks', 'Forks'],
  ['stargazers', 'Stars'],
  ['watchers', 'Watchers'],
  ['community', 'Community'],
] as const;

/** The pages about a repository, one of which is shown. */
export const insightTabs = (repository: ShownRepository, current: (typeof insights)[number][0]): TrustedHtml =>
  html`<nav class="tabs inner" aria-label="Insights">${insights.map(
    ([path, title]) =>
      html`<a href="${repositoryPath(repository, path)}"${attribute('aria-current', path === current && 'page')}>${title}</a>`,
  )}</nav>`;

export const stargazersPage = page({
  path: '/{owner}/{repo}/stargazers',
  frame: inRepository('insights'),
  reads: ({ query }) => ({
    stars: read(listRepoStargazers, { media: 'star', query: { per_page: perPage, page: query.page } }),
  }),
  render({ stars, repository }, request, { stars: position }) {
    const rows = stars.map((star) =>
      'user' in star
        ? html`<li>${personWithAvatar(star.user)}<span class="push soft small">starred it
${timeAgo(star.starred_at, request.now)}</span></li>`
        : html`<li>${personWithAvatar(star)}</li>`,
    );
    const empty = emptyState({ icon: 'star', title: 'People who star this repository will be listed here.' });
    return {
      title: `Stars · ${repository.full_name}`,
      body: html`${insightTabs(repository, 'stargazers')}<div class="heading"><h1>Stars</h1>${countBadge(position?.total)}</div>
${rows.length === 0 ? empty : html`<ul class="rows panel">${rows}</ul>`}${pager(request, { position, perPage })}`,
    };
  },
});

export const watchersPage = page({
  path: '/{owner}/{repo}/watchers',
  frame: inRepository('insights'),
  reads: ({ query }) => ({ watchers: read(listRepoSubscribers, { query: { per_page: perPage, page: query.page } }) }),
  render({ watchers, repository }, request, { watchers: position }) {
    const rows = watchers.map((person) => html`<li>${personWithAvatar(person)}</li>`);
    const empty = emptyState({ icon: 'eye', title: 'People who are told of all that happens here will be listed.' });
    return {
      title: `Watchers · ${repository.full_name}`,
      body: html`${insightTabs(repository, 'watchers')}<div class="heading"><h1>Watchers</h1>${countBadge(position?.total)}</div>
${rows.length === 0 ? empty : html`<ul class="rows panel">${rows}</ul>`}${pager(request, { position, perPage })}`,
    };
  },
});

export const forksPage = page({
  path: '/{owner}/{repo}/forks',
  frame: inRepository('insights'),
  reads: ({ query }) => ({ forks: read(listRepositoryForks, { query: { per_page: perPage, page: query.page } }) }),
  render({ forks, repository }, request, { forks: position }) {
    const rows = forks.map(
      (fork) => html`<li>${avatar(fork.owner)}<a class="title"
href="${localAddress(fork.html_url, request.links.html)}">${fork.full_name}</a>
<span class="soft small row push"><span>${icon('star')} ${fork.stargazers_count}</span>
<span>${fork.pushed_at === null ? 'nothing pushed' : html`pushed ${timeAgo(fork.pushed_at, request.now)}`}</span></span></li>`,
    );
    const empty = emptyState({ icon: 'fork', title: 'Forks of this repository that you may see will be listed here.' });
    const { parent } = repository;
    return {
      title: `Forks · ${repository.full_name}`,
      body: html`${insightTabs(repository, 'forks')}<div class="heading"><h1>Forks</h1>${countBadge(position?.total)}</div>
${
  parent
    ? html`<p>This is a fork of <a
href="${localAddress(parent.html_url, request.links.html)}">${parent.full_name}</a>.</p>`
    : ''
}
${rows.length === 0 ? empty : html`<ul class="rows panel">${rows}</ul>`}${pager(request, { position, perPage })}`,
    };
  },
});

/** A bar whose length is a part of the largest. */
const bar = (part: number, most: number): TrustedHtml =>
  html`<svg class="bars" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true"><rect width="100" height="12"/>
<rect width="${most === 0 ? 0 : Math.max(1, Math.round((part * 100) / most))}" height="12"/></svg>`;

export const contributorsPage = page({
  path: '/{owner}/{repo}/graphs/contributors',
  frame: inRepository('insights'),
  reads: ({ query }) => ({
    people: readOptional(listContributors, { query: { anon: '1', per_page: perPage, page: query.page } }),
  }),
  render({ people, repository }, request, { people: position }) {
    const shown = Array.isArray(people) ? people : [];
    const most = Math.max(0, ...shown.map(({ contributions }) => contributions));
    const rows = shown.map(
      (one) => html`<tr><th scope="row">${
        'login' in one
          ? html`<span
class="who">${avatar(one)}${personLink(one)}</span>`
          : html`<span dir="auto">${one.name}</span>`
      }</th>
<td>${counted(one.contributions, 'commit')}</td><td class="grow">${bar(one.contributions, most)}</td></tr>`,
    );
    const empty = emptyState({ icon: 'people', title: 'Whoever has written commits of the default branch will be listed here.' });
    const table = html`<div class="panel"><table class="rows"><caption class="unseen">Contributors by number of commits</caption>
<thead class="unseen"><tr><th scope="col">Who</th><th scope="col">Commits</th><th
scope="col">Compared</th></tr></thead><tbody>${rows}</tbody></table></div>`;
    return {
      title: `Contributors · ${repository.full_name}`,
      body: html`${insightTabs(repository, 'graphs/contributors')}<div class="heading"><h1>Contributors</h1>
<span class="soft small">to
${repository.default_branch}</span></div>${rows.length === 0 ? empty : table}${pager(request, { position, perPage })}`,
    };
  },
});
