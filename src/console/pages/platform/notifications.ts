import { localAddress, pagePath, withQuery } from '#console/components/address.ts';
import { emptyState, pager } from '#console/components/lists.ts';
import { timeAgo } from '#console/components/time.ts';
import { plainFrame } from '#console/frames/plain.ts';
import { type Found, type PageRequest, page, read } from '#console/page.ts';
import { type IconName, icon } from '#html/icons.ts';
import { attribute, html, type TrustedHtml } from '#html/template.ts';
import { listNotifications, listRepoNotifications } from '#resources/platform/notifications/endpoints/inbox.ts';

const perPage = 50;

type Thread = Found<{ threads: ReturnType<typeof inboxOf> }>['threads'][number];

/** The inbox, or the part of it that is about one repository. */
function inboxOf({ query }: PageRequest<unknown>) {
  const { repository, all, page: number } = query;
  const filter = { all: all === '1', participating: query.participating === '1', per_page: perPage, page: number };
  const [owner, repo] = repository?.split('/') ?? [];
  return repository === undefined
    ? read(listNotifications, { query: filter })
    : read(listRepoNotifications, { words: { owner, repo }, query: filter });
}

export const notificationsPage = page({
  path: '/notifications',
  frame: plainFrame,
  isForPeople: true,
  reads: (request) => ({ threads: inboxOf(request) }),
  render({ threads }, request, { threads: position }) {
    const { query, address } = request;
    const filters: readonly (readonly [title: string, changes: Readonly<Record<string, string | undefined>>, isOn: boolean])[] = [
      ['Unread', { all: undefined, participating: undefined }, query.all !== '1' && query.participating !== '1'],
      ['All', { all: '1', participating: undefined }, query.all === '1' && query.participating !== '1'],
      ['Participating', { participating: '1', all: '1' }, query.participating === '1'],
    ];
    const tabs = filters.map(([title, changes, isOn]) => {
      const to = withQuery(address, { ...changes, page: undefined });
      return html`<a href="${to}"${attribute('aria-current', isOn && 'page')}>${title}</a>`;
    });
    const one = query.repository;
    return {
      title: 'Notifications',
      body: html`<div class="heading"><h1>Notifications</h1>${
        one === undefined
          ? ''
          : html`<span class="badge">${one}</span><a class="small"
href="${withQuery(address, { repository: undefined, page: undefined })}">Show all repositories</a>`
      }</div><nav class="tabs inner" aria-label="Filter">${tabs}</nav>
${threads.length === 0 ? emptyInbox(query.all === '1') : byRepository(threads, request)}
${pager(request, { position, perPage })}`,
    };
  },
});

const emptyInbox = (showsAll: boolean): TrustedHtml =>
  emptyState({
    icon: 'bell',
    title: showsAll ? 'Nothing has been sent to you yet.' : 'You have read everything.',
    hint: showsAll
      ? 'What happens in repositories that you watch, and where somebody mentions or asks you, will be listed here.'
      : html`<a href="/notifications?all=1">Look at what you have read</a>`,
  });

/** The threads below the names of their repositories, which stand in the order of their newest threads. */
const byRepository = (threads: readonly Thread[], request: PageRequest<unknown>): TrustedHtml =>
  html`${[...Map.groupBy(threads, ({ repository }) => repository.full_name)].map(
    ([name, own]) => html`<section class="panel"><header><h2><a href="${pagePath(name)}">${name}</a></h2>
<a class="push small soft" href="${withQuery(request.address, { repository: name, page: undefined })}">Only this
repository</a></header>
<ul class="rows">${own.map((thread) => threadRow(thread, request))}</ul></section>`,
  )}`;

const icons: Readonly<Record<Thread['subject']['type'], IconName>> = {
  Issue: 'circle-dot',
  PullRequest: 'pull',
  Commit: 'commit',
  Release: 'tag',
  CheckSuite: 'workflow',
  SecretScanningAlert: 'key',
  RepositoryDependencyBotAlertsThread: 'shield',
  RepositoryAdvisory: 'shield',
  RepositoryInvitation: 'mail',
  Budget: 'warning',
};

const reasons: Readonly<Partial<Record<Thread['reason'], string>>> = {
  approval_requested: 'your approval is asked for',
  assign: 'you are assigned',
  author: 'you opened it',
  ci_activity: 'a workflow that you started has ended',
  comment: 'you commented',
  invitation: 'you are invited',
  manual: 'you subscribed',
  mention: 'you were mentioned',
  review_requested: 'your review is asked for',
  security_alert: 'it is about the security of a repository of yours',
  state_change: 'you changed its state',
  subscribed: 'you watch the repository',
  team_mention: 'a team of yours was mentioned',
};

function threadRow({ subject, reason, unread, updated_at, repository }: Thread, request: PageRequest<unknown>): TrustedHtml {
  const address = addressOf(subject, pagePath(repository.full_name), request);
  const title =
    address === undefined
      ? html`<span class="title" dir="auto">${subject.title}</span>`
      : html`<a class="title" href="${address}" dir="auto">${subject.title}</a>`;
  return html`<li${attribute('class', unread && 'unread')}>${icon(icons[subject.type])}<div class="grow">${title}${
    unread ? html`<span class="unseen"> (unread)</span>` : ''
  }<p class="soft small">${numberOf(subject.url)}${reasons[reason] ?? reason.replaceAll('_', ' ')}</p></div>
<span class="soft small">${timeAgo(updated_at, request.now)}</span></li>`;
}

/** The number of an issue or a pull request, before the reason. */
const numberOf = (url: string | null): string => {
  const number = /\/(?:issues|pulls)\/(\d+)$/.exec(url ?? '')?.[1];
  return number === undefined ? '' : `#${number} · `;
};

/** The page of a subject, which replies name by its address in the API. */
function addressOf({ type, url }: Thread['subject'], repository: string, { links }: PageRequest<unknown>): string | undefined {
  if (type === 'CheckSuite') return `${repository}/actions`;
  if (type === 'RepositoryDependencyBotAlertsThread') return `${repository}/security/dependency-alerts`;
  if (type === 'RepositoryInvitation') return `${repository}/invitations`;
  if (url === null) return undefined;
  const rest = localAddress(url, links.api).split('/').slice(4).join('/');
  return `${repository}/${rest
    .replace(/^pulls\//, 'pull/')
    .replace(/^commits\//, 'commit/')
    .replace(/^secret-scanning\/alerts\//, 'security/secret-scanning/')
    .replace(/^security-advisories\//, 'security/advisories/')}`;
}
