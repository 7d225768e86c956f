// A run: its jobs as a picture, what it annotates, its artifacts, and what it waits for.
import { counted, emptyState } from '#console/components/lists.ts';
import { liveUpdates } from '#console/components/live.ts';
import { personLink, type ShownAccount } from '#console/components/person.ts';
import { durationBetween, sizeText, stateBadge, stateIcon } from '#console/components/run-state.ts';
import { middleCut } from '#console/components/text.ts';
import { timeAgo } from '#console/components/time.ts';
import { type FoundRepository, inRepository, repositoryPath, type ShownRepository } from '#console/frames/repository.ts';
import { type Found, type PageContent, type PageRequest, page, read, readOptional } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { html, joined, type TrustedHtml } from '#html/template.ts';
import { listRunArtifacts } from '#resources/actions/artifacts/endpoints.ts';
import { listPendingDeployments } from '#resources/actions/workflow-runs/endpoints/environments.ts';
import { explainWaitingRun, getRunDetails } from '#resources/actions/workflow-runs/endpoints/of-pages.ts';
import { getWorkflowRun, getWorkflowRunAttempt } from '#resources/actions/workflow-runs/endpoints/runs.ts';
import { workflowAddress } from './navigation.ts';
import { runGraph } from './run-graph.ts';
import { eventText } from './runs.ts';

const mostArtifacts = 100;
const query = { exclude_pull_requests: false } as const;

const latest = () => ({ run: read(getWorkflowRun, { query }) });
type FoundRun = Found<ReturnType<typeof latest>>;

const parts = ({ run }: FoundRun) => ({
  details: read(getRunDetails, { words: { attempt_number: run.run_attempt } }),
  artifacts: read(listRunArtifacts, { query: { per_page: mostArtifacts } }),
  pending: readOptional(listPendingDeployments),
  explained: readOptional(explainWaitingRun),
});
type FoundParts = FoundRepository & FoundRun & Found<ReturnType<typeof parts>>;

export const runPage = page({
  path: '/{owner}/{repo}/actions/runs/{run_id}',
  frame: inRepository('actions'),
  reads: latest,
  follows: parts,
  render: (found, request) => shownRun(found, found.run.run_attempt, request),
});

export const attemptPage = page({
  path: '/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}',
  frame: inRepository('actions'),
  reads: () => ({ run: read(getWorkflowRunAttempt, { query }), last: read(getWorkflowRun, { query }) }),
  follows: parts,
  render: (found, request) => shownRun(found, found.last.run_attempt, request),
});

/** @param attempts the number of attempts of the run */
function shownRun(found: FoundParts, attempts: number, request: PageRequest): PageContent {
  const { repository, run, details } = found;
  const isLatest = run.run_attempt === attempts;
  const address = (job: number): string => repositoryPath(repository, 'actions', 'runs', run.id, 'job', job);
  const isOpen = run.status !== 'completed' && isLatest;
  const { owner = '', repo = '' } = request.words;
  const live = liveUpdates('run', { owner, repo, run_id: run.id }, request.address);
  const graph = runGraph(details.nodes, address);
  return {
    title: `${run.display_title} · ${run.name} #${run.run_number}`,
    body: html`${runHead(found, attempts, request)}
<div class="stack"><div id="run-notices" data-part="run">${isLatest ? waits(found, request.now) : ''}${problems(found)}</div>
<section class="panel" id="run-jobs" data-part="run"><header><h2>Jobs</h2><span class="soft small">${counted(
      details.nodes.reduce((sum, { jobs }) => sum + jobs.length, 0),
      'job',
    )}</span>
</header>${
      details.nodes.length === 0
        ? html`<p
class="body soft">This run has no jobs.</p>`
        : html`${graph ?? ''}${jobList(found, graph !== undefined, request.now)}`
    }</section>
${annotations(found)}${isLatest ? artifacts(found, request) : ''}
${isOpen ? html`<p>${live}</p>` : ''}</div>`,
  };
}

type HeadRun = FoundRun['run'];

/** Where a run is from, above the name of the run or of one of its jobs. */
export const runTrail = (repository: ShownRepository, run: Pick<HeadRun, 'id' | 'name' | 'path' | 'run_number'>): TrustedHtml =>
  html`<p class="small soft"><a href="${repositoryPath(repository, 'actions')}">Workflows</a> /
<a href="${workflowAddress(repository, run.path)}">${run.name}</a> /
<a href="${repositoryPath(repository, 'actions', 'runs', run.id)}">run ${run.run_number}</a></p>`;

function runHead({ repository, run }: FoundParts, attempts: number, { now }: PageRequest): TrustedHtml {
  const end = run.status === 'completed' ? run.updated_at : null;
  const path = (...words: (string | number)[]): string => repositoryPath(repository, 'actions', 'runs', run.id, ...words);
  const links = Array.from({ length: attempts }, (_, at) => at + 1).map((number) =>
    number === run.run_attempt
      ? html`<b>${number}</b>`
      : html`<a href="${number === attempts ? path() : path('attempts', number)}">${number}</a>`,
  );
  const pulls = run.pull_requests.map(
    ({ number }) => html` for <a href="${repositoryPath(repository, 'pull', number)}">#${number}</a>`,
  );
  return html`${runTrail(repository, run)}<h1>${run.display_title}</h1>
<p class="row run-head" id="run-head" data-part="run">${stateBadge(run)}<span
class="soft">${eventText(run.event)} by ${personLink(run.triggering_actor as ShownAccount | null)} ${timeAgo(
    run.run_started_at,
    now,
  )}${pulls}</span>
${
  run.head_branch === null
    ? ''
    : html`<a class="branch"
href="${repositoryPath(repository, 'tree', run.head_branch)}">${icon('branch')}${middleCut(run.head_branch, 40)}</a>`
}
<a class="branch" href="${repositoryPath(repository, 'commit', run.head_sha)}">${icon('commit')}${run.head_sha.slice(0, 7)}</a>
<span class="soft">${icon('clock')} ${durationBetween(run.run_started_at, end, now)}</span>
${attempts > 1 ? html`<span class="soft">Attempts: ${joined(links.slice(-20), ' ')}</span>` : ''}</p>`;
}

/** What the run waits for: people who approve, and what the explanation says. */
function waits({ repository, run, pending = [], explained }: FoundParts, now: Date): TrustedHtml {
  const job = explained?.job;
  const reason = job
    ? html`<div class="notice"><b><a href="${repositoryPath(
        repository,
        'actions',
        'runs',
        run.id,
        'job',
        job.id,
      )}">${job.name}</a> waits:</b> ${job.message}.</div>`
    : run.conclusion === 'action_required'
      ? html`<div class="notice">This run comes from a fork. It waits until somebody
who may write to the repository approves it.</div>`
      : '';
  return html`${reason}${pending.map(
    ({ environment, reviewers, wait_timer, wait_timer_started_at, current_user_can_approve }) => {
      const names = reviewers.map(({ type, reviewer }) =>
        type === 'User' && 'login' in reviewer ? personLink(reviewer) : html`${'name' in reviewer ? reviewer.name : ''}`,
      );
      const timer =
        wait_timer > 0
          ? html`<br>It also waits for ${counted(wait_timer, 'minute')}, since ${timeAgo(wait_timer_started_at, now)}.`
          : '';
      return html`<div class="notice">${icon('deployment')} <b>A deployment to
<a href="${repositoryPath(repository, 'deployments', environment.name)}">${environment.name}</a> waits.</b>
${names.length > 0 ? html`Approval is needed of ${joined(names, ' or ')}.` : ''}${
  current_user_can_approve ? ' You may approve it.' : ''
}${timer}</div>`;
    },
  )}`;
}

function problems({ repository, run, details }: FoundParts): TrustedHtml {
  if (details.problems.length === 0) return html``;
  const file = (line: number): string => `${repositoryPath(repository, 'blob', run.head_sha, run.path)}#L${line}`;
  return html`<div class="notice bad"><b>The workflow file can’t be run.</b><ul>${details.problems.map(
    ({ message, line }) =>
      html`<li>${
        run.path.startsWith('.')
          ? html`<a
href="${file(line)}">Line ${line}</a>`
          : html`Line ${line}`
      }: ${message}</li>`,
  )}</ul></div>`;
}

/** The jobs as a list, which stands in the place of the picture on narrow screens. */
function jobList({ repository, run, details }: FoundParts, hasPicture: boolean, now: Date): TrustedHtml {
  const rows = details.nodes.flatMap(({ name, jobs }) =>
    jobs.length === 0
      ? [html`<li>${stateIcon(undefined)}<span class="cut soft" title="${name}">${name}</span></li>`]
      : jobs.map(
          (job) => html`<li>${stateIcon(job)}<a class="cut grow" title="${job.name}"
href="${repositoryPath(repository, 'actions', 'runs', run.id, 'job', job.id)}">${job.name}</a>
<span class="small soft">${durationBetween(job.started_at, job.completed_at, now)}</span></li>`,
        ),
  );
  return html`<ul class="rows ${hasPicture ? 'instead' : ''}">${rows}</ul>`;
}

const levels = { failure: 'failure', warning: 'action_required', notice: 'neutral' } as const;

function annotations({ repository, run, details }: FoundParts): TrustedHtml {
  if (details.annotations.length === 0) return html``;
  const rows = details.annotations.map(({ job_id, job_name, path, start_line, annotation_level, title, message }) => {
    const job = repositoryPath(repository, 'actions', 'runs', run.id, 'job', job_id);
    const isFile = path !== '.github';
    const file = isFile
      ? html` · <a href="${repositoryPath(repository, 'blob', run.head_sha, path)}#L${start_line}">${middleCut(
          path,
          50,
        )}:${start_line}</a>`
      : '';
    return html`<li>${stateIcon({ status: null, conclusion: levels[annotation_level] })}<div class="grow">
<b>${title ?? ''}</b><p class="message">${message.slice(0, mostMessage).toWellFormed()}</p>
<div class="small soft"><a href="${job}">${job_name}</a>${file}</div></div></li>`;
  });
  return html`<section class="panel" id="run-annotations" data-part="run"><header><h2>Annotations</h2><span
class="count">${rows.length}</span></header>
<ul class="rows">${rows}</ul></section>`;
}
const mostMessage = 2_000;

function artifacts({ repository, run, artifacts: found }: FoundParts, { person, now }: PageRequest): TrustedHtml {
  const rows = found.artifacts.map((one) => {
    const address = repositoryPath(repository, 'actions', 'runs', run.id, 'artifacts', one.id);
    const name =
      one.expired || !person
        ? html`<span class="cut grow" title="${one.name}">${one.name}</span>`
        : html`<a class="cut grow" title="${one.name}" href="${address}">${one.name}</a>`;
    return html`<li>${icon('package')}${name}<span class="small soft">${sizeText(one.size_in_bytes)}</span>
<span class="small soft">${one.expired ? 'expired' : html`expires ${timeAgo(one.expires_at, now)}`}</span></li>`;
  });
  const none = emptyState({ icon: 'package', title: 'Files that jobs upload will be listed here.' });
  return html`<section class="panel" id="run-artifacts" data-part="run"><header><h2>Artifacts</h2><span class="soft small">${
    found.total_count > 0 ? counted(found.total_count, 'artifact') : ''
  }${found.total_count > 0 && !person ? ' · sign in to download them' : ''}</span></header>
${rows.length === 0 ? none : html`<ul class="rows">${rows}</ul>`}</section>`;
}
