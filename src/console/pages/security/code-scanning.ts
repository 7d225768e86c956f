import { emptyState, pager } from '#console/components/lists.ts';
import { personLink } from '#console/components/person.ts';
import { timeAgo } from '#console/components/time.ts';
import { inRepository, repositoryPath, type ShownRepository } from '#console/frames/repository.ts';
import { page, read } from '#console/page.ts';
import { html, joined, type TrustedHtml } from '#html/template.ts';
import {
  getCodeScanningAlert,
  listCodeScanningInstances,
  listRepoCodeScanningAlerts,
} from '#resources/security/code-scanning/endpoints/alerts.ts';
import { facts, inSecurity, localLink, outerLink, plainText, severityMark, stateMark, stateOf, stateTabs } from './parts.ts';

const perPage = 30;
const states = [
  ['open', 'Open'],
  ['fixed', 'Fixed'],
  ['dismissed', 'Dismissed'],
] as const;

type Location = {
  readonly commit_sha: string;
  readonly location: { readonly path: string; readonly start_line: number; readonly end_line: number };
};

/** The lines that a finding is about, in the commit that was analysed. */
const linesLink = (
  repository: ShownRepository,
  { commit_sha, location: { path, start_line: start, end_line: end } }: Location,
): TrustedHtml => {
  const lines = end > start ? `L${start}-L${end}` : `L${start}`;
  return html`<a href="${repositoryPath(repository, 'blob', commit_sha, path)}#${lines}">${path}:${start}</a>`;
};

export const codeScanningPage = page({
  path: '/{owner}/{repo}/security/code-scanning',
  frame: inRepository('security'),
  reads: (request) => {
    const { page, before, after, tool_name } = request.query;
    const query = { state: stateOf(request, states), per_page: perPage, page, before, after, tool_name };
    return { alerts: read(listRepoCodeScanningAlerts, { query }) };
  },
  render({ alerts, repository }, request, { alerts: position }) {
    const rows = alerts.map(
      ({
        rule,
        tool,
        number,
        html_url,
        created_at,
        most_recent_instance: recent,
      }) => html`<li>${severityMark(rule.security_severity_level ?? rule.severity)}
<div class="grow"><a class="title" href="${localLink(html_url, request)}" dir="auto">${rule.description || rule.id}</a>
<p class="soft small">#${number} · ${linesLink(repository, recent)} · ${tool.name} · found
${timeAgo(created_at, request.now)}</p></div></li>`,
    );
    const empty = emptyState({
      icon: 'bug',
      title: 'No problem that a tool found is in this state.',
      hint: 'Workflows upload what tools find as SARIF, and default setup runs them by itself.',
    });
    return {
      title: `Code scanning · ${repository.full_name}`,
      body: inSecurity(
        { repository, section: 'code-scanning' },
        html`<h1>Code scanning</h1>${stateTabs(request, repositoryPath(repository, 'security', 'code-scanning'), states)}
${rows.length === 0 ? empty : html`<ul class="rows panel">${rows}</ul>`}${pager(request, { position, perPage })}`,
      ),
    };
  },
});

export const codeScanningAlertPage = page({
  path: '/{owner}/{repo}/security/code-scanning/{alert_number}',
  frame: inRepository('security'),
  reads: ({ query }) => ({
    alert: read(getCodeScanningAlert),
    instances: read(listCodeScanningInstances, { query: { per_page: perPage, page: query.page } }),
  }),
  render({ alert, instances, repository }, request, { instances: position }) {
    const { rule, tool, most_recent_instance: recent } = alert;
    const { now } = request;
    const found = instances.map(
      (one) => html`<tr><td>${stateMark(one.state)}</td><th
scope="row"><code>${one.ref.replace(/^refs\/(heads|tags)\//, '')}</code></th><td>${linesLink(repository, one)}</td>
<td class="soft">${one.category}</td></tr>`,
    );
    return {
      title: `${rule.description || rule.id} · ${repository.full_name}`,
      body: inSecurity(
        { repository, section: 'code-scanning' },
        html`<h1 dir="auto">${rule.description || rule.id} <span class="soft">#${alert.number}</span></h1>
<p class="row">${stateMark(alert.state)}${severityMark(rule.security_severity_level ?? rule.severity)}</p>
<section class="panel"><header><h2>${linesLink(repository, recent)}</h2></header>${plainText(recent.message.text)}</section>
${
  rule.help || rule.full_description
    ? html`<section class="panel"><header><h2>What this
means</h2></header>${plainText(rule.help || rule.full_description)}</section>`
    : ''
}
<section class="panel"><header><h2>About it</h2></header>${facts([
          ['Tool', html`${tool.name} ${tool.version}`],
          ['Rule', html`<code>${rule.id}</code>`],
          ['Tags', rule.tags.join(', ')],
          ['Found', timeAgo(alert.created_at, now)],
          ['Fixed', timeAgo(alert.fixed_at, now)],
          [
            'Dismissed',
            alert.dismissed_at === null
              ? ''
              : html`${timeAgo(alert.dismissed_at, now)} by ${personLink(alert.dismissed_by)}: ${alert.dismissed_reason}
${alert.dismissed_comment}`,
          ],
          ['Assigned to', alert.assignees.length === 0 ? '' : joined(alert.assignees.map(personLink), ', ')],
          ['Read more', rule.help_uri ? outerLink(rule.help_uri) : ''],
        ])}</section><section class="panel"><header><h2>Where it was found</h2></header><table class="rows cells"><thead
class="unseen"><tr>
<th scope="col">State</th><th scope="col">Branch</th><th scope="col">Lines</th><th
scope="col">Analysis</th></tr></thead><tbody>${found}</tbody></table></section>
${pager(request, { position, perPage })}`,
      ),
    };
  },
});
