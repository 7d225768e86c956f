import { pagePath } from '#console/components/address.ts';
import { labelLink } from '#console/components/label.ts';
import { emptyState, pager } from '#console/components/lists.ts';
import { inRepository, repositoryPath } from '#console/frames/repository.ts';
import { page, read } from '#console/page.ts';
import { html } from '#html/template.ts';
import { listRepoLabels } from '#resources/repositories/labels/endpoints.ts';

const perPage = 50;

export const labelsPage = page({
  path: '/{owner}/{repo}/labels',
  frame: inRepository('issues'),
  reads: ({ query }) => ({ labels: read(listRepoLabels, { query: { per_page: perPage, page: query.page } }) }),
  render({ labels, repository }, request, { labels: position }) {
    const rows = labels.map((label) => {
      const address = `${repositoryPath(repository, 'issues')}?q=${encodeURIComponent(`is:open label:"${label.name}"`)}`;
      return html`<li>${labelLink(label, address)}<span class="soft">${label.description}</span></li>`;
    });
    const empty = emptyState({ icon: 'label', title: 'Labels of issues and pull requests will be listed here.' });
    return {
      title: `Labels · ${repository.full_name}`,
      body: html`<div class="heading"><h1>Labels</h1>
<a class="push" href="${pagePath(repository.full_name, 'milestones')}">Milestones</a></div>
${rows.length === 0 ? empty : html`<ul class="rows panel">${rows}</ul>`}${pager(request, { position, perPage })}`,
    };
  },
});
