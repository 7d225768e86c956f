import { counted } from '#console/components/lists.ts';
import { personLink } from '#console/components/person.ts';
import { timeAgo } from '#console/components/time.ts';
import { inRepository, repositoryPath } from '#console/frames/repository.ts';
import { type PageQuery, page, read } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { html } from '#html/template.ts';
import { getConversation } from '#resources/collaboration/timelines/page-endpoints.ts';
import { stateOf } from './rows.ts';
import { sidebar } from './sidebar.ts';
import { sourcesOf, timelineHtml } from './timeline.ts';

/** The page of a long timeline that is asked for. */
export const numberIn = ({ number }: PageQuery): number | undefined =>
  number !== undefined && /^[1-9]\d{0,3}$/.test(number) ? Number(number) : undefined;

const stateClasses = { ok: 'open', done: 'merged', bad: 'failed', soft: '' } as const;

export const issuePage = page({
  path: '/{owner}/{repo}/issues/{issue_number}',
  frame: inRepository('issues'),
  reads: ({ query }) => ({ shown: read(getConversation, { query: { number: numberIn(query) } }) }),
  render({ shown, repository }, request) {
    const { issue } = shown;
    if (issue.pull_request) return { redirect: repositoryPath(repository, 'pull', issue.number) };
    const context = {
      request,
      repository: repository.full_name,
      isPull: false,
      path: repositoryPath(repository, 'issues', issue.number),
      sources: sourcesOf(shown),
    };
    const [name, word, colour] = stateOf(issue);
    return {
      title: `${issue.title} · #${issue.number} · ${repository.full_name}`,
      body: html`<h1 dir="auto">${issue.title} <span class="soft">#${issue.number}</span></h1>
<p class="row pull-state"><span class="state ${stateClasses[colour as keyof typeof stateClasses]}">${icon(
        name,
      )}${word}</span><span class="soft">${personLink(issue.user)} opened this ${timeAgo(
        issue.created_at,
        request.now,
      )} · ${counted(issue.comments, 'comment')}</span></p>
<div class="split"><div>${timelineHtml(shown, context)}</div>${sidebar(shown, context)}</div>`,
    };
  },
});
