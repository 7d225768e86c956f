import { counted, countText, emptyState } from '#console/components/lists.ts';
import { refMenu, sourcePath } from '#console/components/source.ts';
import { inRepository } from '#console/frames/repository.ts';
import { page, read } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { html } from '#html/template.ts';
import { getRefNames } from '#resources/code/source-pages/endpoints/folders.ts';
import { findSourcePaths } from '#resources/code/source-pages/endpoints/paths.ts';

export const findPage = page({
  path: '/{owner}/{repo}/find/{path*}',
  frame: inRepository('code'),
  reads: ({ query }) => ({
    found: read(findSourcePaths, { query: { q: query.filter?.slice(0, 256) } }),
    refs: read(getRefNames),
  }),
  render({ repository, found, refs }, { query }) {
    const { ref, paths, total, is_cut } = found;
    const rest = total - paths.length;
    return {
      title: `Files at ${ref} · ${repository.full_name}`,
      body: html`<h1 class="unseen">Find a file at ${ref}</h1><live-filter data-shows="found"><form
class="heading" action="${sourcePath(repository, 'find', ref)}">
${refMenu({ repository, location: { ...found, path: '' }, refs, page: 'find' })}<label class="grow"><span
class="unseen">Words of the path</span>
<input class="whole" name="filter" value="${query.filter}" placeholder="Words of the path"
autocomplete="off" autofocus></label><button>Find</button></form></live-filter>
<div id="found" aria-live="polite">${
        paths.length === 0
          ? emptyState({
              icon: 'search',
              title: 'No file has these words in its path',
              hint: 'Fewer or shorter words find more.',
            })
          : html`<p class="soft small">${counted(total, 'file')}${is_cut ? ' among the first of this commit' : ''}</p>
<ul class="rows panel paths">${paths.map(
              (path) => html`<li>${icon('file')}<a class="grow"
href="${sourcePath(repository, 'blob', ref, path)}">${path}</a></li>`,
            )}</ul>${rest > 0 ? html`<p class="soft small">And ${countText(rest)} more: add a word to see them.</p>` : ''}`
      }</div>`,
    };
  },
});
