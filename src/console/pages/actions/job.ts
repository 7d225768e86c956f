// A job and its log: the steps are folded, and the one that failed is open.
import { withQuery } from '#console/components/address.ts';
import { ansiHtml } from '#console/components/ansi.ts';
import { counted, countText } from '#console/components/lists.ts';
import { liveUpdates } from '#console/components/live.ts';
import { logRows, type ShownRow } from '#console/components/log-rows.ts';
import { durationBetween, stateBadge, stateIcon } from '#console/components/run-state.ts';
import { timeAgo } from '#console/components/time.ts';
import { type FoundRepository, inRepository, repositoryPath } from '#console/frames/repository.ts';
import { type Found, type PageRequest, page, read, readOptional } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { attribute, flag, html, type TrustedHtml } from '#html/template.ts';
import { explainWaitingJob, getJobDetails, listLogRows, searchLog } from '#resources/actions/workflow-runs/endpoints/of-pages.ts';
import { getWorkflowRun } from '#resources/actions/workflow-runs/endpoints/runs.ts';
import { mostRows } from '#resources/actions/workflow-runs/logs/rows.ts';
import type { JobDetails } from '#resources/actions/workflow-runs/schemas.ts';
import { runTrail } from './run.ts';

const longestSearch = 200;
/** Rows that are shown before a row that an address names. */
const rowsBefore = 50;

const first = () => ({ run: read(getWorkflowRun, { query: { exclude_pull_requests: true } }), details: read(getJobDetails) });
type FoundJob = FoundRepository & Found<ReturnType<typeof first>>;

const second = ({ details }: Pick<FoundJob, 'details'>, { query }: Pick<PageRequest, 'query'>) => ({
  log: readOptional(listLogRows, { query: { from: firstRow(details, query), count: mostRows } }),
  ...(query.q
    ? { matches: readOptional(searchLog, { query: { text: query.q.slice(0, longestSearch), from: numberOf(query.after) } }) }
    : {}),
  ...(isWaiting(details) ? { explained: readOptional(explainWaitingJob) } : {}),
});
type Found2 = FoundJob & {
  readonly log: { readonly total: number; readonly rows: readonly ShownRow[] } | undefined;
  readonly matches?: { readonly rows: readonly ShownRow[]; readonly next: number | null } | undefined;
  readonly explained?:
    | { readonly steps: readonly { readonly check: string; readonly passed: boolean; readonly because: string }[] }
    | undefined;
};

const isWaiting = ({ job }: JobDetails): boolean => job.status !== 'completed' && job.status !== 'in_progress';

const numberOf = (text: string | undefined): number => {
  const number = /^\d{1,15}$/.test(text ?? '') ? Number(text) : 0;
  return Number.isSafeInteger(number) ? number : 0;
};

type Step = JobDetails['steps'][number];
/** The rows of a step, from the first one to the one after the last. */
type Span = { readonly step: Step; readonly from: number; readonly end: number; readonly isCurrent: boolean };

/** The rows of each step. Rows that no step has yet belong to the one in progress. */
function spansOf({ steps, log_rows, job }: JobDetails): Span[] {
  const reported = Math.max(0, ...steps.filter(({ row_count }) => row_count > 0).map((step) => step.first_row + step.row_count));
  const begun =
    steps.findLast(({ status }) => status === 'in_progress') ?? steps.findLast(({ started_at }) => started_at !== null);
  const current = begun ?? steps[0];
  const isRunning = job.status !== 'completed';
  return steps.map((step) => {
    const has = step.row_count > 0;
    const from = has ? step.first_row : reported;
    const end = has ? step.first_row + step.row_count : from;
    // The last reported rows and those after them are one step's while it goes on.
    const isCurrent = isRunning && step === current && log_rows > 0;
    return { step, from, end: step === current && (isRunning || !has) ? Math.max(end, log_rows) : end, isCurrent };
  });
}

/** The row with which the page begins: that of the address, or else the end of the step that failed or goes on. */
function firstRow(details: JobDetails, { from, step, line }: PageRequest['query']): number {
  if (from !== undefined) return numberOf(from);
  const spans = spansOf(details);
  const named = spans.find((span) => String(span.step.number) === step);
  if (named) return Math.max(named.from, named.from + numberOf(line) - 1 - rowsBefore);
  if (details.log_rows <= mostRows) return 0;
  const failed = spans.find((span) => span.step.conclusion === 'failure' && span.end > span.from);
  if (failed) return Math.max(failed.from, failed.end - mostRows);
  return details.job.status === 'in_progress' ? details.log_rows - mostRows : 0;
}

export const jobPage = page({
  path: '/{owner}/{repo}/actions/runs/{run_id}/job/{job_id}',
  frame: inRepository('actions'),
  reads: first,
  follows: second,
  render(given, request) {
    const found = given as Found2;
    const { repository, run, details } = found;
    const { job } = details;
    const path = (...words: (string | number)[]): string => repositoryPath(repository, 'actions', 'runs', job.run_id, ...words);
    if (String(job.run_id) !== request.words.run_id) return { redirect: path('job', job.id) };
    const isOpen = job.status !== 'completed';
    const { owner, repo } = request.words;
    const live = liveUpdates('job', { owner, repo, job_id: job.id }, request.address);
    const others = details.jobs.map(
      (one) =>
        html`<li><a href="${path('job', one.id)}"${attribute('aria-current', one.id === job.id && 'page')}
title="${one.name}">${stateIcon(one)}<span class="cut">${one.name}</span></a></li>`,
    );
    return {
      title: `${job.name} · ${run.display_title}`,
      body: html`${runTrail(repository, run)}<h1 class="cut" title="${job.name}">${job.name}</h1>
<p class="row run-head" id="job-head" data-part="job" role="status">${stateBadge(job)}<span
class="soft">${job.runner_name === null ? '' : html`on ${job.runner_name} · `}${
        job.status === 'completed' || job.status === 'in_progress'
          ? html`began ${timeAgo(job.started_at, request.now)} · ${durationBetween(
              job.started_at,
              job.completed_at,
              request.now,
            )}`
          : html`made ${timeAgo(job.created_at, request.now)}`
      }</span>${job.labels.map((label) => html`<span class="badge">${label}</span>`)}</p>
<div class="split start"><nav class="side-list" id="job-list" data-part="job" aria-label="Jobs"><ul>${others}</ul></nav>
<div class="stack">${whyNotices(found)}${logPanel(found, request, path)}
${isOpen ? html`<p>${live}</p>` : ''}</div></div>`,
    };
  },
});

function whyNotices({ details: { problem }, explained }: Found2): TrustedHtml {
  const steps = explained?.steps.map(
    ({ passed, because }) =>
      html`<li>${stateIcon({ status: null, conclusion: passed ? 'success' : 'action_required' })} ${because}</li>`,
  );
  return html`<div id="job-why" data-part="job">${
    problem === null
      ? ''
      : html`<div class="notice bad">
<b>The job couldn’t run.</b> ${problem}</div>`
  }
${steps ? html`<div class="notice"><b>Why it waits</b><ul>${steps}</ul></div>` : ''}</div>`;
}

type PathOf = (...words: (string | number)[]) => string;

function logPanel(found: Found2, request: PageRequest, path: PathOf): TrustedHtml {
  const { details, log } = found;
  const { job, log_rows } = details;
  const address = path('job', job.id);
  const search = html`<form class="log-search" action="${address}"><label><span class="unseen">Search the log</span>
<input name="q" type="search" placeholder="Search the log"${attribute('value', request.query.q)}
maxlength="${longestSearch}"></label><button>Search</button></form>`;
  const tools = log && log_rows > 0 ? html`${search}<a href="${path('job', job.id, 'raw')}">Whole log</a>` : '';
  return html`<section class="panel log-panel"><header><h2>Log</h2><span
class="soft small">${log_rows > 0 ? counted(log_rows, 'line') : ''}</span>
<span class="push row small">${tools}</span></header>${
    found.matches ? matchList(found, request, address) : logSteps(found, request, address)
  }</section>`;
}

function logSteps({ details, log }: Found2, request: PageRequest, address: string): TrustedHtml {
  const rows = log?.rows ?? [];
  const last = rows.at(-1);
  const next = last ? last.row + 1 : firstRow(details, request.query);
  // The log may have grown since the job was read.
  const spans = spansOf({ ...details, log_rows: Math.max(details.log_rows, next) });
  const isNamed = request.query.from !== undefined || request.query.step !== undefined;
  const steps = spans.map((span) => logStep(span, rows, { address, isNamed, hasLog: log !== undefined }));
  return html`${log === undefined ? missingLog(details, request) : ''}<job-log data-next="${next}"
data-rows="${details.log_rows}">
<div class="steps">${
    steps.length === 0
      ? html`<p
class="body soft">The steps of this job will stand here once a runner takes it.</p>`
      : steps
  }</div></job-log>`;
}

function missingLog({ log_rows }: JobDetails, { person, address }: PageRequest): TrustedHtml {
  if (!person)
    return html`<p class="body soft"><a href="/login?return_to=${encodeURIComponent(address)}">Sign in</a> to read the log.</p>`;
  return log_rows === 0 ? html`` : html`<p class="body soft">You may not read this log.</p>`;
}

type StepContext = { readonly address: string; readonly isNamed: boolean; readonly hasLog: boolean };

function logStep(span: Span, all: readonly ShownRow[], { address, isNamed, hasLog }: StepContext): TrustedHtml {
  const { step, isCurrent } = span;
  const rows = all.filter(({ row }) => row >= span.from && row < span.end);
  const isOpen = step.conclusion === 'failure' || step.status === 'in_progress' || isCurrent || (isNamed && rows.length > 0);
  const end = step.completed_at;
  const duration = end === null ? '' : durationBetween(step.started_at, end, new Date(end));
  const head = html`${stateIcon(step)}<span class="cut grow" title="${step.name}">${step.name}</span>
<span class="small soft">${duration}</span>`;
  return html`<details id="step:${step.number}" data-step="${step.number}"${flag('open', isOpen)}><summary>${head}</summary>
<ol class="log">${hasLog ? linesOf(span, rows, address) : ''}</ol></details>`;
}

/** The rows of a step that are shown, with links to those before and after. */
function linesOf({ step, from, end }: Span, rows: readonly ShownRow[], address: string): TrustedHtml {
  const [firstShown, lastShown] = [rows[0], rows.at(-1)];
  const link = (start: number, stop: number): TrustedHtml =>
    html`<a href="${address}?from=${start}#step:${step.number}">Lines ${countText(start - from + 1)}–${countText(
      stop - from,
    )}</a>`;
  if (!firstShown || !lastShown)
    return end > from ? html`<li class="more" data-more="1">${link(from, Math.min(end, from + mostRows))}</li>` : html``;
  const before =
    firstShown.row > from ? html`<li class="more">${link(Math.max(from, firstShown.row - mostRows), firstShown.row)}</li>` : '';
  const after =
    lastShown.row + 1 < end
      ? html`<li class="more">${link(lastShown.row + 1, Math.min(end, lastShown.row + 1 + mostRows))}</li>`
      : '';
  return html`${before}${logRows(rows, { step: step.number, first: from })}${after}`;
}

/** The lines that were searched for, each with a link to where it is. */
function matchList({ details, matches }: Found2, request: PageRequest, address: string): TrustedHtml {
  const spans = spansOf(details);
  const lines = (matches?.rows ?? []).map(({ row, text }) => {
    const span = spans.findLast(({ from, end }) => row >= from && row < end);
    const line = span ? row - span.from + 1 : row + 1;
    const number = span?.step.number ?? 1;
    return html`<li><a href="${address}?step=${number}&line=${line}#step:${number}:${line}">${line}</a>
<span>${ansiHtml(text)}</span></li>`;
  });
  const next = matches?.next ?? null;
  const none = html`<p class="body soft">No line has this text. <a href="${address}">Back to the log</a></p>`;
  return html`<div class="body soft small"
role="status">${counted(lines.length, 'line')} with “${request.query.q}”${next === null ? '' : ' so far'} ·
<a href="${address}">Back to the log</a></div>${
    lines.length === 0 && next === null
      ? none
      : html`<ol
class="log matches">${lines}</ol>`
  }
${
  next === null
    ? ''
    : html`<p class="body"><a class="button"
href="${withQuery(request.address, { after: next })}">${icon('search')}Search on</a></p>`
}`;
}
