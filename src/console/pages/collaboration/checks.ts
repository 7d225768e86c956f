// The checks of a pull request's last commit: what apps say in check runs, and other systems in statuses.
import { localAddress, pagePath } from '#console/components/address.ts';
import { counted, emptyState } from '#console/components/lists.ts';
import { durationText, timeAgo } from '#console/components/time.ts';
import { inPull } from '#console/frames/pull.ts';
import { type PageRequest, page, readOptional } from '#console/page.ts';
import { type IconName, icon } from '#html/icons.ts';
import { attribute, html, type Insertable, type TrustedHtml } from '#html/template.ts';
import { listCheckRunAnnotations, listCheckRunsForRef } from '#resources/code/checks/endpoints/runs.ts';
import type { CheckAnnotation, CheckRun } from '#resources/code/checks/schemas.ts';
import { getCombinedStatus } from '#resources/code/commit-statuses/endpoints.ts';

type Shown = readonly [icon: IconName, colour: string, word: string];

const conclusions: Readonly<Record<NonNullable<CheckRun['conclusion']>, Shown>> = {
  success: ['check', 'ok', 'Passed'],
  failure: ['cross', 'bad', 'Failed'],
  timed_out: ['clock', 'bad', 'Timed out'],
  action_required: ['warning', 'wait', 'Needs somebody'],
  cancelled: ['cancelled', 'soft', 'Cancelled'],
  stale: ['history', 'soft', 'Out of date'],
  neutral: ['skipped', 'soft', 'Neutral'],
  skipped: ['skipped', 'soft', 'Skipped'],
};

const stateOf = ({ status, conclusion }: CheckRun): Shown => {
  if (conclusion !== null) return conclusions[conclusion];
  return status === 'in_progress' ? ['running', 'wait', 'Running'] : ['clock', 'wait', 'Queued'];
};

const statusStates = {
  success: ['check', 'ok', 'Passed'],
  failure: ['cross', 'bad', 'Failed'],
  error: ['cross', 'bad', 'Failed'],
  pending: ['clock', 'wait', 'Waiting'],
} as const satisfies Record<string, Shown>;

type RowParts = {
  readonly shown: Shown;
  readonly name: Insertable;
  readonly detail: Insertable;
  readonly time: Insertable;
  readonly id?: string;
};

const row = ({ shown: [name, colour, word], name: title, detail, time, id }: RowParts): TrustedHtml =>
  html`<li${attribute('id', id)}><span class="${colour}" title="${word}">${icon(name)}<span class="unseen">${word}</span></span>
<div class="grow"><p>${title}</p>${detail === '' ? '' : html`<p class="soft small">${detail}</p>`}</div>
<span class="soft small">${time}</span></li>`;

const seconds = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 1_000;

function runRow(run: CheckRun, request: PageRequest<unknown>, annotationsAddress: string): TrustedHtml {
  const { started_at, completed_at, output, details_url, name } = run;
  const count = output.annotations_count;
  const detail = html`${output.title}${
    count === 0 ? '' : html` <a href="${annotationsAddress}">${counted(count, 'annotation')}</a>`
  }`;
  return row({
    id: `check-run-${run.id}`,
    shown: stateOf(run),
    name: html`<a class="title" href="${localAddress(details_url, request.links.html)}">${name}</a>`,
    detail: output.title === null && count === 0 ? '' : detail,
    time: completed_at === null ? timeAgo(started_at, request.now) : durationText(seconds(started_at, completed_at)),
  });
}

const levels = {
  notice: ['note', 'soft', 'Notice'],
  warning: ['warning', 'wait', 'Warning'],
  failure: ['cross', 'bad', 'Failure'],
} as const;

function annotationRow(annotation: CheckAnnotation, blob: string): TrustedHtml {
  const { path, start_line, end_line, annotation_level, title, message, raw_details } = annotation;
  const lines = start_line === end_line ? `L${start_line}` : `L${start_line}-L${end_line}`;
  const [name, colour, word] = levels[annotation_level];
  return html`<li><span class="${colour}" title="${word}">${icon(name)}<span class="unseen">${word}</span></span>
<div class="grow"><p><a href="${pagePath(blob, path)}#${lines}"><code>${path}</code> ${lines}</a></p>
${title === null ? '' : html`<p><b>${title}</b></p>`}<pre class="plain">${message}</pre>${
    raw_details === null ? '' : html`<details><summary>Details</summary><pre class="plain">${raw_details}</pre></details>`
  }</div></li>`;
}

/** The run whose annotations are asked for. */
const runIn = (query: Readonly<Record<string, string | undefined>>): string | undefined =>
  query.run !== undefined && /^\d{1,15}$/.test(query.run) ? query.run : undefined;

const most = 100;

export const pullChecksPage = page({
  path: '/{owner}/{repo}/pull/{pull_number}/checks',
  frame: inPull('checks'),
  follows: ({ pull }, { query }) => ({
    runs: readOptional(listCheckRunsForRef, { words: { ref: pull.head.sha }, query: { per_page: most } }),
    statuses: readOptional(getCombinedStatus, { words: { ref: pull.head.sha }, query: { per_page: most } }),
    annotations: readOptional(listCheckRunAnnotations, { words: { check_run_id: runIn(query) ?? 0 }, query: { per_page: most } }),
  }),
  render({ pull, repository, runs, statuses, annotations = [] }, request) {
    const { address, query } = request;
    const [path = ''] = address.split('?');
    const suites = Map.groupBy(runs?.check_runs ?? [], ({ check_suite, app }) => `${app.name} ${check_suite.id}`);
    const groups = [...suites.values()].map((some) => {
      const [first] = some;
      const failed = some.filter((run) => stateOf(run)[1] === 'bad').length;
      const waiting = some.filter((run) => stateOf(run)[1] === 'wait').length;
      const said = [
        ...(failed > 0 ? [`${failed} failed`] : []),
        ...(waiting > 0 ? [`${waiting} not finished`] : []),
        ...(failed + waiting < some.length ? [`${some.length - failed - waiting} done`] : []),
      ];
      return html`<section class="panel"><header><h2>${first?.app.name}</h2>
<span class="push soft small">${said.join(' · ')}</span></header>
<ul class="rows">${some.map((run) => runRow(run, request, `${path}?run=${run.id}#annotations`))}</ul></section>`;
    });
    const given = statuses?.statuses ?? [];
    const ofStatuses =
      given.length === 0
        ? ''
        : html`<section class="panel"><header><h2>Statuses</h2></header><ul class="rows">${given.map(
            ({ state, context, target_url, description, updated_at }) =>
              row({
                shown: statusStates[state],
                name:
                  target_url === null || target_url === ''
                    ? html`<b>${context}</b>`
                    : html`<a class="title" href="${target_url}">${context}</a>`,
                detail: description ?? '',
                time: timeAgo(updated_at, request.now),
              }),
          )}</ul></section>`;
    const total = (runs?.total_count ?? 0) + (statuses?.total_count ?? 0);
    const blob = pagePath(repository.full_name, 'blob', pull.head.sha);
    const named = (runs?.check_runs ?? []).find(({ id }) => String(id) === runIn(query));
    const ofRun =
      runIn(query) === undefined
        ? ''
        : html`<section class="panel" id="annotations"><header><h2>Annotations${
            named ? html` of ${named.name}` : ''
          }</h2><a class="push" href="${path}">Close</a></header>${
            annotations.length === 0
              ? html`<p class="prose soft">There are none.</p>`
              : html`<ul class="rows">${annotations.map((annotation) => annotationRow(annotation, blob))}</ul>`
          }</section>`;
    return {
      title: `Checks · ${pull.title} · #${pull.number}`,
      body: html`${ofRun}${groups}${ofStatuses}${
        total === 0
          ? html`<div class="panel">${emptyState({
              icon: 'circle-check',
              title: 'The checks of the last commit will be listed here.',
              hint: html`Workflows run for files in <code>.service/workflows</code>; other systems report by the API.`,
            })}</div>`
          : html`<p class="soft small">Of the commit
<a href="${pagePath(repository.full_name, 'commit', pull.head.sha)}"><code>${pull.head.sha.slice(
              0,
              7,
            )}</code></a>${total > most ? `. The first ${most} runs and ${most} statuses are shown.` : '.'}</p>`
      }`,
    };
  },
});
