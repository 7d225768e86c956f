import { pagePath, withQuery } from '#console/components/address.ts';
import { copyButton } from '#console/components/copy.ts';
import { emptyState, pager } from '#console/components/lists.ts';
import { commitAuthor, pathLinks, refMenu, type ShownLocation, sourcePath, titleOf } from '#console/components/source.ts';
import { timeAgo } from '#console/components/time.ts';
import { inRepository, type ShownRepository } from '#console/frames/repository.ts';
import { type Found, type PageRequest, page, read } from '#console/page.ts';
import type { ListPosition } from '#endpoint/paging.ts';
import { icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import { getRefNames, getSourceLocation } from '#resources/code/source-pages/endpoints/folders.ts';
import { listSourceCommits } from '#resources/code/source-pages/endpoints/history.ts';

const perPage = 35;

const readsAt = (path: string | undefined, query: PageRequest['query']) => {
  const { author, since, until } = query;
  const words = path === undefined ? {} : { words: { path } };
  return {
    location: read(getSourceLocation, words),
    commits: read(listSourceCommits, { ...words, query: { author, since, until, per_page: perPage, page: query.page } }),
    refs: read(getRefNames),
  };
};
type Shown = Found<ReturnType<typeof readsAt>> & { repository: ShownRepository };
type ShownCommit = Shown['commits'][number];

/** The history of a ref, or of a file or folder there. */
export const commitsPage = page({
  path: '/{owner}/{repo}/commits/{path*}',
  frame: inRepository('code'),
  reads: ({ query }) => readsAt(undefined, query),
  render: (found, request, positions) => render(found, request, positions.commits),
});

/** The history of the default branch. */
export const allCommitsPage = page({
  path: '/{owner}/{repo}/commits',
  frame: inRepository('code'),
  reads: ({ query }) => readsAt('', query),
  render: (found, request, positions) => render(found, request, positions.commits),
});

function render(
  { repository, location, commits, refs }: Shown,
  request: PageRequest<unknown>,
  position: ListPosition | undefined,
) {
  const { ref, path } = location;
  const { author } = request.query;
  const days = Map.groupBy(commits, ({ commit }) => commit.committer.date.slice(0, 10));
  return {
    title: `${path === '' ? `Commits at ${ref}` : `History of ${path}`} · ${repository.full_name}`,
    body: html`<h1 class="unseen">${path === '' ? `Commits at ${ref}` : `History of ${path}`}</h1><div class="heading">
${refMenu({ repository, location, refs, page: 'commits' })}${
  path === '' ? html`<b>Commits</b>` : pathLinks(repository, location)
}${
  author === undefined
    ? ''
    : html`<a class="topic" href="${withQuery(request.address, { author: undefined, page: undefined })}"
aria-label="Commits of all authors">by ${author} ${icon('cross')}</a>`
}</div>
${commits.length === 0 ? emptyState({ icon: 'commit', title: 'No commits', hint: 'Nothing in this history matches.' }) : ''}${[
  ...days,
].map(
  ([day, all]) =>
    html`<section class="day"><h2 class="soft">${dayText(day)}</h2><ul
class="rows panel">${all.map((commit) => row(repository, commit, { location, request }))}</ul></section>`,
)}${pager(request, { position, perPage })}`,
  };
}

const dayFormat = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeZone: 'UTC' });
const dayText = (day: string): string => dayFormat.format(new Date(`${day}T00:00:00Z`));

/** The first line of a message, and the rest. */
function splitMessage(message: string): { title: string; rest: string } {
  const [title = '', ...rest] = message.trim().split('\n');
  return { title, rest: rest.join('\n').trim() };
}

function row(
  repository: ShownRepository,
  { sha, author, commit }: ShownCommit,
  { location, request }: { location: ShownLocation; request: PageRequest<unknown> },
): TrustedHtml {
  const { title, rest } = splitMessage(commit.message);
  const address = pagePath(repository.full_name, 'commit', sha);
  const tree = location.path === '' ? sourcePath(repository, 'tree', sha) : sourcePath(repository, 'blob', sha, location.path);
  const verified = commit.verification.verified ? html`<span class="badge ok">${icon('circle-check')}Verified</span>` : '';
  return html`<li class="commit"><div class="grow"><a class="title" href="${address}">${titleOf({ title })}</a>${
    rest === ''
      ? ''
      : html`<details class="message"><summary
aria-label="The rest of the message">${icon('more')}</summary><pre>${rest}</pre></details>`
  }<p class="row small soft">${commitAuthor({ author, author_name: commit.author.name })}
committed ${timeAgo(commit.committer.date, request.now)}${verified}</p></div>
<span class="row keep"><a href="${address}"><code>${sha.slice(0, 8)}</code></a>${copyButton(sha, 'name of the commit')}
<a class="quiet" href="${tree}" aria-label="Files at ${sha.slice(0, 8)}"
title="Files at this commit">${icon('code')}</a></span></li>`;
}
