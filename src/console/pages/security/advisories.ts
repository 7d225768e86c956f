// Advisories of a repository, and those of the whole server.
import { pagePath, withQuery } from '#console/components/address.ts';
import { emptyState, pager } from '#console/components/lists.ts';
import { personLink } from '#console/components/person.ts';
import { timeAgo } from '#console/components/time.ts';
import { plainFrame } from '#console/frames/plain.ts';
import { inRepository, repositoryPath } from '#console/frames/repository.ts';
import { isRefused, page, read, readOrExplain } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { html, joined, type TrustedHtml } from '#html/template.ts';
import { getRepositoryAdvisory, listRepositoryAdvisories } from '#resources/security/repository-advisories/endpoints.ts';
import { getAdvisoryOfAll, listAdvisoriesOfAll } from '#resources/security/repository-advisories/global-endpoints.ts';
import { facts, inSecurity, localLink, outerLink, plainText, severityMark, stateMark, stateOf, stateTabs } from './parts.ts';

const perPage = 30;
const states = [
  ['published', 'Published'],
  ['draft', 'Drafts'],
  ['triage', 'Reported'],
  ['closed', 'Closed'],
] as const;

export const advisoriesPage = page({
  path: '/{owner}/{repo}/security/advisories',
  frame: inRepository('security'),
  reads: (request) => {
    const { page, before, after } = request.query;
    const query = { state: stateOf(request, states), sort: 'updated', per_page: perPage, page, before, after };
    return { advisories: read(listRepositoryAdvisories, { query }) };
  },
  render({ advisories, repository }, request, { advisories: position }) {
    const rows = advisories.map(
      (one) => html`<li>${severityMark(one.severity)}<div class="grow"><a class="title" href="${localLink(one.html_url, request)}"
dir="auto">${one.summary}</a>
<p class="soft small">${one.advisory_id}${one.cve_id === null ? '' : html` · ${one.cve_id}`} · ${
        one.published_at === null
          ? html`changed ${timeAgo(one.updated_at, request.now)}`
          : html`published ${timeAgo(one.published_at, request.now)}`
      }</p></div></li>`,
    );
    const empty = emptyState({
      icon: 'shield',
      title: 'No advisory is in this state.',
      hint: 'An advisory says which versions have a vulnerability, and which have it no longer.',
    });
    return {
      title: `Advisories · ${repository.full_name}`,
      body: inSecurity(
        { repository, section: 'advisories' },
        html`<h1>Advisories</h1>${stateTabs(request, repositoryPath(repository, 'security', 'advisories'), states)}
${rows.length === 0 ? empty : html`<ul class="rows panel">${rows}</ul>`}${pager(request, { position, perPage })}`,
      ),
    };
  },
});

type Affected = {
  readonly package: { readonly ecosystem: string; readonly name: string | null };
  readonly vulnerable_version_range: string | null;
  readonly patched: string | null;
};

const affectedTable = (rows: readonly Affected[]): TrustedHtml =>
  rows.length === 0
    ? html``
    : html`<section class="panel"><header><h2>What is affected</h2></header><table class="rows cells"><thead><tr><th
scope="col">Package</th>
<th scope="col">Ecosystem</th><th scope="col">Affected versions</th><th scope="col">Without it</th></tr></thead><tbody>${rows.map(
        (row) => html`<tr><th scope="row" dir="auto">${row.package.name}</th><td class="soft">${row.package.ecosystem}</td>
<td><code>${row.vulnerable_version_range}</code></td><td>${
          row.patched === null
            ? html`<span class="soft">none
yet</span>`
            : html`<code>${row.patched}</code>`
        }</td></tr>`,
      )}</tbody></table></section>`;

type Rated = {
  readonly cvss_severities: Readonly<
    Record<'cvss_v3' | 'cvss_v4', { readonly vector_string: string | null; readonly score: number | null }>
  >;
  readonly cwes: readonly { readonly cwe_id: string; readonly name: string }[];
  readonly identifiers: readonly { readonly value: string }[];
};

const ratingRows = ({ cvss_severities: { cvss_v3, cvss_v4 }, cwes, identifiers }: Rated) =>
  [
    ['CVSS 4', cvss_v4.vector_string === null ? '' : html`${cvss_v4.score} <code>${cvss_v4.vector_string}</code>`],
    ['CVSS 3', cvss_v3.vector_string === null ? '' : html`${cvss_v3.score} <code>${cvss_v3.vector_string}</code>`],
    [
      'Kinds',
      cwes.length === 0
        ? ''
        : joined(
            cwes.map(({ cwe_id, name }) => html`${cwe_id} ${name}`),
            ', ',
          ),
    ],
    [
      'Identifiers',
      joined(
        identifiers.map(({ value }) => html`${value}`),
        ', ',
      ),
    ],
  ] as const;

export const advisoryPage = page({
  path: '/{owner}/{repo}/security/advisories/{advisory_id}',
  frame: inRepository('security'),
  reads: () => ({ advisory: read(getRepositoryAdvisory) }),
  render({ advisory, repository }, { now }) {
    const { summary, advisory_id, state, severity, description, author, publisher, credits, vulnerabilities } = advisory;
    const { collaborating_users: people, private_fork: fork } = advisory;
    return {
      title: `${summary} · ${repository.full_name}`,
      body: inSecurity(
        { repository, section: 'advisories' },
        html`<h1 dir="auto">${summary}</h1><p class="row">${stateMark(state)}${severityMark(severity)}<span
class="soft">${advisory_id}</span></p>
${affectedTable(vulnerabilities.map((one) => ({ ...one, patched: one.patched_versions })))}
<section class="panel"><header><h2>Description</h2></header>${plainText(description)}</section>
<section class="panel"><header><h2>About it</h2></header>${facts([
          [
            'Published',
            advisory.published_at === null ? '' : html`${timeAgo(advisory.published_at, now)} by ${personLink(publisher)}`,
          ],
          [
            'Reported',
            author ? html`${timeAgo(advisory.created_at, now)} by ${personLink(author)}` : timeAgo(advisory.created_at, now),
          ],
          ['Withdrawn', timeAgo(advisory.withdrawn_at, now)],
          ['Closed', timeAgo(advisory.closed_at, now)],
          ...ratingRows(advisory),
          [
            'Thanks to',
            credits.length === 0
              ? ''
              : joined(
                  credits.map(
                    ({ login, type }) => html`<a href="${pagePath(login)}">${login}</a> (${type.replaceAll('_', ' ')})`,
                  ),
                  ', ',
                ),
          ],
          ['Working on it', people === null || people.length === 0 ? '' : joined(people.map(personLink), ', ')],
          ['Private fork', fork ? html`<a href="${pagePath(fork.full_name)}">${fork.full_name}</a>` : ''],
        ])}</section>`,
      ),
    };
  },
});

export const globalAdvisoriesPage = page({
  path: '/advisories',
  frame: plainFrame,
  reads: ({ query: { severity, ecosystem, affects, before, after } }) => ({
    advisories: readOrExplain(listAdvisoriesOfAll, {
      query: {
        severity: severity || undefined,
        ecosystem: ecosystem || undefined,
        affects: affects || undefined,
        per_page: perPage,
        before,
        after,
      },
    }),
  }),
  render({ advisories }, request, { advisories: position }) {
    const { query } = request;
    const form = html`<form class="row"><label><span class="unseen">Package</span><input name="affects"
value="${query.affects ?? ''}"
 placeholder="Package, such as left or left@1.0"></label><label><span class="unseen">Ecosystem</span><input name="ecosystem"
 value="${query.ecosystem ?? ''}" placeholder="Ecosystem, such as npm"></label><button>Filter</button>
<a class="small" href="${withQuery('/advisories', { severity: 'critical' })}">Critical alone</a></form>`;
    if (isRefused(advisories))
      return {
        title: 'Advisories',
        body: html`<h1>Advisories about packages</h1>${form}<div class="notice bad"
role="alert">${advisories.refused.map((text) => html`<p>${text}</p>`)}</div>`,
      };
    const rows = advisories.map(
      (one) => html`<li>${severityMark(one.severity)}<div class="grow"><a class="title" href="${localLink(one.html_url, request)}"
dir="auto">${one.summary}</a>
<p class="soft small">${one.advisory_id}${one.cve_id === null ? '' : html` · ${one.cve_id}`} · published
${timeAgo(one.published_at, request.now)}</p></div>
<span class="soft small cut">${one.vulnerabilities[0]?.package.name}</span></li>`,
    );
    const empty = emptyState({
      icon: 'shield',
      title: 'Advisories about packages will be listed here.',
      hint: 'They come from the files that the administrator has loaded, and from repositories of this server.',
    });
    return {
      title: 'Advisories',
      body: html`<div class="heading"><h1>Advisories about packages</h1></div><div class="stack">${form}
${rows.length === 0 ? empty : html`<ul class="rows panel">${rows}</ul>`}</div>${pager(request, { position, perPage })}`,
    };
  },
});

export const globalAdvisoryPage = page({
  path: '/advisories/{advisory_id}',
  frame: plainFrame,
  reads: () => ({ advisory: read(getAdvisoryOfAll) }),
  render({ advisory }, request) {
    const { summary, advisory_id, severity, description, vulnerabilities, references, source_code_location: source } = advisory;
    const { now } = request;
    return {
      title: summary,
      body: html`<p class="soft small"><a href="/advisories">All advisories</a></p><h1 dir="auto">${summary}</h1>
<p class="row">${severityMark(severity)}${
        advisory.withdrawn_at === null
          ? ''
          : html`<span
class="state">${icon('cancelled')}withdrawn</span>`
      }<span class="soft">${advisory_id}</span></p>
${affectedTable(vulnerabilities.map((one) => ({ ...one, patched: one.first_patched_version })))}
<section class="panel"><header><h2>Description</h2></header>${plainText(description)}</section>
<section class="panel"><header><h2>About it</h2></header>${facts([
        ['Published', timeAgo(advisory.published_at, now)],
        ['Changed', timeAgo(advisory.updated_at, now)],
        ['Withdrawn', timeAgo(advisory.withdrawn_at, now)],
        ...ratingRows(advisory),
        ['Source code', source ? outerLink(source) : ''],
        [
          'Read more',
          references.length === 0 ? '' : html`<ul>${references.map((address) => html`<li>${outerLink(address)}</li>`)}</ul>`,
        ],
        [
          'Thanks to',
          advisory.credits.length === 0
            ? ''
            : joined(
                advisory.credits.map(({ user }) => personLink(user)),
                ', ',
              ),
        ],
      ])}</section>`,
    };
  },
});
