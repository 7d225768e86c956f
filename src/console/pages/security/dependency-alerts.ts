import { pagePath } from '#console/components/address.ts';
import { emptyState, pager } from '#console/components/lists.ts';
import { personLink } from '#console/components/person.ts';
import { timeAgo } from '#console/components/time.ts';
import { inRepository, repositoryPath } from '#console/frames/repository.ts';
import { isRefused, page, read, readOrExplain } from '#console/page.ts';
import { html, joined } from '#html/template.ts';
import { getDependencyAlert, listRepoDependencyAlerts } from '#resources/security/dependency-alerts/endpoints.ts';
import { facts, inSecurity, localLink, outerLink, plainText, severityMark, stateMark, stateOf, stateTabs } from './parts.ts';

const perPage = 30;
const states = [
  ['open', 'Open'],
  ['fixed', 'Fixed'],
  ['dismissed', 'Dismissed'],
] as const;

export const dependencyAlertsPage = page({
  path: '/{owner}/{repo}/security/dependency-alerts',
  frame: inRepository('security'),
  reads: (request) => {
    const { page, before, after } = request.query;
    return {
      alerts: readOrExplain(listRepoDependencyAlerts, {
        query: { state: stateOf(request, states), per_page: perPage, page, before, after },
      }),
    };
  },
  render({ alerts, repository }, request, { alerts: position }) {
    const title = `Vulnerable dependencies · ${repository.full_name}`;
    if (isRefused(alerts)) {
      const off = emptyState({
        icon: 'shield',
        title: alerts.refused.join(' '),
        hint: 'Somebody who administers it can switch them on.',
      });
      return {
        title,
        body: inSecurity({ repository, section: 'dependency-alerts' }, html`<h1>Vulnerable dependencies</h1>${off}`),
      };
    }
    const rows = alerts.map(
      ({
        security_advisory: advisory,
        security_vulnerability: range,
        dependency,
        number,
        html_url,
        created_at,
      }) => html`<li>${severityMark(range.severity)}
<div class="grow"><a class="title" href="${localLink(html_url, request)}" dir="auto">${advisory.summary}</a>
<p class="soft small">#${number} · ${dependency.package.name} (${dependency.package.ecosystem}) in
<code>${dependency.manifest_path}</code> ·
found ${timeAgo(created_at, request.now)}</p></div></li>`,
    );
    const empty = emptyState({ icon: 'shield', title: 'No dependency with a known vulnerability is in this state.' });
    return {
      title,
      body: inSecurity(
        { repository, section: 'dependency-alerts' },
        html`<h1>Vulnerable
dependencies</h1>${stateTabs(request, repositoryPath(repository, 'security', 'dependency-alerts'), states)}
${rows.length === 0 ? empty : html`<ul class="rows panel">${rows}</ul>`}${pager(request, { position, perPage })}`,
      ),
    };
  },
});

export const dependencyAlertPage = page({
  path: '/{owner}/{repo}/security/dependency-alerts/{alert_number}',
  frame: inRepository('security'),
  reads: () => ({ alert: read(getDependencyAlert) }),
  render({ alert, repository }, { now }) {
    const { security_advisory: advisory, security_vulnerability: range, dependency } = alert;
    const { manifest_path: file } = dependency;
    const patched = range.first_patched_version?.identifier;
    return {
      title: `${advisory.summary} · ${repository.full_name}`,
      body: inSecurity(
        { repository, section: 'dependency-alerts' },
        html`<h1 dir="auto">${advisory.summary} <span class="soft">#${alert.number}</span></h1>
<p class="row">${stateMark(alert.state)}${severityMark(range.severity)}</p>
<section class="panel"><header><h2>What to do</h2></header><p class="body">${
          patched === undefined
            ? 'No version without the vulnerability is known yet.'
            : html`Use version <code>${patched}</code> or a later one of ${dependency.package.name}.`
        }</p></section><section class="panel"><header><h2>Description</h2></header>${plainText(advisory.description)}</section>
<section class="panel"><header><h2>About it</h2></header>${facts([
          [
            'Package',
            html`${dependency.package.name} (${dependency.package.ecosystem}), ${dependency.relationship}, ${dependency.scope}`,
          ],
          ['File', html`<a href="${repositoryPath(repository, 'blob', repository.default_branch, file)}">${file}</a>`],
          ['Affected versions', html`<code>${range.vulnerable_version_range}</code>`],
          ['Advisory', html`<a href="${pagePath('advisories', advisory.advisory_id)}">${advisory.advisory_id}</a>`],
          ['Found', timeAgo(alert.created_at, now)],
          ['Fixed', timeAgo(alert.fixed_at, now)],
          [
            'Dismissed',
            alert.dismissed_at === null
              ? ''
              : html`${timeAgo(alert.dismissed_at, now)} by ${personLink(alert.dismissed_by)}:
${alert.dismissed_reason?.replaceAll('_', ' ')} ${alert.dismissed_comment}`,
          ],
          ['Assigned to', alert.assignees.length === 0 ? '' : joined(alert.assignees.map(personLink), ', ')],
          [
            'Read more',
            advisory.references.length === 0
              ? ''
              : html`<ul>${advisory.references.map(({ url }) => html`<li>${outerLink(url)}</li>`)}</ul>`,
          ],
        ])}</section>`,
      ),
    };
  },
});
