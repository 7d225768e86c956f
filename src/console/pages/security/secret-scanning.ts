import { withQuery } from '#console/components/address.ts';
import { emptyState, pager } from '#console/components/lists.ts';
import { personLink } from '#console/components/person.ts';
import { timeAgo } from '#console/components/time.ts';
import { inRepository, repositoryPath } from '#console/frames/repository.ts';
import { page, read } from '#console/page.ts';
import { html } from '#html/template.ts';
import { getSecretAlert, listRepoSecretAlerts, listSecretLocations } from '#resources/code/secret-scanning/endpoints/alerts.ts';
import { facts, inSecurity, localLink, stateMark, stateOf, stateTabs } from './parts.ts';

const perPage = 30;
const states = [
  ['open', 'Open'],
  ['resolved', 'Resolved'],
] as const;

export const secretScanningPage = page({
  path: '/{owner}/{repo}/security/secret-scanning',
  frame: inRepository('security'),
  reads: (request) => {
    const { page, before, after } = request.query;
    const query = { state: stateOf(request, states), hide_secret: true, per_page: perPage, page, before, after };
    return { alerts: read(listRepoSecretAlerts, { query }) };
  },
  render({ alerts, repository }, request, { alerts: position }) {
    const rows = alerts.map(
      (one) => html`<li>${stateMark(one.state)}<div class="grow"><a class="title" href="${localLink(one.html_url, request)}"
dir="auto">${one.secret_type_display_name}</a>
<p class="soft small">#${one.number} · ${one.provider ?? one.secret_type} · found ${timeAgo(one.created_at, request.now)}${
        one.validity === 'active' ? html` · <b class="bad">still works</b>` : ''
      }${one.push_protection_bypassed ? ' · pushed in spite of the warning' : ''}</p></div></li>`,
    );
    const empty = emptyState({ icon: 'key', title: 'No secret that was found in code or texts is in this state.' });
    return {
      title: `Secrets · ${repository.full_name}`,
      body: inSecurity(
        { repository, section: 'secret-scanning' },
        html`<h1>Secrets</h1>${stateTabs(request, repositoryPath(repository, 'security', 'secret-scanning'), states)}
${rows.length === 0 ? empty : html`<ul class="rows panel">${rows}</ul>`}${pager(request, { position, perPage })}`,
      ),
    };
  },
});

const validities = {
  active: 'It still works',
  inactive: 'It works no longer',
  unknown: 'Nobody knows whether it works',
} as const;

export const secretAlertPage = page({
  path: '/{owner}/{repo}/security/secret-scanning/{alert_number}',
  frame: inRepository('security'),
  reads: ({ query }) => ({
    alert: read(getSecretAlert, { query: { hide_secret: query.show !== 'secret' } }),
    locations: read(listSecretLocations, { query: { per_page: perPage, page: query.page } }),
  }),
  render({ alert, locations, repository }, request, { locations: position }) {
    const { address, now } = request;
    const { secret } = alert;
    const rows = locations.map(({ type, details }) => {
      const text = 'path' in details ? `${details.path}:${details.start_line}` : type.replaceAll('_', ' ');
      const commit = 'path' in details ? html`<code class="soft">${details.commit_sha.slice(0, 10)}</code>` : '';
      return html`<li><a class="grow" href="${localLink(details.html_url, request)}">${text}</a>${commit}</li>`;
    });
    const shown =
      secret === undefined
        ? html`<a href="${withQuery(address, { show: 'secret' })}">Show it</a>`
        : html`<code>${secret}</code> <a href="${withQuery(address, { show: undefined })}">Hide it</a>`;
    return {
      title: `${alert.secret_type_display_name} · ${repository.full_name}`,
      body: inSecurity(
        { repository, section: 'secret-scanning' },
        html`<h1 dir="auto">${alert.secret_type_display_name} <span class="soft">#${alert.number}</span></h1>
<p class="row">${stateMark(alert.state)}<span>${validities[alert.validity]}.</span></p>
<section class="panel"><header><h2>What to do</h2></header><p class="body">Make it invalid where it was issued, and use another
one. Removing it
from the files is not enough: it stays in the history.</p></section><section class="panel"><header><h2>About
it</h2></header>${facts([
          ['Secret', shown],
          ['Issued by', alert.provider ?? ''],
          ['Found', timeAgo(alert.created_at, now)],
          [
            'Resolved',
            alert.resolved_at === null
              ? ''
              : html`${timeAgo(alert.resolved_at, now)} by ${personLink(alert.resolved_by)}:
${alert.resolution?.replaceAll('_', ' ')} ${alert.resolution_comment}`,
          ],
          [
            'Pushed in spite of the warning',
            alert.push_protection_bypassed
              ? html`${timeAgo(alert.push_protection_bypassed_at, now)} by ${personLink(alert.push_protection_bypassed_by)}`
              : '',
          ],
          ['Assigned to', alert.assigned_to ? personLink(alert.assigned_to) : ''],
        ])}</section><section class="panel"><header><h2>Where it was found</h2></header><ul class="rows">${rows}</ul></section>
${pager(request, { position, perPage })}`,
      ),
    };
  },
});
