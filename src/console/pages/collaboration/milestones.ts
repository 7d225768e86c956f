// The milestones of a repository, and one of them with what belongs to it.
import { localAddress, withQuery } from '#console/components/address.ts';
import { emptyState, pager } from '#console/components/lists.ts';
import { timeAgo } from '#console/components/time.ts';
import { inRepository, repositoryPath } from '#console/frames/repository.ts';
import { type PageRequest, page, read, readOptional } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { attribute, html, type TrustedHtml } from '#html/template.ts';
import { listRepoIssues } from '#resources/collaboration/issues/endpoints/lists.ts';
import { getMilestone, listRepoMilestones } from '#resources/collaboration/milestones/endpoints.ts';
import type { Milestone } from '#resources/collaboration/milestones/schemas.ts';
import { listPullStates } from '#resources/collaboration/reviews/endpoints/pull-states.ts';
import { issueRow, labelQuery } from './rows.ts';
import { progressBar } from './sidebar.ts';
import { quoted } from './terms.ts';

const perPage = 30;
const days = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** How far a milestone is, and when it ends. */
function facts({ open_issues, closed_issues, due_on, state, closed_at }: Milestone, now: Date): TrustedHtml {
  const total = open_issues + closed_issues;
  const percent = total === 0 ? 0 : Math.floor((closed_issues * 100) / total);
  const isLate = state === 'open' && due_on !== null && new Date(due_on) < now;
  const due = due_on === null ? 'No due date' : `Due ${days.format(new Date(due_on))}`;
  const when =
    state === 'closed'
      ? html`Closed ${timeAgo(closed_at, now)}`
      : html`<span class="${isLate ? 'bad' : ''}">${due}${isLate ? ', which has passed' : ''}</span>`;
  return html`${progressBar(closed_issues, total, 'Progress')}
<p class="soft small">${percent} % done · ${open_issues} open · ${closed_issues} closed · ${when}</p>`;
}

const stateIn = ({ query }: PageRequest<unknown>): 'open' | 'closed' => (query.state === 'closed' ? 'closed' : 'open');

/** Links to what is open and what is closed. */
function states(request: PageRequest<unknown>, counts?: { readonly open: number; readonly closed: number }): TrustedHtml {
  const link = (state: 'open' | 'closed', word: string) =>
    html`<a href="${withQuery(request.address, { state: state === 'open' ? undefined : state, page: undefined })}"${attribute(
      'aria-current',
      stateIn(request) === state && 'true',
    )}>${counts ? `${counts[state]} ` : ''}${word}</a>`;
  return html`<nav class="states" aria-label="State">${link('open', 'open')}${link('closed', 'closed')}</nav>`;
}

export const milestonesPage = page({
  path: '/{owner}/{repo}/milestones',
  frame: inRepository('issues'),
  reads: (request) => ({
    milestones: read(listRepoMilestones, { query: { per_page: perPage, page: request.query.page, state: stateIn(request) } }),
  }),
  render({ milestones, repository }, request, { milestones: position }) {
    const rows = milestones.map(
      (milestone) =>
        html`<li><div class="grow"><a class="title" dir="auto" href="${localAddress(
          milestone.html_url,
          request.links.html,
        )}">${milestone.title}</a>${facts(milestone, request.now)}${
          milestone.description ? html`<p class="soft cut">${milestone.description}</p>` : ''
        }</div></li>`,
    );
    const empty = emptyState({
      icon: 'milestone',
      title: stateIn(request) === 'open' ? 'Open milestones will be listed here.' : 'Closed milestones will be listed here.',
      hint: html`A milestone gathers issues and pull requests for a day. Add one with the API:
<code>POST /repos/${repository.full_name}/milestones</code>`,
    });
    return {
      title: `Milestones · ${repository.full_name}`,
      body: html`<div class="heading"><h1>Milestones</h1>
<a class="push" href="${repositoryPath(repository, 'labels')}">Labels</a></div>
<div class="panel"><header class="list-bar">${states(request)}</header>
${rows.length === 0 ? empty : html`<ul class="rows">${rows}</ul>`}</div>
${pager(request, { position, perPage })}`,
    };
  },
});

export const milestonePage = page({
  path: '/{owner}/{repo}/milestone/{milestone_number}',
  frame: inRepository('issues'),
  reads: (request) => ({
    milestone: read(getMilestone),
    issues: readOptional(listRepoIssues, {
      query: {
        milestone: request.words.milestone_number,
        state: stateIn(request),
        per_page: perPage,
        page: request.query.page,
      },
    }),
  }),
  follows: ({ issues = [] }) => ({
    states: readOptional(listPullStates, {
      query: { numbers: issues.flatMap(({ number, pull_request }) => (pull_request ? [number] : [])).join(',') },
    }),
  }),
  render({ milestone, issues = [], states: pullStates = [], repository }, request, { issues: position }) {
    const { title, description, open_issues, closed_issues } = milestone;
    const listAddress = (q: string) => `${repositoryPath(repository, 'issues')}?q=${encodeURIComponent(q)}`;
    const options = {
      request,
      states: new Map(pullStates.map((state) => [state.number, state])),
      labelAddress: (label: string) => listAddress(`${labelQuery('is:issue', label)} milestone:${quoted(title)}`),
    };
    const empty = emptyState({
      icon: 'milestone',
      title: stateIn(request) === 'open' ? 'Nothing is open in this milestone.' : 'Nothing was closed in this milestone yet.',
      hint: 'Issues and pull requests that are given this milestone will be listed here.',
    });
    return {
      title: `${title} · Milestones · ${repository.full_name}`,
      body: html`<p class="soft small"><a href="${repositoryPath(repository, 'milestones')}">Milestones</a></p>
<h1 dir="auto">${icon('milestone')} ${title}</h1><div class="milestone">${facts(milestone, request.now)}</div>
${description ? html`<p class="pre">${description}</p>` : ''}
<div class="panel"><header class="list-bar">${states(request, { open: open_issues, closed: closed_issues })}</header>${
        issues.length === 0 ? empty : html`<ul class="rows">${issues.map((issue) => issueRow(issue, options))}</ul>`
      }</div>${pager(request, { position, perPage })}`,
    };
  },
});
