// What is known of a repository: its dependencies and its community files.
import { localAddress, withQuery } from '#console/components/address.ts';
import { counted, countText, emptyState, pagerLinks } from '#console/components/lists.ts';
import { inRepository, repositoryPath } from '#console/frames/repository.ts';
import { page, readOptional } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { html } from '#html/template.ts';
import { getCommunityProfile } from '#resources/code/contents/endpoints/community.ts';
import { exportSbom } from '#resources/security/dependency-graph/endpoints.ts';
import { insightTabs } from './people.ts';

/** The number of dependencies that a page shows. */
const packagesPerPage = 200;

export const dependenciesPage = page({
  path: '/{owner}/{repo}/network/dependencies',
  frame: inRepository('insights'),
  reads: () => ({ graph: readOptional(exportSbom) }),
  render({ graph, repository }, { query, address }) {
    const wanted = (query.name ?? '').trim().toLowerCase();
    const [, ...packages] = graph?.sbom.packages ?? [];
    const found = wanted === '' ? packages : packages.filter(({ name }) => name.toLowerCase().includes(wanted));
    const number = Math.max(1, Number(query.page) || 1);
    const shown = found.slice((number - 1) * packagesPerPage, number * packagesPerPage);
    const rows = shown.map(
      ({
        name,
        versionInfo,
        licenseDeclared,
        externalRefs,
      }) => html`<tr><th scope="row" dir="auto">${name}</th><td><code>${versionInfo}</code></td>
<td class="soft">${kindOf(externalRefs?.[0]?.referenceLocator)}</td><td class="soft">${licenseDeclared}</td></tr>`,
    );
    const off = emptyState({
      icon: 'package',
      title: 'The dependency graph is off for this repository.',
      hint: 'Somebody who administers it can switch it on.',
    });
    const empty = emptyState({
      icon: 'package',
      title: wanted === '' ? 'Dependencies will be listed here.' : `No dependency has “${query.name}” in its name.`,
      hint: 'They are read from the files of package managers on the default branch, and from snapshots that builds submit.',
    });
    const table = html`<div class="panel"><table class="rows cells"><thead><tr><th scope="col">Package</th><th
scope="col">Version</th>
<th scope="col">Ecosystem</th><th scope="col">Licence</th></tr></thead><tbody>${rows}</tbody></table></div>`;
    const next = number * packagesPerPage < found.length ? withQuery(address, { page: number + 1 }) : undefined;
    const previous = number > 1 ? withQuery(address, { page: number === 2 ? undefined : number - 1 }) : undefined;
    return {
      title: `Dependencies · ${repository.full_name}`,
      body: html`${insightTabs(repository, 'network/dependencies')}<div class="heading"><h1>Dependencies</h1>
${
  graph
    ? html`<span class="count">${countText(packages.length)}</span><form class="row push"><label><span class="unseen">Name</span>
<input name="name" value="${query.name ?? ''}" placeholder="Filter by name"></label><button>Filter</button></form>`
    : ''
}</div>
${graph?.sbom.comment === undefined ? '' : html`<p class="notice">${graph.sbom.comment}</p>`}
${graph ? (rows.length === 0 ? empty : table) : off}
${pagerLinks(previous, next)}
${
  graph
    ? html`<p class="soft small">${counted(found.length, 'dependency', 'dependencies')}. As a bill of materials:
<code>GET /repos/${repository.full_name}/dependency-graph/sbom</code></p>`
    : ''
}`,
    };
  },
});

/** The kind of a package, from its address: `npm` of `pkg:npm/left@1.0`. */
const kindOf = (url: string | undefined): string => /^pkg:([\w.+-]+)\//.exec(url ?? '')?.[1] ?? '';

const files = [
  ['readme', 'README', 'what this is and how to use it'],
  ['license', 'Licence', 'what others may do with it'],
  ['contributing', 'Guide for contributors', 'how to take part'],
  ['code_of_conduct_file', 'Code of conduct', 'how people treat each other'],
  ['issue_template', 'Issue templates', 'what a report should say'],
  ['pull_request_template', 'Pull request template', 'what a change should say'],
] as const;

export const communityPage = page({
  path: '/{owner}/{repo}/community',
  frame: inRepository('insights'),
  reads: () => ({ profile: readOptional(getCommunityProfile) }),
  render({ profile, repository }, { links }) {
    const rows = files.map(([key, title, meaning]) => {
      const file = profile?.files[key];
      const address = file && 'html_url' in file ? file.html_url : undefined;
      return html`<li>${
        file
          ? html`<span class="ok">${icon('circle-check')}</span>`
          : html`<span
class="soft">${icon('circle-dot')}</span>`
      }
<span class="grow">${address ? html`<a class="inline" href="${localAddress(address, links.html)}">${title}</a>` : title}
<span class="soft small">${file ? '' : 'missing: '}${meaning}</span></span></li>`;
    });
    const none = emptyState({
      icon: 'people',
      title: 'Forks have no community profile.',
      hint: html`<a href="${repositoryPath(repository)}">Look at the code</a>`,
    });
    return {
      title: `Community · ${repository.full_name}`,
      body: html`${insightTabs(repository, 'community')}<div class="heading"><h1>Community</h1>
${profile ? html`<span class="soft">${profile.health_percentage} % of what is recommended is there</span>` : ''}</div>
${profile ? html`<ul class="rows panel">${rows}</ul>` : none}`,
    };
  },
});
