import { countText } from '#console/components/lists.ts';
import { inRepository, repositoryPath } from '#console/frames/repository.ts';
import { page, read, readOptional } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import { listRepoSecretAlerts } from '#resources/code/secret-scanning/endpoints/alerts.ts';
import {
  checkPrivateVulnerabilityReporting,
  checkVulnerabilityAlerts,
} from '#resources/repositories/repository-security/endpoints.ts';
import { listRepoCodeScanningAlerts } from '#resources/security/code-scanning/endpoints/alerts.ts';
import { listRepoDependencyAlerts } from '#resources/security/dependency-alerts/endpoints.ts';
import { listRepositoryAdvisories } from '#resources/security/repository-advisories/endpoints.ts';
import { inSecurity } from './parts.ts';

const counting = { per_page: 1 } as const;

export const securityPage = page({
  path: '/{owner}/{repo}/security',
  frame: inRepository('security'),
  reads: () => ({
    advisories: read(listRepositoryAdvisories, { query: { state: 'published', ...counting } }),
    reporting: read(checkPrivateVulnerabilityReporting),
    alerting: readOptional(checkVulnerabilityAlerts),
    dependencies: readOptional(listRepoDependencyAlerts, { query: { state: 'open', ...counting } }),
    findings: readOptional(listRepoCodeScanningAlerts, { query: { state: 'open', ...counting } }),
    secrets: readOptional(listRepoSecretAlerts, { query: { state: 'open', hide_secret: true, ...counting } }),
  }),
  render(found, _request, positions) {
    const { repository, reporting, alerting } = found;
    const of = (name: 'advisories' | 'dependencies' | 'findings' | 'secrets'): number | undefined =>
      found[name] && (positions[name]?.total ?? found[name].length);
    const administers = repository.permissions?.admin === true;
    const analysis = repository.security_and_analysis;
    const row = (path: string, title: string, meaning: string, count: number | undefined): TrustedHtml =>
      count === undefined
        ? html``
        : html`<li>${
            count === 0
              ? html`<span class="ok">${icon('circle-check')}</span>`
              : html`<span
class="wait">${icon('warning')}</span>`
          }
<span class="grow"><a class="title" href="${repositoryPath(repository, 'security', path)}">${title}</a> <span
class="soft small">${meaning}</span></span>
<span class="count">${countText(count)}</span></li>`;
    const published = of('advisories') ?? 0;
    const switches: readonly (readonly [title: string, isOn: boolean | undefined])[] = [
      ['Private reports of vulnerabilities', reporting.enabled],
      ['Alerts of vulnerable dependencies', administers ? alerting === true : undefined],
      ['Updates by the dependency bot', isEnabled(analysis?.dependency_bot_security_updates)],
      ['Secret scanning', isEnabled(analysis?.secret_scanning)],
      ['Push protection against secrets', isEnabled(analysis?.secret_scanning_push_protection)],
    ];
    const shown = switches.flatMap(([title, isOn]) => (isOn === undefined ? [] : [{ title, isOn }]));
    return {
      title: `Security · ${repository.full_name}`,
      body: inSecurity(
        { repository, section: '' },
        html`<div class="heading"><h1>Security</h1></div><section class="panel"><header><h2>What is open</h2></header><ul
class="rows">
<li>${icon('law')}<span class="grow"><a class="title" href="${repositoryPath(repository, 'security', 'advisories')}">Published
advisories</a>
<span class="soft small">vulnerabilities that were made known</span></span><span class="count">${countText(published)}</span></li>
${row('dependency-alerts', 'Dependencies', 'with known vulnerabilities', of('dependencies'))}
${row('code-scanning', 'Code scanning', 'problems that tools found in the code', of('findings'))}
${row('secret-scanning', 'Secrets', 'that were found in code and texts', of('secrets'))}</ul></section>
<section class="panel"><header><h2>What is switched on</h2></header><ul class="rows">${shown.map(
          ({ title, isOn }) =>
            html`<li>${isOn ? html`<span class="ok">${icon('check')}</span>` : html`<span class="soft">${icon('cross')}</span>`}
<span class="grow">${title}</span><span class="soft small">${isOn ? 'on' : 'off'}</span></li>`,
        )}</ul></section>`,
      ),
    };
  },
});

const isEnabled = (setting: { readonly status: string } | undefined): boolean | undefined =>
  setting && setting.status === 'enabled';
