// The runs of a repository, and of one of its workflows.
import { counted, emptyState, pager } from '#console/components/lists.ts';
import { personLink, type ShownAccount } from '#console/components/person.ts';
import { durationBetween, runState, stateIcon } from '#console/components/run-state.ts';
import { middleCut } from '#console/components/text.ts';
import { durationText, timeAgo } from '#console/components/time.ts';
import { inRepository, repositoryPath, type ShownRepository } from '#console/frames/repository.ts';
import { type PageRequest, page, read, readOptional } from '#console/page.ts';
import type { ListPosition } from '#endpoint/paging.ts';
import { icon } from '#html/icons.ts';
import { attribute, flag, html, type TrustedHtml } from '#html/template.ts';
import { listRepoWorkflowRuns } from '#resources/actions/workflow-runs/endpoints/runs.ts';
import { getWorkflowUsage, listWorkflowRuns } from '#resources/actions/workflow-runs/endpoints/workflows.ts';
import { getWorkflow, listRepoWorkflows } from '#resources/actions/workflows/endpoints.ts';
import { actionsSide } from './navigation.ts';

const perPage = 25;
const workflowsPerPage = 100;

/** The statuses that runs are filtered by. */
const statuses = [
  'success',
  'failure',
  'in_progress',
  'queued',
  'waiting',
  'cancelled',
  'skipped',
  'timed_out',
  'action_required',
];
const events = [
  'push',
  'pull_request',
  'schedule',
  'workflow_dispatch',
  'merge_group',
  'release',
  'repository_dispatch',
  'dynamic',
];

const filterOf = ({ query }: Pick<PageRequest, 'query'>) => ({
  branch: query.branch || undefined,
  event: query.event || undefined,
  status: statuses.find((status) => status === query.status),
  actor: query.actor || undefined,
  exclude_pull_requests: true,
  per_page: perPage,
  page: query.page,
});

type Run = {
  readonly id: number;
  readonly name: string | null;
  readonly display_title: string;
  readonly run_number: number;
  readonly run_attempt: number;
  readonly event: string;
  readonly status: string | null;
  readonly conclusion: string | null;
  readonly head_branch: string | null;
  readonly head_sha: string;
  readonly path: string;
  readonly created_at: string;
  readonly run_started_at: string;
  readonly updated_at: string;
  readonly actor: ShownAccount | null;
};

type List = {
  readonly repository: ShownRepository;
  readonly runs: { readonly total_count: number; readonly workflow_runs: readonly Run[] };
  readonly position: ListPosition | undefined;
  readonly empty: TrustedHtml;
};

const emptyRepository = (repository: ShownRepository): TrustedHtml =>
  emptyState({
    icon: 'play',
    title: 'Runs of workflows will be listed here.',
    hint: html`Add a file to <code>.github/workflows</code> that says what runs and when, for example on each push.
<br><a href="${repositoryPath(repository)}">Back to the code</a>`,
  });

const emptyFilter = (address: string): TrustedHtml =>
  emptyState({
    icon: 'filter',
    title: 'No run matches these filters.',
    hint: html`<a href="${address.split('?')[0] ?? ''}">Show all runs</a>`,
  });

const isFiltered = ({ query }: PageRequest<unknown>): boolean =>
  ['branch', 'event', 'status', 'actor'].some((name) => query[name]);

function runList(request: PageRequest<unknown>, { repository, runs, position, empty }: List): TrustedHtml {
  const rows = runs.workflow_runs.map((run) => runRow(repository, run, request.now));
  return html`${filters(request)}<section class="panel"><header><b>${counted(runs.total_count, 'run')}</b></header>
${
  rows.length === 0
    ? isFiltered(request)
      ? emptyFilter(request.address)
      : empty
    : html`<ul
class="rows">${rows}</ul>`
}</section>
${pager(request, { position, perPage })}`;
}

function runRow(repository: ShownRepository, run: Run, now: Date): TrustedHtml {
  const address = repositoryPath(repository, 'actions', 'runs', run.id);
  const end = run.status === 'completed' ? run.updated_at : null;
  const branch = run.head_branch;
  const attempt = run.run_attempt > 1 ? html` · attempt ${run.run_attempt}` : '';
  return html`<li>${stateIcon(run)}<div class="grow"><a class="title" href="${address}">${run.display_title}</a>
<div class="small soft">${run.name} #${run.run_number}${attempt} · ${eventText(run.event)}
by ${personLink(run.actor)}</div></div>
${
  branch === null
    ? ''
    : html`<a class="branch small"
href="${repositoryPath(repository, 'tree', branch)}">${middleCut(branch, 28)}</a>`
}
<div class="small soft when">${timeAgo(run.created_at, now)}<br>${runState(run).word} · ${durationBetween(
    run.run_started_at,
    end,
    now,
  )}</div></li>`;
}

/** An event as people say it. */
export const eventText = (event: string): string => texts[event] ?? event.replaceAll('_', ' ');
const texts: Readonly<Record<string, string>> = {
  push: 'push',
  pull_request: 'pull request',
  pull_request_target: 'pull request',
  workflow_dispatch: 'started by hand',
  repository_dispatch: 'started by a program',
  schedule: 'schedule',
  dynamic: 'started by the server',
  merge_group: 'merge queue',
};

function filters({ query, address }: PageRequest<unknown>): TrustedHtml {
  const select = (name: string, title: string, values: readonly string[], textOf: (value: string) => string): TrustedHtml =>
    html`<label>${title}<select name="${name}"><option value="">Any</option>${values.map(
      (value) => html`<option value="${value}"${flag('selected', query[name] === value)}>${textOf(value)}</option>`,
    )}</select></label>`;
  const field = (name: string, title: string): TrustedHtml =>
    html`<label>${title}<input name="${name}"${attribute('value', query[name])} autocomplete="off"></label>`;
  return html`<form class="filters" action="${address.split('?')[0] ?? ''}">
${select('status', 'Status', statuses, (status) => runState({ status, conclusion: null }).word)}
${select('event', 'Event', events, eventText)}${field('branch', 'Branch')}${field('actor', 'Person')}
<button>${icon('filter')}Filter</button></form>`;
}

export const runsPage = page({
  path: '/{owner}/{repo}/actions',
  frame: inRepository('actions'),
  reads: (request) => ({
    runs: read(listRepoWorkflowRuns, { query: filterOf(request) }),
    workflows: read(listRepoWorkflows, { query: { per_page: workflowsPerPage } }),
  }),
  render: ({ repository, runs, workflows }, request, { runs: position }) => ({
    title: `Workflows · ${repository.full_name}`,
    body: html`<div class="split start"><aside>${actionsSide(repository, workflows.workflows, 'all')}</aside>
<div><div class="heading"><h1>All workflows</h1></div>
${runList(request, { repository, runs, position, empty: emptyRepository(repository) })}</div></div>`,
  }),
});

export const workflowPage = page({
  path: '/{owner}/{repo}/actions/workflows/{file*}',
  frame: inRepository('actions'),
  reads: (request) => {
    const words = { workflow_id: request.words.file };
    return {
      workflow: read(getWorkflow, { words }),
      runs: read(listWorkflowRuns, { words, query: filterOf(request) }),
      workflows: read(listRepoWorkflows, { query: { per_page: workflowsPerPage } }),
      usage: readOptional(getWorkflowUsage, { words }),
    };
  },
  render({ repository, workflow, runs, workflows, usage }, request, { runs: position }) {
    const isDynamic = workflow.path.startsWith('dynamic/');
    const file = isDynamic
      ? html`<span class="soft">The server writes this workflow.</span>`
      : html`<a class="soft" href="${workflow.html_url}">${icon('file')}${middleCut(workflow.path, 50)}</a>`;
    const used = Object.values(usage?.billable ?? {}).reduce((sum, one) => sum + (one?.total_ms ?? 0), 0);
    const off =
      workflow.state === 'active'
        ? ''
        : html`<p class="notice">This workflow is ${
            workflow.state === 'deleted' ? 'not in the repository any more' : 'turned off'
          }, so that nothing starts it.</p>`;
    const empty = emptyState({ icon: 'play', title: 'Runs of this workflow will be listed here.' });
    return {
      title: `${workflow.name} · ${repository.full_name}`,
      body: html`<div class="split start"><aside>${actionsSide(repository, workflows.workflows, workflow.path)}</aside>
<div><div class="heading"><h1>${workflow.name}</h1>${file}${
        used > 0 ? html`<span class="soft small push">Hosted runners: ${durationText(used / 1_000)} in all</span>` : ''
      }</div>${off}${runList(request, { repository, runs, position, empty })}</div></div>`,
    };
  },
});
