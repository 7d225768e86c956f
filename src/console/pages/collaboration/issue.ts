import { pager } from '#console/components/lists.ts';
import { avatar, personLink, type ShownAccount } from '#console/components/person.ts';
import { rendered } from '#console/components/text.ts';
import { timeAgo } from '#console/components/time.ts';
import { inRepository, repositoryPath } from '#console/frames/repository.ts';
import { page, read } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import { listIssueComments } from '#resources/collaboration/issues/endpoints/comments.ts';
import { getRepoIssue } from '#resources/collaboration/issues/endpoints/issues.ts';
import type { RenderedHtml } from '#text/rendered-html.ts';

const perPage = 100;

type Said = { readonly user: ShownAccount | null; readonly created_at: string; readonly body_html?: RenderedHtml };

export const issuePage = page({
  path: '/{owner}/{repo}/issues/{issue_number}',
  frame: inRepository('issues'),
  reads: ({ query }) => ({
    issue: read(getRepoIssue, { media: 'html' }),
    comments: read(listIssueComments, { media: 'html', query: { per_page: perPage, page: query.page } }),
  }),
  render({ issue, comments, repository }, request, { comments: position }) {
    if (issue.pull_request) return { redirect: repositoryPath(repository, 'pull', issue.number) };
    const said = (id: string, { user, created_at, body_html }: Said): TrustedHtml =>
      html`<article class="say" id="${id}">${user ? avatar(user, 34) : ''}<section class="panel">
<header>${personLink(user)}<span class="soft small">${timeAgo(created_at, request.now)}</span></header>
${rendered(body_html)}</section></article>`;
    const state = issue.state === 'open' ? 'Open' : 'Closed';
    return {
      title: `${issue.title} · #${issue.number}`,
      body: html`<h1>${issue.title} <span class="soft">#${issue.number}</span></h1>
<p class="row"><span class="state ${issue.state}">${icon('circle-dot')}${state}</span></p>
<div class="talk">${said(`issue-${issue.id}`, issue)}
${comments.map((comment) => said(`issuecomment-${comment.id}`, comment))}</div>
${pager(request, { position, perPage })}`,
    };
  },
});
