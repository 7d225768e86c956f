// The front page: to visitors what this server is, to people their work.

import { localAddress } from '#console/components/address.ts';
import { counted, emptyState } from '#console/components/lists.ts';
import { repositoryList } from '#console/components/repository-list.ts';
import { timeAgo } from '#console/components/time.ts';
import { plainFrame } from '#console/frames/plain.ts';
import { type Found, type PageRequest, page, read } from '#console/page.ts';
import { type IconName, icon } from '#html/icons.ts';
import { html, type Insertable, type TrustedHtml } from '#html/template.ts';
import { listNotifications } from '#resources/platform/notifications/endpoints/inbox.ts';
import { getOwnWork } from '#resources/platform/search/page-endpoints.ts';
import { listOwnRepositories } from '#resources/repositories/repositories/endpoints/lists.ts';
import { listRecentRepositories } from '#resources/repositories/repositories/endpoints/recent.ts';

const ofPeople = () => ({
  work: read(getOwnWork),
  repositories: read(listOwnRepositories, { query: { sort: 'pushed', per_page: 8 } }),
  notifications: read(listNotifications, { query: { per_page: 5 } }),
});
const ofVisitors = () => ({ recent: read(listRecentRepositories) });

type FoundWork = Found<ReturnType<typeof ofPeople>>;
type Work = FoundWork['work'];
type Item = Work['own_pulls']['items'][number];

export const homePage = page({
  path: '/',
  frame: plainFrame,
  reads: ({ person }): Partial<ReturnType<typeof ofPeople> & ReturnType<typeof ofVisitors>> =>
    person ? ofPeople() : ofVisitors(),
  render({ work, repositories, notifications, recent = [] }, request, positions) {
    if (!work || !repositories || !notifications)
      return { title: 'Home', body: visitorsBody(recent, request), description: about };
    const unread = positions.notifications?.total ?? notifications.length;
    return { title: 'Your work', body: peoplesBody({ work, repositories, notifications }, unread, request) };
  },
});

const about =
  'Hearth keeps code with its history, issues, pull requests and workflows on a machine of your own. ' +
  'Git and the tools that you know work with it.';

const visitorsBody = (recent: NonNullable<Found<ReturnType<typeof ofVisitors>>['recent']>, request: PageRequest): TrustedHtml =>
  html`<section class="welcome"><h1>${new URL(request.links.html).host}</h1><p>${about}</p>
<p class="row"><a class="button first" href="/login">${icon('sign-in')}Sign in</a>
<a class="button" href="/docs/">Read about the API</a></p></section>
<section class="stack"><h2>Public repositories</h2>${
    recent.length === 0
      ? emptyState({
          icon: 'book',
          title: 'Public repositories will be listed here.',
          hint: 'The one with the latest push comes first. Sign in to see those that you may read.',
        })
      : repositoryList(recent, request, { withOwner: true })
  }</section>`;

const peoplesBody = ({ work, repositories, notifications }: FoundWork, unread: number, request: PageRequest): TrustedHtml =>
  html`<h1 class="unseen">Your work</h1><div class="split"><div class="stack work">
${workList(work.review_requested, request, {
  title: 'Waiting for your review',
  icon: 'eye',
  all: '/pulls?q=is%3Aopen+is%3Apr+review-requested%3A%40me',
  empty: 'Pull requests that wait for your review will be listed here.',
})}
${workList(work.own_pulls, request, {
  title: 'Your pull requests',
  icon: 'pull',
  all: '/pulls',
  empty: 'Pull requests that you open will be listed here, with what they wait for. Push a branch, and open one from its page.',
})}
${workList(work.assigned, request, {
  title: 'Assigned to you',
  icon: 'circle-dot',
  all: '/issues',
  empty: 'Issues that are assigned to you will be listed here.',
})}</div>
<div class="side"><section><h2>Repositories</h2>${
    repositories.length === 0
      ? firstRepository(request)
      : html`<ul class="plain">${repositories.map(
          ({ full_name, visibility, pushed_at }) =>
            html`<li class="row"><a class="cut" href="/${full_name}" title="${full_name}">${full_name}</a>${
              visibility === 'public' ? '' : html`<span class="soft" title="${visibility}">${icon('lock')}</span>`
            }<span class="push soft small">${timeAgo(pushed_at, request.now)}</span></li>`,
        )}</ul><p class="small"><a href="/${request.person?.login ?? ''}?tab=repositories">All your repositories</a></p>`
  }</section>
<section><h2>Notifications</h2>${
    notifications.length === 0
      ? html`<p class="soft">Nothing is unread.</p>`
      : html`<ul class="plain">${notifications.map(
          ({ subject, repository, updated_at }) =>
            html`<li><span class="cut" title="${subject.title}" dir="auto">${subject.title}</span>
<span class="soft small">${repository.full_name}, ${timeAgo(updated_at, request.now)}</span></li>`,
        )}</ul><p class="small"><a href="/notifications">${counted(unread, 'unread notification')}</a></p>`
  }</section></div></div>`;

type WorkList = { readonly title: string; readonly icon: IconName; readonly all: string; readonly empty: string };

const workList = (
  { items, total_count }: Work['own_pulls'],
  request: PageRequest,
  { title, icon: name, all, empty }: WorkList,
): TrustedHtml =>
  html`<section class="panel"><header>${icon(name)}<h2>${title}</h2>${
    total_count > 0
      ? html`<a class="push small" href="${all}">${total_count > items.length ? `All ${total_count}` : 'All'}</a>`
      : ''
  }</header>${
    items.length === 0
      ? html`<p class="body soft">${empty}</p>`
      : html`<ul class="rows">${items.map((item) => workRow(item, request))}</ul>`
  }</section>`;

const workRow = (item: Item, { links, now }: PageRequest): TrustedHtml =>
  html`<li><div class="grow"><a class="title" href="${localAddress(item.html_url, links.html)}" dir="auto">${item.title}</a>
<p class="soft small">${nameOf(item.repository_url)} #${item.number}, changed ${timeAgo(item.updated_at, now)}</p></div>
<span class="row small">${stateTexts(item)}</span></li>`;

/** The full name of a repository by its address in the API. */
const nameOf = (url: string): string => url.split('/').slice(-2).join('/');

/** What a pull request waits for, the most urgent first. */
function stateTexts({ states, draft, pull_request, user }: Item): Insertable {
  if (!pull_request) return user ? html`<span class="soft">by ${user.login}</span>` : '';
  if (draft) return html`<span class="state">${icon('draft')}Draft</span>`;
  const has = (state: Item['states'][number]): boolean => states.includes(state);
  return [
    has('failing') && html`<span class="state failed">${icon('circle-x')}Checks fail</span>`,
    has('changes_requested') && html`<span class="state running">${icon('reply')}Changes requested</span>`,
    has('approved') && !has('failing') && !has('changes_requested')
      ? html`<span class="state success">${icon('circle-check')}${has('passing') ? 'Ready' : 'Approved'}</span>`
      : '',
  ];
}

/** How the first repository is made, for people who have none. */
const firstRepository = ({ links }: PageRequest): TrustedHtml => {
  const { host } = new URL(links.html);
  return html`<p class="soft">Your repositories will be listed here. Create one and push to it:</p>
<pre class="commands">gh auth login --hostname ${host}
gh repo create engine --private
git remote add origin ${links.html}/you/engine.git
git push -u origin main</pre><p class="small soft">Or <code>POST /user/repos</code> by the <a href="/docs/">API</a>.</p>`;
};
